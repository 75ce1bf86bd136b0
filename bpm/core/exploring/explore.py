"""One call: explore a process and say what was found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from bpm.core.exploring.abstraction import abstract
from bpm.core.exploring.environment import EVERYTHING, Environment
from bpm.core.exploring.findings import Finding, find
from bpm.core.exploring.space import Bounds
from bpm.core.exploring.walk import Exploration
from bpm.core.graph import Graph


class Report(NamedTuple):
    """What an exploration found.

    Attributes:
        process: key of the process.
        states: different situations that were looked at.
        transitions: steps between them.
        complete: whether everything that can happen was looked at.
        bound: what ended it otherwise: `states`, `seconds`, `tokens` or `choices`.
    """

    process: str
    states: int
    transitions: int
    complete: bool
    bound: str
    findings: tuple[Finding, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {**self._asdict(), "findings": [finding._asdict() for finding in self.findings]}


def explore(
    graph: Graph,
    environment: Environment = EVERYTHING,
    bounds: Bounds | None = None,
    clock: Callable[[], float] | None = None,
    *,
    checked: bool = True,
) -> Report:
    """Walk through everything that can happen in a process (see docs/explanation/exploration.md).

    Args:
        environment: what may come from outside.
        bounds: how far to go.
        clock: monotonic seconds; without one the bound on time does not hold.
        checked: whether every situation is checked for invariants.
    """
    space = Exploration(abstract(graph), environment, bounds, clock, checked=checked).walk()
    return Report(
        process=graph.key,
        states=len(space.situations),
        transitions=space.transitions,
        complete=space.complete,
        bound=space.bound,
        findings=tuple(find(graph, space)),
    )
