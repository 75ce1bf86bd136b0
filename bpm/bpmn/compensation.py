"""Which activity has which compensation handler: boundary event, association, activity (semantics §8)."""

from __future__ import annotations

from collections.abc import Iterator
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


def associated_handlers(layout: Layout, boundary: NodeXml) -> Iterator[NodeXml]:
    """Yield the flow nodes that associations, drawn in either direction and in any scope, connect with an event."""
    for scope in layout.scopes.values():
        for association in scope.xml.all("association"):
            ends = [layout.node(association.get(end)) for end in ("sourceRef", "targetRef")]
            if boundary in ends:
                yield from (node for node in ends if node is not None and node.id != boundary.id)


def handlers_by_activity(layout: Layout, reading: ProcessReading) -> dict[str, str]:
    """Return activities with the ids of their compensation handlers."""
    found: dict[str, str] = {}
    for boundary in compensation_boundaries(layout, reading):
        host = layout.node(boundary.xml.get("attachedToRef"))
        handler = next(associated_handlers(layout, boundary), None)
        if host is not None and handler is not None:
            found[host.id] = handler.id
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
