"""Event-based gateway: the first of the events behind it wins, the others are cancelled (semantics §3).

Deviations: none.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.arming import Owner
from bpm.core.elements.element import Element
from bpm.core.graph import Node
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token, Wait
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class EventBasedGateway(Node):
    """An event-based gateway never forks: one of its events comes first."""

    instantiate: bool = False
    parallel: bool = False

    @property
    def forks(self) -> bool:
        """Never."""
        return False


class EventBasedGatewayElement(Element[EventBasedGateway]):
    """Arms all events behind it for one token."""

    tags = ("eventBasedGateway",)

    def read(self, xml: XmlElement, reading: Reading) -> EventBasedGateway:
        """Return the node."""
        return EventBasedGateway(
            **reading.common(xml),
            instantiate=xml.flag("instantiate"),
            parallel=xml.get("eventGatewayType") == "Parallel",
        )

    def enter(self, run: Run, node: EventBasedGateway, token: Token) -> None:
        """Arm, then emit TokenBlocked."""
        for flow in node.outgoing:
            target = run.graph.nodes[run.graph.flows[flow].target]
            run.element(target).arm(run, target, Owner(token.id, token.scope, target.id))
        run.block(token, Wait.EVENTS)

    def rests(self, node: EventBasedGateway) -> bool:
        """Always."""
        del node
        return True

    def reads(self, node: EventBasedGateway) -> frozenset[str] | None:
        """The targets' variables are not known here."""
        del node
        return None
