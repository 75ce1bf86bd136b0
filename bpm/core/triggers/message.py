"""Message: for exactly one receiver (semantics §7). Deviations: none.

A thrown message without connector goes out with the model's keys; it is delivered after the commit.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core import events as e
from bpm.core.arming import Owner
from bpm.core.between import SendMessage
from bpm.core.event_mappings import payload_of
from bpm.core.expressions import Expression
from bpm.core.failure import NodeFailed
from bpm.core.graph import Node
from bpm.core.named import correlation_text, evaluate_name, read_name, subscribe
from bpm.core.reading import Reading
from bpm.core.run import Place, Run
from bpm.core.token import Token, Wait
from bpm.core.triggers.trigger import BOUNDARY, CATCH, END, HANDLER, START, THROW, Trigger
from bpm.core.xml import ZEEBE, XmlElement

_CONNECTORS = ("type", "topic", "class", "delegateExpression", "expression")


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message by name; `correlation` is the key expression of its receivers (`zeebe:subscription`)."""

    name: Expression
    correlation: Expression | None = None


class MessageTrigger(Trigger[Message]):
    """Waits under the message's name, or sends it."""

    tag = "messageEventDefinition"
    wait = Wait.MESSAGE
    positions = frozenset({START, HANDLER, CATCH, BOUNDARY, THROW, END})

    def read(self, xml: XmlElement, reading: Reading) -> Message:
        """Return the message that `messageRef` names."""
        for attribute in _CONNECTORS:
            if xml.tag == self.tag and xml.extension(attribute):
                message = f"The attribute {attribute} is for message events that throw nothing else."
                reading.problem(xml, "unsupported-attribute", message)
        name, found = read_name(xml, reading, "messageRef", "message")
        subscription = next(found.extensions("subscription", ZEEBE), None) if found is not None else None
        key = subscription.get("correlationKey") if subscription is not None else ""
        return Message(name=name, correlation=reading.expression(xml, key) if key else None)

    def arm(self, run: Run, node: Node, owner: Owner, definition: Message, number: int) -> None:
        """Emit SubscriptionOpened."""
        key = _key(run, definition, owner)
        subscribe(run, node, owner, "message", evaluate_name(run, definition.name, owner), key)

    def throw(self, run: Run, node: Node, token: Token, definition: Message) -> bool:
        """Emit MessageThrown; the token goes on."""
        key = _key(run, definition, token)
        name = evaluate_name(run, definition.name, token)
        correlation = correlation_text(key)
        run.emit(e.MessageThrown(token=token.id, node=node.id, name=name, correlation=correlation))
        content = SendMessage(name=name, key=correlation, variables=payload_of(run, node, token))
        run.send(None, content)
        return True

    def reads(self, definition: Message) -> frozenset[str] | None:
        """Return the variables of name and key."""
        key = frozenset() if definition.correlation is None else definition.correlation.names
        return None if key is None or definition.name.names is None else definition.name.names | key


def _key(run: Run, definition: Message, place: Place) -> object:
    if definition.correlation is None:
        return None
    value = run.evaluate(definition.correlation, place)
    if value is None:
        raise NodeFailed("ExpressionFailed", f"The correlation key {definition.correlation.text!r} is null.")
    return value
