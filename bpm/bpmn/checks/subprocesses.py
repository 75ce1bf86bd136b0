"""Rules of subprocesses, and of where a scope begins."""

from __future__ import annotations

from bpm.bpmn.layout import Layout, NodeXml
from bpm.bpmn.process_reading import ProcessReading
from bpm.bpmn.starts import has_trigger
from bpm.bpmn.tags import is_true
from bpm.core.xml import ZEEBE


def check_none_starts(layout: Layout, reading: ProcessReading) -> None:
    """A process or embedded subprocess has at most one start event without trigger."""
    for scope in layout.scopes.values():
        if scope.xml.tag == "adHocSubProcess" or is_true(scope.xml.get("triggeredByEvent")):
            continue
        starts = [node for node in _starts(layout, scope.id) if not has_trigger(node.xml)]
        if len(starts) > 1:
            names = ", ".join(repr(node.id) for node in starts)
            message = f"{scope.id!r} has more than one start event without trigger: {names}."
            reading.problem(starts[1].xml, "several-none-starts", message)


def check_event_subprocesses(layout: Layout, reading: ProcessReading) -> None:
    """An event subprocess has exactly one start event."""
    for scope in layout.scopes.values():
        if is_true(scope.xml.get("triggeredByEvent")) and len(list(_starts(layout, scope.id))) != 1:
            reading.problem(
                scope.xml, "event-subprocess-start", "An event subprocess has exactly one start event."
            )


def check_nothing_around_event_subprocesses(layout: Layout, reading: ProcessReading) -> None:
    """No token enters an event subprocess: nothing that stands around an activity's work would ever take effect."""
    for scope in layout.scopes.values():
        if not is_true(scope.xml.get("triggeredByEvent")):
            continue
        mappings = (*scope.xml.extensions("inputOutput"), *scope.xml.extensions("ioMapping", ZEEBE))
        loops = any(child.tag.endswith("LoopCharacteristics") for child in scope.xml.children)
        if mappings or loops or is_true(scope.xml.get("isForCompensation")):
            message = "An event subprocess has no loop, no mappings, and is no compensation handler."
            reading.problem(scope.xml, "event-subprocess-content", message)
        for boundary in layout.boundaries.get(scope.id, ()):
            message = "A boundary event cannot be attached to an event subprocess."
            reading.problem(boundary.xml, "event-subprocess-content", message)


def check_starts(layout: Layout, reading: ProcessReading) -> None:
    """A subprocess with an end event has a start event."""
    for scope in layout.scopes.values():
        if scope.parent is None or scope.xml.tag == "adHocSubProcess" or list(_starts(layout, scope.id)):
            continue
        ends = any(layout.nodes[name].tag == "endEvent" for name in scope.nodes)
        if ends and not is_true(scope.xml.get("triggeredByEvent")):
            message = "A subprocess with an end event needs a start event."
            reading.problem(scope.xml, "subprocess-start", message)


def check_ad_hoc(layout: Layout, reading: ProcessReading) -> None:
    """An ad-hoc subprocess has no start and end events, and a known ordering."""
    for scope in layout.scopes.values():
        ordering = scope.xml.get("ordering", "Parallel").strip()
        if scope.xml.tag == "adHocSubProcess" and ordering not in ("Parallel", "Sequential"):
            message = f"The ordering {ordering!r} is neither Parallel nor Sequential."
            reading.problem(scope.xml, "ad-hoc-content", message)
    for node in layout.nodes.values():
        inside = layout.scopes[node.scope].xml
        if inside.tag == "adHocSubProcess" and node.tag in ("startEvent", "endEvent"):
            message = f"An ad-hoc subprocess has no {'start' if node.tag == 'startEvent' else 'end'} event."
            reading.problem(node.xml, "ad-hoc-content", message)


def _starts(layout: Layout, scope: str) -> list[NodeXml]:
    nodes = (layout.nodes[name] for name in layout.scopes[scope].nodes)
    return [node for node in nodes if node.tag == "startEvent"]
