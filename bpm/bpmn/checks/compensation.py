"""Compensation: which activity has which handler."""

from __future__ import annotations

from collections import defaultdict

from bpm.bpmn.layout import Layout, NodeXml
from bpm.bpmn.process_reading import ProcessReading
from bpm.bpmn.tags import ACTIVITIES, is_true


def check_handlers(layout: Layout, reading: ProcessReading) -> None:
    """What a compensation boundary event is associated with is an activity for compensation."""
    boundaries = {node.id for node in _boundaries(layout, reading)}
    if not boundaries:
        return
    for scope in layout.scopes.values():
        for association in scope.xml.all("association"):
            handler = layout.node(association.get("targetRef"))
            if association.get("sourceRef").strip() not in boundaries or handler is None:
                continue
            if handler.tag not in ACTIVITIES or not is_true(handler.xml.get("isForCompensation")):
                message = "A compensation handler is an activity with isForCompensation."
                reading.problem(handler.xml, "compensation-handler", message)


def check_one_boundary(layout: Layout, reading: ProcessReading) -> None:
    """An activity has one compensation boundary event at most."""
    attached: defaultdict[str, list[NodeXml]] = defaultdict(list)
    for node in _boundaries(layout, reading):
        attached[node.xml.get("attachedToRef").strip()].append(node)
    for host, nodes in attached.items():
        if len(nodes) > 1:
            names = ", ".join(repr(node.id) for node in nodes)
            message = f"{host!r} has more than one compensation boundary event: {names}."
            reading.problem(nodes[1].xml, "several-compensations", message)


def _boundaries(layout: Layout, reading: ProcessReading) -> list[NodeXml]:
    return [
        node
        for node in layout.nodes.values()
        if node.tag == "boundaryEvent" and reading.has_definition(node.xml, "compensateEventDefinition")
    ]
