"""What can go wrong in a process that is about to be deployed: warnings from a short exploration, never refusals."""

from __future__ import annotations

import logging
import time

from bpm.bpmn import ProcessModel
from bpm.core.errors import EngineError, Problem
from bpm.core.exploring import PLAIN, RULES, Bounds, explore
from bpm.core.graph import Graph
from bpm.shell.configuration import setting

MOST_NODES = 1_000
"""Flow nodes of a process that is still explored; only preparing a larger one would take too long."""
_TOLD = frozenset(RULES) - {"invariant-broken"}
_log = logging.getLogger(__name__)


class Exploring:
    """The time that one deployment spends on it, shared by its processes.

    The bounds are the settings `EXPLORE_STATES` and `EXPLORE_MS`; with 0 in either nothing is explored.
    """

    def __init__(self) -> None:
        self._states = int(setting("EXPLORE_STATES"))
        self._until = time.monotonic() + int(setting("EXPLORE_MS")) / 1_000

    def warnings(self, process: ProcessModel, resource: str) -> list[Problem]:
        """Return one warning for each thing found, with the steps that lead to it."""
        graph, left = process.graph, self._until - time.monotonic()
        if graph is None or not self._states or left <= 0 or len(graph.nodes) > MOST_NODES:
            return []
        told = {warning.element for warning in process.warnings if warning.rule == "unreachable-node"}
        found = self._explore(graph, left)
        return [one._replace(resource=resource) for one in found if one.element not in told]

    def _explore(self, graph: Graph, seconds: float) -> list[Problem]:
        bounds = Bounds(states=self._states, seconds=seconds)
        try:
            report = explore(graph, PLAIN, bounds, time.monotonic, checked=False)
        except (
            EngineError,
            ArithmeticError,
            AssertionError,
            LookupError,
            RecursionError,
            TypeError,
            ValueError,
        ):
            # Whoever deploys is not to suffer from a fault in what only advises.
            _log.exception("the exploration of %s failed", graph.key)
            return []
        return [
            Problem(one.element, _line(graph, one.element), one.rule, one.message, trace=one.trace)
            for one in report.findings
            if one.rule in _TOLD
        ]


def _line(graph: Graph, element: str) -> int:
    node = graph.nodes.get(element)
    return node.line if node is not None else 0
