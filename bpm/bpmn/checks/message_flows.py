"""Message flows document; no message is ever sent along one."""

from __future__ import annotations

from bpm.bpmn.layout import Layout
from bpm.bpmn.process_reading import ProcessReading


def check_message_flows(layout: Layout, reading: ProcessReading) -> None:
    """Message flows of the process's nodes are ignored."""
    for collaboration in reading.elements.root.children:
        for flow in collaboration.all("messageFlow") if "id" in collaboration.attributes else ():
            if layout.node(flow.get("sourceRef")) or layout.node(flow.get("targetRef")):
                reading.warning(
                    flow, "message-flow", "Message flows are drawn only; the engine ignores them."
                )
