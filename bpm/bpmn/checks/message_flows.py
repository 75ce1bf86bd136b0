"""Message flows document; no message is ever sent along one."""

from __future__ import annotations

from bpm.bpmn.layout import Layout
from bpm.bpmn.process_reading import ProcessReading


def check_message_flows(layout: Layout, reading: ProcessReading) -> None:
    """Message flows of the process's nodes are ignored."""
    for node in layout.nodes:
        for flow in reading.elements.message_flows.get(node, ()):
            reading.warning(flow, "message-flow", "Message flows are drawn only; the engine ignores them.")
