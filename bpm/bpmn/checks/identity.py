"""Ids that more than one element uses."""

from __future__ import annotations

from bpm.bpmn.file_index import walk
from bpm.bpmn.layout import Layout
from bpm.bpmn.process_reading import ProcessReading
from bpm.bpmn.tags import FLOW_NODES, is_bpmn

_DECIDING = FLOW_NODES | {"sequenceFlow", "process"}


def check_repeated_ids(layout: Layout, reading: ProcessReading) -> None:
    """An id names one element of the file; repeated where it decides nothing, it is only odd."""
    repeated = {id(xml) for xml in reading.elements.repeated}
    if not repeated:
        return
    for xml in walk(layout.xml):
        if id(xml) not in repeated:
            continue
        message = f"The id {xml.id!r} is used by more than one element."
        if is_bpmn(xml, _DECIDING):
            reading.problem(xml, "duplicate-id", message)
        else:
            reading.warning(xml, "duplicate-id", message)


def check_process_id(layout: Layout, reading: ProcessReading) -> None:
    """A process is known by its id."""
    if not layout.xml.id:
        reading.problem(layout.xml, "missing-id", "A process needs an id; this one has none.")
