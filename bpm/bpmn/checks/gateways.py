"""Rules of single kinds of gateways."""

from __future__ import annotations

from typing import Final

from bpm.bpmn.layout import Layout, NodeXml
from bpm.bpmn.process_reading import ProcessReading
from bpm.bpmn.tags import is_true

_RACING: Final = frozenset({"message", "signal", "timer", "conditional"})


def check_event_gateway_targets(layout: Layout, reading: ProcessReading) -> None:
    """Behind an event-based gateway stand only events that wait, and receive tasks."""
    for node in layout.nodes.values():
        if node.tag != "eventBasedGateway":
            continue
        for target in layout.targets(node.id):
            if not _can_race(target, reading):
                message = f"An event-based gateway cannot lead to the {target.tag} {target.id!r}."
                reading.problem(node.xml, "event-gateway-target", message)
            elif len(layout.incoming[target.id]) > 1:
                message = f"Only the event-based gateway {node.id!r} may lead to this event."
                reading.problem(target.xml, "event-gateway-target", message)


def check_instantiating_gateway(layout: Layout, reading: ProcessReading) -> None:
    """A gateway that starts instances has nothing before it."""
    for node in layout.nodes.values():
        starts = node.tag == "eventBasedGateway" and is_true(node.xml.get("instantiate"))
        if starts and layout.incoming.get(node.id):
            message = "An event-based gateway that starts instances has no incoming flow."
            reading.problem(node.xml, "incoming-flow", message)


def check_event_gateway_job(layout: Layout, reading: ProcessReading) -> None:
    """Nothing comes after an event-based gateway before its events: no job can stand there."""
    for node in layout.nodes.values():
        later = any(is_true(node.xml.extension(name)) for name in ("asyncAfter", "asyncLeave"))
        if node.tag == "eventBasedGateway" and later:
            message = "An event-based gateway has no asynchronous continuation after it."
            reading.problem(node.xml, "async-after", message)


def _can_race(node: NodeXml, reading: ProcessReading) -> bool:
    if node.tag == "receiveTask":
        return True
    kinds = {xml.tag.removesuffix("EventDefinition") for xml in reading.event_definitions(node.xml)}
    return node.tag == "intermediateCatchEvent" and kinds <= _RACING
