"""What of one process or subprocess is to be drawn, read from its XML as it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from bpm.bpmn.drawing.shapes import local
from bpm.bpmn.tags import FLOW_NODES

_THINGS: Final = frozenset({"dataObjectReference", "dataStoreReference", "textAnnotation"})


@dataclass(slots=True)
class Scope:
    """One inside.

    Attributes:
        nodes: flow nodes but boundary events, by id, in document order.
        boundaries: activity to its boundary events.
        hosts: boundary event to its activity.
        flows: (id, source, target) whose ends both are in here.
        links: associations between flow nodes, likewise.
        things: data references and annotations, by id.
        ties: (id, source, target) of associations with a thing at an end, data associations included.
        lanes: leaf lanes with their nodes, in document order.
    """

    nodes: dict[str, Any] = field(default_factory=dict)
    boundaries: dict[str, list[str]] = field(default_factory=dict)
    hosts: dict[str, str] = field(default_factory=dict)
    flows: list[tuple[str, str, str]] = field(default_factory=list)
    links: list[tuple[str, str, str]] = field(default_factory=list)
    things: dict[str, Any] = field(default_factory=dict)
    ties: list[tuple[str, str, str]] = field(default_factory=list)
    lanes: dict[str, list[str]] = field(default_factory=dict)


def read_scope(xml: Any) -> Scope:
    """Return what is directly inside a process or subprocess; every element has an id by now."""
    scope = Scope()
    for child in xml:
        tag, name = local(child), child.get("id", "")
        if tag == "boundaryEvent":
            host = _name(child.get("attachedToRef", ""))
            scope.hosts[name] = host
            scope.boundaries.setdefault(host, []).append(name)
        elif tag in FLOW_NODES:
            scope.nodes[name] = child
        elif tag in _THINGS:
            scope.things[name] = child
        elif tag == "laneSet":
            _read_lanes(child, scope)
    _drop_unattached(xml, scope)
    for child in xml:
        if local(child) in ("sequenceFlow", "association"):
            _read_edge(child, scope)
    for node in scope.nodes.values():
        _read_data(node, scope)
    return scope


def _drop_unattached(xml: Any, scope: Scope) -> None:
    """Let boundary events whose activity is not in here stand on their own."""
    for event in [event for event, host in scope.hosts.items() if host not in scope.nodes]:
        host = scope.hosts.pop(event)
        scope.boundaries.pop(host, None)
        scope.nodes[event] = next(child for child in xml if child.get("id") == event)


def _read_edge(xml: Any, scope: Scope) -> None:
    ends = [_name(xml.get(end, "")) for end in ("sourceRef", "targetRef")]
    flow_ends = [end in scope.nodes or end in scope.hosts for end in ends]
    edge = (xml.get("id", ""), ends[0], ends[1])
    if local(xml) == "sequenceFlow":
        if all(flow_ends):
            scope.flows.append(edge)
    elif all(flow_ends):
        scope.links.append(edge)
    elif all(end in scope.things or known for end, known in zip(ends, flow_ends, strict=True)):
        scope.ties.append(edge)


def _read_data(node: Any, scope: Scope) -> None:
    for child in node:
        tag = local(child)
        if tag not in ("dataInputAssociation", "dataOutputAssociation"):
            continue
        wanted = "sourceRef" if tag == "dataInputAssociation" else "targetRef"
        for part in child:
            thing = _name(part.text or "") if local(part) == wanted else ""
            if thing in scope.things:
                owner = node.get("id")
                ends = (thing, owner) if wanted == "sourceRef" else (owner, thing)
                scope.ties.append((child.get("id", ""), *ends))


def _read_lanes(lane_set: Any, scope: Scope) -> None:
    for lane in lane_set:
        if local(lane) != "lane":
            continue
        inner = [child for child in lane if local(child) == "childLaneSet"]
        if inner:
            for child in inner:
                _read_lanes(child, scope)
        else:
            held = [_name(child.text or "") for child in lane if local(child) == "flowNodeRef"]
            scope.lanes[lane.get("id", "")] = held


def _name(reference: str) -> str:
    return reference.strip().rpartition(":")[2]
