"""What an event definition must say."""

from __future__ import annotations

from bpm.bpmn.layout import Layout
from bpm.bpmn.process_reading import ProcessReading
from bpm.bpmn.tags import CATCH_EVENTS, EVENTS, is_event_definition
from bpm.core.xml import XmlElement


def check_definition_references(layout: Layout, reading: ProcessReading) -> None:
    """An `eventDefinitionRef` names an event definition of the file."""
    for node in layout.nodes.values():
        if node.tag not in EVENTS:
            continue
        for reference in node.xml.all("eventDefinitionRef"):
            found = reading.elements.find(reference.text)
            if found is None or not is_event_definition(found):
                message = f"The eventDefinitionRef {reference.text.strip()!r} names no event definition."
                reading.problem(node.xml, "dangling-reference", message)


def check_messages(layout: Layout, reading: ProcessReading) -> None:
    """Who waits for a message says for which."""
    for node in layout.nodes.values():
        if node.tag not in CATCH_EVENTS:
            continue
        for definition in reading.event_definitions(node.xml):
            if definition.tag == "messageEventDefinition" and not _names(
                definition, "messageRef", "message", reading
            ):
                message = "A caught message event needs a messageRef that names a message of the file."
                reading.problem(node.xml, "message-reference", message)


def check_conditions(layout: Layout, reading: ProcessReading) -> None:
    """A conditional event has a condition."""
    for node in layout.nodes.values():
        for definition in reading.event_definitions(node.xml) if node.tag in EVENTS else ():
            if definition.tag == "conditionalEventDefinition" and not definition.child_text("condition"):
                reading.problem(node.xml, "empty-expression", "A conditional event needs a condition.")


def _names(xml: XmlElement, attribute: str, tag: str, reading: ProcessReading) -> bool:
    found = reading.root_element(xml.get(attribute))
    return found is not None and found.tag == tag
