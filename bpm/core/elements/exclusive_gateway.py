"""Exclusive gateway (semantics §3).

The first flow whose condition is true, in document order; the default last wherever it stands. None: the token fails.
Every token that comes in passes on its own. Deviations: none.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.elements.element import Element
from bpm.core.graph import Flow, Node
from bpm.core.leaving import no_flow
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class ExclusiveGateway(Node):
    """An exclusive gateway never forks: one flow is taken."""

    @property
    def forks(self) -> bool:
        """Never."""
        return False


class ExclusiveGatewayElement(Element[ExclusiveGateway]):
    """Takes the first true flow."""

    tags = ("exclusiveGateway",)

    def read(self, xml: XmlElement, reading: Reading) -> ExclusiveGateway:
        """Return the node."""
        return ExclusiveGateway(**reading.common(xml))

    def enter(self, run: Run, node: ExclusiveGateway, token: Token) -> None:
        """Leave at once."""
        run.leave(node, token)

    def choose(self, run: Run, node: ExclusiveGateway, token: Token) -> tuple[Flow, ...]:
        """Return the first flow that is true or has no condition, else the default."""
        flows = run.graph.flows
        for name in node.outgoing:
            flow = flows[name]
            if name != node.default and (flow.condition is None or run.truth(flow.condition, token)):
                return (flow,)
        if node.default is not None:
            return (flows[node.default],)
        if node.outgoing:
            raise no_flow(node)
        return ()
