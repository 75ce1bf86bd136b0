"""What stands around an activity's work: loop, mappings, data, quantities (semantics §4, §9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bpm.bpmn.data_reading import read_data
from bpm.bpmn.loop_reading import gathered_outputs, read_loop
from bpm.bpmn.mapping_reading import read_mappings
from bpm.bpmn.tags import is_true
from bpm.core.xml import XmlElement

if TYPE_CHECKING:
    from bpm.bpmn.process_reading import ProcessReading


def read_activity(xml: XmlElement, reading: ProcessReading) -> dict[str, Any]:
    """Return the fields of `Activity` that do not depend on other elements, as keyword arguments."""
    mappings = read_mappings(xml, reading)
    data = read_data(xml, reading, skip=gathered_outputs(xml))
    return {
        "loop": read_loop(xml, reading),
        "inputs": mappings.inputs + data.inputs,
        "outputs": mappings.outputs + data.outputs,
        "mappings_local": mappings.local,
        "local_names": data.local_names,
        "payload": data.payload,
        "input_sets": data.input_sets,
        "start_quantity": _quantity(xml, "startQuantity"),
        "completion_quantity": _quantity(xml, "completionQuantity"),
        "for_compensation": is_true(xml.get("isForCompensation")),
    }


def read_event(xml: XmlElement, reading: ProcessReading) -> dict[str, Any]:
    """Return the fields of an event that say what is mapped there, as keyword arguments."""
    mappings, data = read_mappings(xml, reading), read_data(xml, reading)
    return {
        "inputs": mappings.inputs + data.inputs,
        "outputs": mappings.outputs + data.outputs,
        "mappings_local": mappings.local,
        "local_names": data.local_names,
        "payload": data.payload,
    }


def _quantity(xml: XmlElement, name: str) -> int:
    text = xml.get(name, "1").strip()
    return int(text) if text.isdigit() else 1
