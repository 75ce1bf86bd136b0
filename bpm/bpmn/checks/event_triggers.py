"""Which event definitions may stand at which event."""

from __future__ import annotations

from typing import Final

from bpm.bpmn.layout import Layout, NodeXml
from bpm.bpmn.process_reading import ProcessReading
from bpm.bpmn.tags import ACTIVITIES, EVENTS, is_true
from bpm.core.xml import OWN

_CAUGHT: Final = frozenset({"message", "timer", "conditional", "signal"})
_HANDLED: Final = _CAUGHT | {"escalation", "error", "compensate"}
_THROWN: Final = frozenset({"message", "signal", "escalation", "compensate"})

_ALLOWED: Final = {
    "process start event": _CAUGHT,
    "subprocess start event": frozenset[str](),
    "event subprocess start event": _HANDLED,
    "boundary event": _HANDLED | {"cancel"},
    "non-interrupting boundary event": _CAUGHT | {"escalation", "compensate"},
    "non-interrupting event subprocess start event": _CAUGHT | {"escalation"},
    "intermediate catch event": _CAUGHT | {"link"},
    "intermediate throw event": _THROWN | {"link"},
    "end event": _THROWN | {"error", "cancel", "terminate"},
}
_NEEDED: Final = frozenset(
    {
        "boundary event",
        "non-interrupting boundary event",
        "event subprocess start event",
        "non-interrupting event subprocess start event",
    }
)
"""Events that only wait; an intermediate catch event says so itself."""


def check_triggers(layout: Layout, reading: ProcessReading) -> None:
    """Every definition is allowed where it stands; events that only wait have one."""
    for node in layout.nodes.values():
        if node.tag not in EVENTS:
            continue
        position = _position(layout, node)
        definitions = reading.event_definitions(node.xml)
        if not definitions and position in _NEEDED:
            reading.problem(node.xml, "event-definition", f"The {position} needs an event definition.")
        for definition in definitions:
            kind = definition.tag.removesuffix("EventDefinition")
            if kind not in _ALLOWED[position]:
                message = f"The event definition {definition.tag} is not allowed at the {position}."
                reading.problem(node.xml, "event-definition", message)


def check_cancel(layout: Layout, reading: ProcessReading) -> None:
    """Cancel is an affair of transactions: thrown by an end inside one, caught at its boundary.

    A subprocess in saga mode is left by its cancel boundary event, too.
    """
    for node in layout.nodes.values():
        if node.tag not in ("endEvent", "boundaryEvent"):
            continue
        if not reading.has_definition(node.xml, "cancelEventDefinition"):
            continue
        if node.tag == "endEvent":
            holder, saga = layout.scopes[node.scope].xml, None
        else:
            host = layout.node(node.xml.get("attachedToRef"))
            holder = host.xml if host is not None else node.xml
            saga = holder.extension("saga", OWN)
        if holder.tag != "transaction" and saga is None:
            reading.problem(node.xml, "cancel-outside-transaction", "Only a transaction can be cancelled.")


def check_attachment(layout: Layout, reading: ProcessReading) -> None:
    """A boundary event is attached to an activity of its scope."""
    for node in layout.nodes.values():
        if node.tag != "boundaryEvent":
            continue
        host = layout.node(node.xml.get("attachedToRef"))
        if host is None or host.scope != node.scope or host.tag not in ACTIVITIES:
            message = "A boundary event needs an attachedToRef that names an activity beside it."
            reading.problem(node.xml, "dangling-reference", message)


def _position(layout: Layout, node: NodeXml) -> str:
    if node.tag == "startEvent":
        return _start_position(layout, node)
    if node.tag == "boundaryEvent":
        return "non-interrupting boundary event" if _is_false(node, "cancelActivity") else "boundary event"
    return {
        "intermediateCatchEvent": "intermediate catch event",
        "endEvent": "end event",
    }.get(node.tag, "intermediate throw event")


def _start_position(layout: Layout, node: NodeXml) -> str:
    scope = layout.scopes[node.scope]
    if scope.parent is None:
        return "process start event"
    if not is_true(scope.xml.get("triggeredByEvent")):
        return "subprocess start event"
    prefix = "non-interrupting " if _is_false(node, "isInterrupting") else ""
    return f"{prefix}event subprocess start event"


def _is_false(node: NodeXml, attribute: str) -> bool:
    return node.xml.get(attribute).strip().lower() in ("false", "0")
