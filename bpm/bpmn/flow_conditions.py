"""Conditions of sequence flows: which count, in which language, and what is dropped (semantics §3, §9)."""

from __future__ import annotations

from typing import Final

from bpm.bpmn.languages import JUEL, is_feel
from bpm.bpmn.layout import FlowXml, Layout
from bpm.bpmn.namespaces import local_part
from bpm.bpmn.process_reading import ProcessReading
from bpm.core.expressions import Expression
from bpm.core.xml import XmlElement

_IGNORED_AFTER: Final = {
    "parallelGateway": "a parallel gateway takes all flows",
    "eventBasedGateway": "an event-based gateway decides by events",
}


def read_condition(flow: FlowXml, layout: Layout, reading: ProcessReading) -> Expression | None:
    """Return the compiled condition; None where there is none or it is ignored, which is a warning."""
    xml = flow.xml.first("conditionExpression")
    if xml is None:
        return None
    source = layout.nodes[flow.source]
    if is_default(flow, source.xml):
        reading.warning(flow.xml, "condition-ignored", "The condition is ignored: this is a default flow.")
        return None
    why = _IGNORED_AFTER.get(source.tag)
    if why is not None:
        reading.warning(flow.xml, "condition-ignored", f"The condition is ignored: {why}.")
        return None
    return _compile(xml, reading)


def is_default(flow: FlowXml, source: XmlElement) -> bool:
    """Return whether an element names the flow as its default."""
    reference = source.get("default").strip()
    return flow.id in (reference, local_part(reference))


def _compile(xml: XmlElement, reading: ProcessReading) -> Expression | None:
    text = xml.text.strip()
    language = xml.get("language").strip()
    if xml.extension("resource"):
        return None  # A text elsewhere: refused with the attribute.
    if not text:
        reading.problem(xml, "empty-expression", "The condition is empty.")
    elif language.lower() in JUEL:
        return reading.condition(xml, text)
    elif is_feel(language):
        return reading.condition(xml, text if text.startswith("=") else "=" + text)
    else:
        reading.problem(xml, "expression-language", f"The expression language {language!r} is not known.")
    return None
