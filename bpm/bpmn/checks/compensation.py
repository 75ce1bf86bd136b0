"""Compensation: which activity has which handler, what a throw can reach, and cancelling."""

from __future__ import annotations

from collections import defaultdict

from bpm.bpmn.compensation import (
    COMPENSATE,
    compensating_event_subprocesses,
    compensation_boundaries,
)
from bpm.bpmn.layout import Layout, NodeXml
from bpm.bpmn.process_reading import ProcessReading
from bpm.bpmn.tags import ACTIVITIES, is_true

CANCEL = "cancelEventDefinition"


def check_handlers(layout: Layout, reading: ProcessReading) -> None:
    """What a compensation boundary event is associated with is an activity for compensation."""
    for boundary in compensation_boundaries(layout, reading):
        handlers = layout.associated.get(boundary.id, [])
        for handler in handlers:
            if handler.tag not in ACTIVITIES or not is_true(handler.xml.get("isForCompensation")):
                message = "A compensation handler is an activity with isForCompensation."
                reading.problem(handler.xml, "compensation-handler", message)
        if len(handlers) > 1:
            names = ", ".join(repr(handler.id) for handler in handlers)
            message = f"The compensation boundary event has more than one handler: {names}."
            reading.problem(boundary.xml, "several-compensations", message)
        if not handlers:
            message = "The compensation boundary event has no handler: nothing will be compensated."
            reading.warning(boundary.xml, "no-compensation-handler", message)


def check_handlers_stand_apart(layout: Layout, reading: ProcessReading) -> None:
    """No flow leads to an activity for compensation or away from it."""
    for node in layout.nodes.values():
        connected = layout.incoming.get(node.id) or layout.outgoing.get(node.id)
        if connected and is_true(node.xml.get("isForCompensation")):
            message = "An activity for compensation has no sequence flows."
            reading.problem(node.xml, "compensation-handler", message)


def check_boundary_is_alone(layout: Layout, reading: ProcessReading) -> None:
    """A compensation boundary event catches nothing else."""
    for boundary in compensation_boundaries(layout, reading):
        if any(definition.tag != COMPENSATE for definition in reading.event_definitions(boundary.xml)):
            message = "A compensation boundary event has no other event definition."
            reading.problem(boundary.xml, "event-definition", message)


def check_one_handler(layout: Layout, reading: ProcessReading) -> None:
    """An activity is compensated in one way: one boundary event, or one event subprocess inside."""
    attached: defaultdict[str, list[NodeXml]] = defaultdict(list)
    for node in compensation_boundaries(layout, reading):
        attached[node.xml.get("attachedToRef").strip()].append(node)
    for host, nodes in attached.items():
        if len(nodes) > 1:
            names = ", ".join(repr(node.id) for node in nodes)
            message = f"{host!r} has more than one compensation boundary event: {names}."
            reading.problem(nodes[1].xml, "several-compensations", message)
    for scope in layout.scopes.values():
        inside = compensating_event_subprocesses(layout, scope, reading)
        ways = [*attached.get(scope.id, [])[:1], *inside]
        if scope.parent is None and inside:
            message = "The process itself is never compensated: this event subprocess would never run."
            reading.problem(inside[0].xml, "compensation-handler", message)
        elif inside and len(ways) > 1:
            names = ", ".join(repr(node.id) for node in ways)
            message = f"{scope.id!r} is compensated in more than one way: {names}."
            reading.problem(ways[1].xml, "several-compensations", message)


def check_references(layout: Layout, reading: ProcessReading) -> None:
    """A thrown compensation names an activity of its scope; from an event subprocess also one around it."""
    for node in layout.nodes.values():
        if node.tag not in ("intermediateThrowEvent", "endEvent"):
            continue
        for definition in reading.event_definitions(node.xml):
            reference = definition.get("activityRef").strip()
            if definition.tag != COMPENSATE or not reference:
                continue
            named = layout.node(reference)
            if named is None or named.tag not in ACTIVITIES or named.scope not in _seen(layout, node.scope):
                message = (
                    f"The activityRef {reference!r} names no activity that can be compensated from here."
                )
                reading.problem(node.xml, "compensation-reference", message)


def _seen(layout: Layout, scope: str) -> list[str]:
    """Return the scopes whose activities an event in a scope can name."""
    found = [scope]
    while is_true(layout.scopes[found[-1]].xml.get("triggeredByEvent")):
        parent = layout.scopes[found[-1]].parent
        if parent is None:
            break
        found.append(parent)
    return found


def check_one_cancel(layout: Layout, reading: ProcessReading) -> None:
    """A transaction has one cancel boundary event at most."""
    attached: defaultdict[str, list[NodeXml]] = defaultdict(list)
    for node in layout.nodes.values():
        if node.tag == "boundaryEvent" and reading.has_definition(node.xml, CANCEL):
            attached[node.xml.get("attachedToRef").strip()].append(node)
    for host, nodes in attached.items():
        if len(nodes) > 1:
            names = ", ".join(repr(node.id) for node in nodes)
            message = f"{host!r} has more than one cancel boundary event: {names}."
            reading.problem(nodes[1].xml, "several-cancel-events", message)
