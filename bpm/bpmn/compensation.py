"""Which activity has which compensation handler: boundary event, association, activity (semantics §8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpm.bpmn.layout import Layout, NodeXml, ScopeXml
from bpm.bpmn.tags import is_true

if TYPE_CHECKING:
    from bpm.bpmn.process_reading import ProcessReading

COMPENSATE = "compensateEventDefinition"


def compensation_boundaries(layout: Layout, reading: ProcessReading) -> list[NodeXml]:
    """Return the boundary events of compensation, in document order."""
    return [
        node
        for node in layout.nodes.values()
        if node.tag == "boundaryEvent" and reading.has_definition(node.xml, COMPENSATE)
    ]


def handlers_by_activity(layout: Layout, reading: ProcessReading) -> dict[str, str]:
    """Return activities with the ids of their compensation handlers."""
    found: dict[str, str] = {}
    for boundary in compensation_boundaries(layout, reading):
        host = layout.node(boundary.xml.get("attachedToRef"))
        handlers = layout.associated.get(boundary.id)
        if host is not None and handlers:
            found[host.id] = handlers[0].id
    return found


def compensating_event_subprocesses(
    layout: Layout, scope: ScopeXml, reading: ProcessReading
) -> list[NodeXml]:
    """Return the event subprocesses directly inside a scope that compensate it."""
    nodes = (layout.nodes[name] for name in scope.nodes)
    return [
        node
        for node in nodes
        if is_true(node.xml.get("triggeredByEvent"))
        and any(reading.has_definition(start, COMPENSATE) for start in node.xml.all("startEvent"))
    ]
