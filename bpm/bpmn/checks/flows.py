"""Which nodes may have incoming and outgoing flows."""

from __future__ import annotations

from bpm.bpmn.layout import Layout, NodeXml
from bpm.bpmn.process_reading import ProcessReading
from bpm.bpmn.tags import GATEWAYS, is_true


def check_starts_have_no_incoming(layout: Layout, reading: ProcessReading) -> None:
    """Nothing leads to a start event, a boundary event or an event subprocess."""
    for node in layout.nodes.values():
        if layout.incoming.get(node.id) and _begins_on_its_own(node):
            reading.problem(
                node.xml, "incoming-flow", f"{_named(node)} has no incoming flow: its event starts it."
            )


def check_ends_have_no_outgoing(layout: Layout, reading: ProcessReading) -> None:
    """Nothing leaves an end event, an event subprocess or a compensation handler's event."""
    for node in layout.nodes.values():
        if not layout.outgoing.get(node.id):
            continue
        if node.tag == "endEvent":
            reading.problem(node.xml, "outgoing-flow", "An end event has no outgoing flow.")
        elif _is_event_subprocess(node):
            reading.problem(node.xml, "outgoing-flow", "An event subprocess has no outgoing flow.")
        elif node.tag == "boundaryEvent" and reading.has_definition(node.xml, "compensateEventDefinition"):
            message = "A compensation boundary event leads to its handler by an association, not by a flow."
            reading.problem(node.xml, "outgoing-flow", message)


def check_intermediate_events_are_reached(layout: Layout, reading: ProcessReading) -> None:
    """An intermediate event stands in the flow.

    A throw event with a trigger may begin a scope that has no start event; a mere milestone may not.
    """
    for node in layout.nodes.values():
        if layout.incoming.get(node.id) or reading.has_definition(node.xml, "linkEventDefinition"):
            continue
        begins = reading.event_definitions(node.xml) and not _has_start(layout, node)
        if node.tag == "intermediateCatchEvent" or (node.tag == "intermediateThrowEvent" and not begins):
            reading.problem(node.xml, "no-incoming-flow", "An intermediate event needs an incoming flow.")


def check_gateways_are_connected(layout: Layout, reading: ProcessReading) -> None:
    """A gateway without any flow decides nothing."""
    for node in layout.nodes.values():
        connected = layout.incoming.get(node.id) or layout.outgoing.get(node.id)
        if node.tag in GATEWAYS and not connected:
            reading.problem(node.xml, "gateway-without-flows", "The gateway has no flow at all.")


def _has_start(layout: Layout, node: NodeXml) -> bool:
    return any(layout.nodes[name].tag == "startEvent" for name in layout.scopes[node.scope].nodes)


def _is_event_subprocess(node: NodeXml) -> bool:
    return is_true(node.xml.get("triggeredByEvent"))


def _begins_on_its_own(node: NodeXml) -> bool:
    return node.tag in ("startEvent", "boundaryEvent") or _is_event_subprocess(node)


def _named(node: NodeXml) -> str:
    return {"startEvent": "A start event", "boundaryEvent": "A boundary event"}.get(
        node.tag, "An event subprocess"
    )
