"""End event: throws what it has to throw, then its token ends, with the reason `end` (semantics §2, §4, §7).

Throwing waits until all other tokens of the command have come to rest. Deviations: none.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.compensation.cancelling import CANCEL, leave_transaction
from bpm.core.elements.element import Element
from bpm.core.eventing import EventNode, names_of, throw_all
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.triggers.trigger import END
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class EndEvent(EventNode):
    """An end event."""


class EndEventElement(Element[EndEvent]):
    """Ends the token."""

    tags = ("endEvent",)

    def read(self, xml: XmlElement, reading: Reading) -> EndEvent:
        """Return the node."""
        return EndEvent(**reading.common(xml), triggers=reading.triggers(xml, END))

    def enter(self, run: Run, node: EndEvent, token: Token) -> None:
        """End the token, or let it throw first."""
        if node.triggers:
            run.throwing.append(token.id)
        else:
            run.leave(node, token)

    def throw(self, run: Run, node: EndEvent, token: Token) -> None:
        """Throw, then end the token if it still lives."""
        if throw_all(run, node, token):
            run.leave(node, token)

    def compensated(self, run: Run, node: EndEvent, token: Token) -> None:
        """End the token, or leave the transaction that it has cancelled."""
        if any(tag == CANCEL for tag, _ in node.triggers):
            leave_transaction(run, token)
        else:
            run.wake(token)

    def reads(self, node: EndEvent) -> frozenset[str] | None:
        """Return the variables that throwing reads."""
        return names_of(node)
