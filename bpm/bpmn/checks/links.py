"""Link events: a jump inside one scope, paired by name or by the ids of their definitions."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from bpm.bpmn.layout import Layout, NodeXml
from bpm.bpmn.process_reading import ProcessReading
from bpm.core.xml import XmlElement


class _Link(NamedTuple):
    node: NodeXml
    definition: XmlElement

    @property
    def name(self) -> str:
        return self.definition.get("name").strip()


def check_link_flows(layout: Layout, reading: ProcessReading) -> None:
    """No flow leaves a link throw or leads to a link catch."""
    for link in _links(layout, reading, "intermediateThrowEvent"):
        if layout.outgoing.get(link.node.id):
            reading.problem(link.node.xml, "outgoing-flow", "A link throw event has no outgoing flow.")
    for link in _links(layout, reading, "intermediateCatchEvent"):
        if layout.incoming.get(link.node.id):
            reading.problem(link.node.xml, "incoming-flow", "A link catch event has no incoming flow.")


def check_link_pairs(layout: Layout, reading: ProcessReading) -> None:
    """A link throw has its catch in the same scope."""
    catches = _links(layout, reading, "intermediateCatchEvent")
    names = {(link.node.scope, link.name) for link in catches}
    ids = {(link.node.scope, link.definition.id) for link in catches}
    for link in _links(layout, reading, "intermediateThrowEvent"):
        scope, target = link.node.scope, link.definition.child_text("target") or ""
        if (scope, link.name) not in names and (scope, target) not in ids:
            message = f"No link catch event in this (sub)process is named {link.name!r}."
            reading.problem(link.node.xml, "link-target", message)


def check_link_catches(layout: Layout, reading: ProcessReading) -> None:
    """Names of link catches are unique in their scope."""
    by_name: defaultdict[tuple[str, str], list[_Link]] = defaultdict(list)
    for link in _links(layout, reading, "intermediateCatchEvent"):
        by_name[link.node.scope, link.name].append(link)
    for (_, name), links in by_name.items():
        if len(links) > 1:
            where = ", ".join(repr(link.node.id) for link in links)
            message = f"The link name {name!r} is caught more than once: {where}."
            reading.problem(links[1].node.xml, "link-target", message)


def check_link_references(layout: Layout, reading: ProcessReading) -> None:
    """`source` and `target` of a link name link event definitions."""
    for tag in ("intermediateThrowEvent", "intermediateCatchEvent"):
        for link in _links(layout, reading, tag):
            for end in ("source", "target"):
                reference = link.definition.child_text(end)
                found = reading.elements.find(reference) if reference else None
                if reference and (found is None or found.tag != "linkEventDefinition"):
                    message = f"The {end} {reference!r} of the link names no link event definition."
                    reading.problem(link.node.xml, "dangling-reference", message)


def _links(layout: Layout, reading: ProcessReading, tag: str) -> list[_Link]:
    return [
        _Link(node, definition)
        for node in layout.nodes.values()
        if node.tag == tag
        for definition in reading.event_definitions(node.xml)
        if definition.tag == "linkEventDefinition"
    ]
