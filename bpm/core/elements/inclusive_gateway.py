"""Inclusive gateway (semantics §3).

As a fork it takes every flow whose condition is true, else the default, else the token fails. As a join it fires when
no token of its key can still come on an empty flow; that is looked at when all tokens of a command have come to rest.
Deviations: none.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.elements.element import Element
from bpm.core.graph import Flow, Node
from bpm.core.joins import arrive
from bpm.core.leaving import no_flow
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class InclusiveGateway(Node):
    """An inclusive gateway; with one incoming flow it joins nothing."""

    @property
    def joins(self) -> str | None:
        """`inclusive` with more than one incoming flow."""
        return "inclusive" if len(self.incoming) > 1 else None


class InclusiveGatewayElement(Element[InclusiveGateway]):
    """Joins by reachability, forks by conditions."""

    tags = ("inclusiveGateway",)

    def read(self, xml: XmlElement, reading: Reading) -> InclusiveGateway:
        """Return the node."""
        return InclusiveGateway(**reading.common(xml))

    def enter(self, run: Run, node: InclusiveGateway, token: Token) -> None:
        """Wait at the join, or leave."""
        if node.joins is None:
            run.leave(node, token)
        else:
            arrive(run, node, token, "inclusive")

    def choose(self, run: Run, node: InclusiveGateway, token: Token) -> tuple[Flow, ...]:
        """Return every flow that is true or has no condition; where there is none, the default."""
        flows = [run.graph.flows[name] for name in node.outgoing]
        taken = tuple(
            flow
            for flow in flows
            if flow.id != node.default and (flow.condition is None or run.truth(flow.condition, token))
        )
        if taken or not flows:
            return taken
        if node.default is None:
            raise no_flow(node)
        return (run.graph.flows[node.default],)
