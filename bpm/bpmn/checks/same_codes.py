"""Handlers of errors and escalations of which only the first can ever catch (semantics §4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bpm.bpmn.layout import Layout, NodeXml, ScopeXml
from bpm.bpmn.process_reading import ProcessReading
from bpm.bpmn.tags import is_true
from bpm.core.triggers.registry import TRIGGERS

_KINDS = {"errorEventDefinition": "error", "escalationEventDefinition": "escalation"}


class _Handler(NamedTuple):
    """An event that catches an error or escalation, by its code or, empty, all that no other one catches."""

    node: NodeXml
    kind: str
    code: str


def check_same_codes(layout: Layout, reading: ProcessReading) -> None:
    """At one activity, and in one scope, the first handler of a code gets it; others never run."""
    for boundary in layout.boundaries.values():
        _warn_of_repeated(_handlers(boundary, reading), reading)
    for scope in layout.scopes.values():
        _warn_of_repeated(_handlers(_inner_starts(layout, scope), reading), reading)


def _inner_starts(layout: Layout, scope: ScopeXml) -> Iterator[NodeXml]:
    """Yield the start events of the event subprocesses directly inside a scope."""
    for name in scope.nodes:
        inner = layout.scopes.get(name)
        if inner is not None and is_true(inner.xml.get("triggeredByEvent")):
            yield from (layout.nodes[one] for one in inner.nodes if layout.nodes[one].tag == "startEvent")


def _handlers(nodes: Iterable[NodeXml], reading: ProcessReading) -> Iterator[_Handler]:
    for node in nodes:
        for definition in reading.event_definitions(node.xml):
            if definition.tag in _KINDS:
                code = TRIGGERS[definition.tag].read(definition, reading).code
                yield _Handler(node, _KINDS[definition.tag], code.text if code is not None else "")


def _warn_of_repeated(handlers: Iterable[_Handler], reading: ProcessReading) -> None:
    first: dict[tuple[str, str], NodeXml] = {}
    for handler in handlers:
        winner = first.setdefault((handler.kind, handler.code), handler.node)
        if winner is not handler.node:
            what = f"the {handler.kind} {handler.code!r}" if handler.code else f"every other {handler.kind}"
            message = f"{winner.id!r} catches {what} already: this event never does."
            reading.warning(handler.node.xml, f"same-{handler.kind}", message)
