"""Listeners: expressions, at events that the engine knows, in places that a token passes (semantics §9)."""

from __future__ import annotations

from typing import Final

from bpm.bpmn.file_index import walk
from bpm.bpmn.layout import Layout
from bpm.bpmn.process_reading import ProcessReading
from bpm.bpmn.tags import FLOW_NODES
from bpm.core.xml import CAMUNDA, XmlElement

_AT_NODES: Final = frozenset({"start", "end"})
_AT_FLOWS: Final = frozenset({"take"})
_AT_USER_TASKS: Final = frozenset({"create", "assignment", "complete"})


def check_listeners(layout: Layout, reading: ProcessReading) -> None:
    """A listener has an expression, since Java classes cannot be run here, and stands where it will be called."""
    for owner in walk(layout.xml):
        for tag in ("executionListener", "taskListener"):
            for listener in owner.extensions(tag, CAMUNDA):
                _check(listener, owner, reading)


def _check(listener: XmlElement, owner: XmlElement, reading: ProcessReading) -> None:
    event = listener.get("event")
    if not listener.get("expression").strip():
        message = "A listener needs an expression: classes, delegates and scripts are not supported."
        reading.problem(listener, "listener", message)
    elif event not in _events_at(owner, listener.tag):
        message = f"A {listener.tag} for the event {event!r} is not supported at the {owner.tag}."
        reading.problem(listener, "unsupported-element", message)


def _events_at(owner: XmlElement, tag: str) -> frozenset[str]:
    if tag == "taskListener":
        return _AT_USER_TASKS if owner.tag == "userTask" else frozenset()
    if owner.tag == "sequenceFlow":
        return _AT_FLOWS
    return _AT_NODES if owner.tag in FLOW_NODES or owner.tag == "process" else frozenset()
