"""Message events that throw by work: read as the send task that does the same (semantics §5).

A throw or end event whose message definition has the attributes of a service task, or that has a
`zeebe:taskDefinition`, hands out work instead of sending its message; so does a send task.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bpm.bpmn.file_index import FileIndex
from bpm.bpmn.global_tasks import DRAWN_AS
from bpm.bpmn.tags import is_event_definition
from bpm.core.xml import CAMUNDA, ZEEBE, XmlElement

_EVENTS: Final = frozenset({"intermediateThrowEvent", "endEvent"})
_ATTRIBUTES: Final = ("type", "topic", "class", "delegateExpression", "expression")


def as_send_task(event: XmlElement, index: FileIndex) -> XmlElement:
    """Return a throw event that works as a send task; everything else as it is."""
    if event.tag not in _EVENTS:
        return event
    definitions = [child for child in event.children if is_event_definition(child)]
    definitions += [
        index.copied(found)
        for reference in event.all("eventDefinitionRef")
        if (found := index.find(reference.text)) is not None
    ]
    if len(definitions) != 1 or definitions[0].tag != "messageEventDefinition":
        return event
    (message,) = definitions
    works = any(message.extension(name) for name in _ATTRIBUTES) or any(
        event.extensions("taskDefinition", ZEEBE)
    )
    if not works:
        return event
    camunda = {key: value for key, value in message.vendor.items() if key[0] == CAMUNDA}
    inside = [child for child in message.children if child.tag == "extensionElements"]
    kept = [child for child in event.children if child is not message and child.tag != "eventDefinitionRef"]
    reference = {"messageRef": message.get("messageRef")} if message.get("messageRef") else {}
    return replace(
        event,
        tag="sendTask",
        attributes={**event.attributes, **reference, DRAWN_AS: event.tag},
        vendor={**event.vendor, **camunda},
        children=(*kept, *inside),
    )
