"""Where a scope begins (semantics §4)."""

from __future__ import annotations

from typing import NamedTuple

from bpm.bpmn.layout import Layout, NodeXml, ScopeXml
from bpm.bpmn.tags import ACTIVITIES, GATEWAYS, is_event_definition, is_true
from bpm.core.xml import XmlElement


class Starts(NamedTuple):
    """The nodes that get a scope's first tokens: at once (`none`), or when a trigger comes (`triggered`)."""

    none: tuple[str, ...]
    triggered: tuple[str, ...]


def starts_of(layout: Layout, scope: ScopeXml) -> Starts:
    """Return where the scope begins.

    None start events if there are any; in a scope without any start event, everything without incoming
    flow that can begin by itself.
    """
    nodes = [layout.nodes[name] for name in scope.nodes]
    starts = [node for node in nodes if node.tag == "startEvent"]
    triggered = tuple(node.id for node in nodes if is_triggered_start(node.xml))
    if starts or triggered:
        return Starts(tuple(node.id for node in starts if node.id not in triggered), triggered)
    return Starts(tuple(node.id for node in nodes if begins_by_itself(node, layout)), ())


def is_triggered_start(xml: XmlElement) -> bool:
    """Return whether an instance is started here by something that comes."""
    if xml.tag == "startEvent":
        return has_trigger(xml)
    return xml.tag in ("receiveTask", "eventBasedGateway") and is_true(xml.get("instantiate"))


def has_trigger(event: XmlElement) -> bool:
    """Return whether an event has an event definition, inside or referenced."""
    return any(is_event_definition(child) or child.tag == "eventDefinitionRef" for child in event.children)


def begins_by_itself(node: NodeXml, layout: Layout) -> bool:
    """Return whether the node gets a token at once in a scope that has no start event."""
    if layout.incoming.get(node.id):
        return False
    if node.tag in ACTIVITIES:
        xml = node.xml
        return not is_true(xml.get("triggeredByEvent")) and not is_true(xml.get("isForCompensation"))
    return node.tag in GATEWAYS or node.tag == "intermediateThrowEvent"
