"""Complex gateway (semantics §3).

As a join its condition decides when it is activated, from `activationCount`, the number of tokens that wait; then it
waits for those that can still come, and resets. As a fork it takes flows as an inclusive gateway does; conditions see
`waitingForStart`, which is false for what is sent on by a reset. Deviations: a reset that has consumed nothing sends
nothing on, as there is no token whose groups would tell to which forks the new one belongs.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.activation import arrive_at
from bpm.core.elements.element import Element
from bpm.core.expressions import Expression
from bpm.core.graph import Flow, Node
from bpm.core.leaving import no_flow
from bpm.core.phases import RESETS
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class ComplexGateway(Node):
    """A complex gateway; with one incoming flow it joins nothing."""

    activation: Expression | None = None

    @property
    def joins(self) -> str | None:
        """`complex` with more than one incoming flow."""
        return "complex" if len(self.incoming) > 1 else None


class ComplexGatewayElement(Element[ComplexGateway]):
    """Joins by its condition, forks by those of the flows."""

    tags = ("complexGateway",)

    def read(self, xml: XmlElement, reading: Reading) -> ComplexGateway:
        """Return the node."""
        condition = xml.child_text("activationCondition")
        return ComplexGateway(
            **reading.common(xml), activation=reading.condition(xml, condition) if condition else None
        )

    def enter(self, run: Run, node: ComplexGateway, token: Token) -> None:
        """Wait at the join, or leave."""
        if node.joins is None:
            run.leave(node, token)
        else:
            arrive_at(run, node, token, node.activation)

    def choose(self, run: Run, node: ComplexGateway, token: Token) -> tuple[Flow, ...]:
        """Return what is true or has no condition, else the default; after a reset only what is true."""
        resetting = token.phase in RESETS
        bound = {"waitingForStart": not resetting}
        flows = [run.graph.flows[name] for name in node.outgoing if name != node.default]
        taken = tuple(
            flow
            for flow in flows
            if (not resetting if flow.condition is None else run.truth(flow.condition, token, bound))
        )
        if taken or resetting or not node.outgoing:
            return taken
        if node.default is None:
            raise no_flow(node)
        return (run.graph.flows[node.default],)

    def reads(self, node: ComplexGateway) -> frozenset[str] | None:
        """Return the variables of the activation condition."""
        return node.activation.names if node.activation is not None else frozenset()
