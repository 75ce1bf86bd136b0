"""What messages and signals share: a name from a root element, and a subscription under it."""

from __future__ import annotations

from typing import Final

from bpm.core import events as e
from bpm.core.arming import Owner
from bpm.core.execution import to_storable
from bpm.core.expressions import Expression
from bpm.core.failure import NodeFailed
from bpm.core.graph import Node
from bpm.core.reading import Reading
from bpm.core.run import Place, Run
from bpm.core.values import to_text
from bpm.core.xml import XmlElement

MAX_KEY_CHARACTERS: Final = 500


def read_name(
    xml: XmlElement, reading: Reading, reference: str, what: str
) -> tuple[Expression, XmlElement | None]:
    """Return the name that a definition refers to (else the id), and the root element; report a missing one."""
    found = reading.root_element(xml.get(reference))
    name = found.get("name").strip() or found.id if found is not None and found.tag == what else ""
    if not name:
        reading.problem(xml, f"{what}-name", f"The {reference} names no {what} of the file.")
    return reading.expression(xml, name), found


def evaluate_name(run: Run, name: Expression, place: Place) -> str:
    """Return the name as text.

    Raises:
        NodeFailed: it is empty or no text.
    """
    value = run.evaluate(name, place)
    if not isinstance(value, str) or not value.strip():
        raise NodeFailed("ExpressionFailed", f"The name {name.text!r} gives no text.")
    return value.strip()


def correlation_text(key: object) -> str:
    """Return a correlation key as canonical JSON.

    Raises:
        NodeFailed: it is no JSON value, or longer than 500 characters.
    """
    text = to_text(to_storable("key", key)["key"])
    if len(text) > MAX_KEY_CHARACTERS:
        raise NodeFailed(
            "ExpressionFailed", f"A correlation key has at most {MAX_KEY_CHARACTERS} characters."
        )
    return text


def subscribe(run: Run, node: Node, owner: Owner, kind: str, name: str, correlation: object = None) -> None:
    """Open a subscription. Emits SubscriptionOpened."""
    run.emit(
        e.SubscriptionOpened(
            subscription=run.new_id(),
            kind=kind,
            name=name,
            correlation=correlation_text(correlation),
            token=owner.token,
            scope=owner.scope,
            node=node.id,
        )
    )
