"""Intermediate catch event: the token waits for what it is to catch (semantics §6, §7). Deviations: none.

Several definitions mean any of them, with `parallelMultiple` all. A link catch is only where a link's token goes on.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.arming import Owner, disarm_token
from bpm.core.catching import go_on_at
from bpm.core.elements.element import Element
from bpm.core.eventing import EventNode, arm_all, names_of, still_waits, wait_of
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.triggers.trigger import CATCH
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class IntermediateCatchEvent(EventNode):
    """An intermediate catch event; `link` says that it is the target of links only."""

    link: bool = False


class IntermediateCatchEventElement(Element[IntermediateCatchEvent]):
    """Arms what it waits for and lets the token wait."""

    tags = ("intermediateCatchEvent",)

    def read(self, xml: XmlElement, reading: Reading) -> IntermediateCatchEvent:
        """Return the node; at least one event definition is required."""
        link = reading.is_link(xml)
        triggers = () if link else reading.triggers(xml, CATCH)
        if not triggers and not link:
            reading.problem(xml, "event-definition", "An intermediate catch event needs an event definition.")
        return IntermediateCatchEvent(
            **reading.common(xml),
            triggers=triggers,
            parallel=xml.flag("parallelMultiple"),
            link=link,
        )

    def enter(self, run: Run, node: IntermediateCatchEvent, token: Token) -> None:
        """Arm, then emit TokenBlocked."""
        if node.link:
            run.leave(node, token)
            return
        arm_all(run, node, Owner(token.id, token.scope, node.id))
        run.block(token, wait_of(node))

    def arm(self, run: Run, node: IntermediateCatchEvent, owner: Owner) -> None:
        """Wait for it on behalf of an event-based gateway."""
        arm_all(run, node, owner)

    def triggered(self, run: Run, node: IntermediateCatchEvent, token: Token) -> None:
        """Go on, unless more is waited for; from an event-based gateway, here."""
        if still_waits(run, node, Owner(token.id, token.scope, node.id)):
            return
        disarm_token(run, token.id, "another event came first")
        go_on_at(run, node, token)

    def rests(self, node: IntermediateCatchEvent) -> bool:
        """Unless it is a link's target."""
        return not node.link

    def reads(self, node: IntermediateCatchEvent) -> frozenset[str] | None:
        """Return the variables that arming reads."""
        return names_of(node)
