"""Which errors and escalations the model catches at a place; others would only fail the token."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from bpm.core.context import Context
from bpm.core.elements.registry import ELEMENTS
from bpm.core.exploring.live import Live
from bpm.core.faults import ERROR, ESCALATION, find_catcher
from bpm.core.graph import Graph
from bpm.core.ids import Id, IdSource
from bpm.core.run import Run

_OTHER: Final = "some other code"
_NEVER: Final = datetime(2000, 1, 1, tzinfo=UTC)


class Faulting:
    """What can be caught in one situation."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._run: Run | None = None

    def errors(self, scope: Id) -> list[str]:
        """Return one code for each error handler that is the nearest one for some code."""
        return [code for code, _ in self._caught(scope, ERROR)]

    def escalations(self, scope: Id) -> list[tuple[str, bool]]:
        """Return likewise a code, and whether catching it interrupts."""
        return self._caught(scope, ESCALATION)

    def of_calls(self, scope: Id) -> list[tuple[str, str, bool]]:
        """Return what a called process may throw: kind, code, whether it interrupts."""
        errors = [("error", code, True) for code in self.errors(scope)]
        return errors + [("escalation", *found) for found in self.escalations(scope)]

    def _caught(self, scope: Id, tag: str) -> list[tuple[str, bool]]:
        codes = _codes(self._live.process.graph, tag)
        if not codes:
            return []
        run = self._run = self._run or _looking(self._live)
        found: dict[tuple[str, Id], tuple[str, bool]] = {}
        for code in codes:
            catcher = find_catcher(run, scope, tag, code)
            if catcher is not None:
                interrupts = run.element(catcher.node).interrupts(catcher.node)
                found.setdefault((catcher.node.id, catcher.scope), (code, interrupts))
        return list(found.values())


def _looking(live: Live) -> Run:
    context = Context(now=_NEVER, ids=IdSource(_NEVER, 0))
    return Run(live.process.graph, live.state, context, ELEMENTS)


def _codes(graph: Graph, tag: str) -> list[str]:
    """Return the codes that are caught anywhere in the process, with one more where some handler takes every code."""
    codes: dict[str, None] = {}
    every = False
    for node in graph.nodes.values():
        triggers: Any = getattr(node, "triggers", ())
        if node.incoming:
            continue
        for found, definition in triggers:
            if found == tag and definition.code is not None:
                codes[str(definition.code.text)] = None
            every = every or (found == tag and definition.code is None)
    return [*codes, *([_OTHER] if every else [])]
