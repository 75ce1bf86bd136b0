"""Rules of what waits for messages, signals and conditions: starts of processes, and several who wait for the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bpm.bpmn.layout import Layout, NodeXml
from bpm.bpmn.process_reading import ProcessReading
from bpm.bpmn.starts import starts_of
from bpm.bpmn.tags import is_true
from bpm.core.xml import XmlElement

_REFERENCES = {"message": "messageRef", "signal": "signalRef"}


class _Wait(NamedTuple):
    """Who waits (with the element that says so), for which kind of thing, under which name or condition."""

    node: NodeXml
    kind: str
    what: str


def check_start_names(layout: Layout, reading: ProcessReading) -> None:
    """A message or signal that starts a process has a constant name: there are no variables yet."""
    for wait in _starts(layout, reading):
        computed = "${" in wait.what or "#{" in wait.what or wait.what.startswith("=")
        if wait.kind in _REFERENCES and computed:
            message = f"The name {wait.what!r} of a {wait.kind} that starts a process cannot be computed."
            reading.problem(wait.node.xml, "start-name", message)


def check_instantiating_receive_tasks(layout: Layout, reading: ProcessReading) -> None:
    """A receive task that starts instances says by which message, and stands at the process's beginning."""
    for node in layout.nodes.values():
        if node.tag != "receiveTask" or not is_true(node.xml.get("instantiate")):
            continue
        if not node.xml.get("messageRef"):
            message = "A receive task that starts instances needs a messageRef."
            reading.problem(node.xml, "message-reference", message)
        if layout.incoming.get(node.id):
            message = "A receive task that starts instances has no incoming flow."
            reading.problem(node.xml, "incoming-flow", message)


def check_same_starts(layout: Layout, reading: ProcessReading) -> None:
    """No two starts of a process wait for the same message or condition: one thing would start two instances."""
    _refuse_repeated(reading, (one for one in _starts(layout, reading) if one.kind != "signal"))


def check_same_waits(layout: Layout, reading: ProcessReading) -> None:
    """At one activity, and in one scope, no two events wait for the same message."""
    for boundary in layout.boundaries.values():
        _refuse_repeated(reading, _messages(boundary, reading))
    for scope in layout.scopes.values():
        inner = [layout.scopes[name] for name in scope.nodes if name in layout.scopes]
        handlers = [one for one in inner if is_true(one.xml.get("triggeredByEvent"))]
        inside = [layout.nodes[start] for handler in handlers for start in handler.nodes]
        starts = (node for node in inside if node.tag == "startEvent")
        _refuse_repeated(reading, _messages(starts, reading))


def _messages(nodes: Iterable[NodeXml], reading: ProcessReading) -> Iterator[_Wait]:
    return (wait for node in nodes for wait in _waits(node, reading) if wait.kind == "message")


def _refuse_repeated(reading: ProcessReading, waits: Iterable[_Wait]) -> None:
    first: dict[tuple[str, str], NodeXml] = {}
    for wait in waits:
        other = first.setdefault((wait.kind, wait.what), wait.node)
        if other is not wait.node:
            message = f"{other.id!r} waits for the {wait.kind} {wait.what!r} already."
            reading.problem(wait.node.xml, f"same-{wait.kind}", message)


def _starts(layout: Layout, reading: ProcessReading) -> Iterator[_Wait]:
    for name in starts_of(layout, layout.scopes[layout.key]).triggered:
        node = layout.nodes[name]
        for waiting in layout.targets(name) if node.tag == "eventBasedGateway" else [node]:
            yield from _waits(waiting, reading)


def _waits(node: NodeXml, reading: ProcessReading) -> Iterator[_Wait]:
    if node.tag == "receiveTask":
        yield from _named(node, node.xml, "message", reading)
        return
    for definition in reading.event_definitions(node.xml):
        kind = definition.tag.removesuffix("EventDefinition")
        if kind in _REFERENCES:
            yield from _named(node, definition, kind, reading)
        elif kind == "conditional":
            yield _Wait(node, "condition", definition.child_text("condition") or "")


def _named(node: NodeXml, xml: XmlElement, kind: str, reading: ProcessReading) -> Iterator[_Wait]:
    found = reading.root_element(xml.get(_REFERENCES[kind]))
    if found is not None:
        yield _Wait(node, kind, found.get("name").strip())
