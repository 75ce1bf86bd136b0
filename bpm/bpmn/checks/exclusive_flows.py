"""Flows of an exclusive gateway that can never be taken."""

from __future__ import annotations

from bpm.bpmn.flow_conditions import is_default
from bpm.bpmn.layout import Layout
from bpm.bpmn.process_reading import ProcessReading


def check_shadowed_flows(layout: Layout, reading: ProcessReading) -> None:
    """A flow without condition is always taken, so those after it, and the default, never are."""
    for node in layout.nodes.values():
        if node.tag != "exclusiveGateway":
            continue
        flows = [layout.flows[name] for name in layout.outgoing.get(node.id, ())]
        ordered = sorted(flows, key=lambda flow: is_default(flow, node.xml))
        for position, flow in enumerate(ordered[:-1]):
            if flow.xml.first("conditionExpression") is None and not is_default(flow, node.xml):
                names = ", ".join(repr(later.id) for later in ordered[position + 1 :])
                message = f"This flow has no condition and is always taken; {names} never."
                reading.warning(flow.xml, "flow-shadows-others", message)
                break
