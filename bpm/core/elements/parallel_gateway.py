"""Parallel gateway (semantics §3).

As a join it fires when every incoming flow holds a token of its key, and consumes the oldest of each. As a fork it
takes every outgoing flow; conditions on them are ignored. It may do both. Deviations: none.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.elements.element import Element
from bpm.core.graph import Flow, Node
from bpm.core.joins import arrive, fire
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class ParallelGateway(Node):
    """A parallel gateway; with one incoming flow it joins nothing."""

    @property
    def joins(self) -> str | None:
        """`parallel` with more than one incoming flow."""
        return "parallel" if len(self.incoming) > 1 else None


class ParallelGatewayElement(Element[ParallelGateway]):
    """Joins on distinct incoming flows, then forks."""

    tags = ("parallelGateway",)

    def read(self, xml: XmlElement, reading: Reading) -> ParallelGateway:
        """Return the node; conditions on its flows are dropped with a warning."""
        return ParallelGateway(**reading.common(xml))

    def enter(self, run: Run, node: ParallelGateway, token: Token) -> None:
        """Wait for the other flows, or leave."""
        if node.joins is None:
            run.leave(node, token)
            return
        join = arrive(run, node, token, "parallel")
        if join.arrived == join.expected:
            fire(run, node, join)

    def choose(self, run: Run, node: ParallelGateway, token: Token) -> tuple[Flow, ...]:
        """Return all outgoing flows."""
        return tuple(run.graph.flows[name] for name in node.outgoing)
