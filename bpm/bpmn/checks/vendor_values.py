"""Constant values of vendor attributes that no instance could use; computed ones are checked at run time."""

from __future__ import annotations

import re
from typing import Final

from bpm.bpmn.layout import Layout
from bpm.bpmn.process_reading import ProcessReading
from bpm.core.elements.registry import ELEMENTS
from bpm.core.xml import CAMUNDA, OWN, ZEEBE, XmlElement

_WHOLE_NUMBER: Final = re.compile(r"[+-]?\d{1,9}")
_ABOVE_ZERO: Final = re.compile(r"0{0,8}[1-9][0-9]{0,8}")
_DAYS: Final = re.compile(r"\d{1,6}|P\d{1,6}D")


def check_priorities(layout: Layout, reading: ProcessReading) -> None:
    """`taskPriority` and `jobPriority` are whole numbers or expressions."""
    elements = [node.xml for node in layout.nodes.values() if node.tag in ELEMENTS]
    for xml in (layout.xml, *elements):
        for name in ("taskPriority", "jobPriority"):
            text = (xml.extension(name) or "").strip()
            if text and not _is_computed(text) and not _WHOLE_NUMBER.fullmatch(text):
                message = f"The {name} {text!r} is neither a whole number nor an expression."
                reading.problem(xml, "priority", message)


def check_external_topics(layout: Layout, reading: ProcessReading) -> None:
    """What says that it is external says under which topic."""
    for node in layout.nodes.values():
        external = node.xml.extension("type") == "external"
        if external and not (node.xml.extension("topic") or "").strip():
            reading.problem(node.xml, "external-topic", "An external task needs a topic.")


def check_mappings(layout: Layout, reading: ProcessReading) -> None:
    """Mappings stand where the dialect lets them.

    Camunda: none where an event starts something, no outputs at an end event. Zeebe: only outputs where something
    starts.
    """
    for node in layout.nodes.values():
        begins = node.tag in ("startEvent", "boundaryEvent")
        for holder in node.xml.extensions("inputOutput", CAMUNDA):
            refused = holder.children if begins else holder.all("outputParameter", CAMUNDA)
            if (begins or node.tag == "endEvent") and any(refused):
                _refuse_mapping(node.xml, holder, reading)
        for holder in node.xml.extensions("ioMapping", ZEEBE):
            if begins and any(holder.all("input", ZEEBE)):
                _refuse_mapping(node.xml, holder, reading)


def _refuse_mapping(xml: XmlElement, holder: XmlElement, reading: ProcessReading) -> None:
    tags = ", ".join(dict.fromkeys(child.tag for child in holder.children))
    reading.problem(xml, "mapping", f"Such a mapping ({tags}) is not allowed at the {xml.tag}.")


def check_saga_modes(layout: Layout, reading: ProcessReading) -> None:
    """The engine's own `saga` is `local` or `global`."""
    for xml in (layout.xml, *(node.xml for node in layout.nodes.values())):
        text = xml.extension("saga", OWN)
        if text is not None and text not in ("local", "global"):
            reading.problem(xml, "saga-mode", f"The saga mode {text!r} is neither local nor global.")


def check_lease_limits(layout: Layout, reading: ProcessReading) -> None:
    """The engine's own `leaseLimit` is a whole number above zero."""
    for xml in (layout.xml, *(node.xml for node in layout.nodes.values())):
        text = xml.extension("leaseLimit", OWN)
        if text is not None and not _ABOVE_ZERO.fullmatch(text.strip()):
            reading.problem(xml, "lease-limit", f"The leaseLimit {text!r} is no whole number above zero.")


def check_time_to_live(layout: Layout, reading: ProcessReading) -> None:
    """`historyTimeToLive` is a number of days, as such or as `P30D`."""
    text = (layout.xml.extension("historyTimeToLive") or "").strip()
    if text and not _DAYS.fullmatch(text):
        message = f"The historyTimeToLive {text!r} is no number of days such as 30 or P30D."
        reading.problem(layout.xml, "history-time-to-live", message)


def _is_computed(text: str) -> bool:
    return "${" in text or "#{" in text or text.startswith("=")
