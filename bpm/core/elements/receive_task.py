"""Receive task: waits for its message (semantics §7).

Without a message it waits until somebody continues it. Deviations: none.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.arming import Owner, disarm_token
from bpm.core.catching import go_on_at
from bpm.core.elements.element import Element
from bpm.core.graph import Activity
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token, Wait
from bpm.core.triggers.message import Message, MessageTrigger
from bpm.core.xml import XmlElement

_MESSAGE = MessageTrigger()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiveTask(Activity):
    """A receive task."""

    message: Message | None = None
    instantiate: bool = False


class ReceiveTaskElement(Element[ReceiveTask]):
    """Opens the subscription and lets the token wait."""

    tags = ("receiveTask",)

    def read(self, xml: XmlElement, reading: Reading) -> ReceiveTask:
        """Return the node."""
        message = _MESSAGE.read(xml, reading) if xml.get("messageRef") else None
        return ReceiveTask(**reading.activity(xml), message=message, instantiate=xml.flag("instantiate"))

    def enter(self, run: Run, node: ReceiveTask, token: Token) -> None:
        """Subscribe, then emit TokenBlocked."""
        self.arm(run, node, Owner(token.id, token.scope, node.id))
        run.block(token, Wait.MESSAGE)

    def arm(self, run: Run, node: ReceiveTask, owner: Owner) -> None:
        """Subscribe, also on behalf of an event-based gateway."""
        if node.message is not None:
            _MESSAGE.arm(run, node, owner, node.message, 0)

    def triggered(self, run: Run, node: ReceiveTask, token: Token) -> None:
        """Go on; from an event-based gateway, here."""
        disarm_token(run, token.id, "another event came first")
        go_on_at(run, node, token)

    def rests(self, node: ReceiveTask) -> bool:
        """Always."""
        del node
        return True

    def reads(self, node: ReceiveTask) -> frozenset[str] | None:
        """Return the variables of the message."""
        return frozenset() if node.message is None else _MESSAGE.reads(node.message)
