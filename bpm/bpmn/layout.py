"""One process laid out: its scopes, flow nodes and the flows that hold.

`sourceRef` and `targetRef` are the truth about flows; the `incoming` and `outgoing` children are not read.
Whatever is wrong with ids and references is reported here, so that all else can rely on the layout.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from bpm.bpmn.namespaces import local_part
from bpm.core.xml import XmlElement


class NodeXml(NamedTuple):
    """A flow node: its id (made up where it has none), XML, scope and position in the document."""

    id: str
    xml: XmlElement
    scope: str
    order: int

    @property
    def tag(self) -> str:
        """The element's name."""
        return self.xml.tag


class FlowXml(NamedTuple):
    """A sequence flow whose two ends are flow nodes of one scope."""

    id: str
    xml: XmlElement
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class ScopeXml:
    """The inside of the process or of a subprocess element; `nodes` in document order."""

    id: str
    parent: str | None
    xml: XmlElement
    nodes: list[str] = field(default_factory=list)


@dataclass
class Layout:
    """One process.

    Attributes:
        key: the process's id.
        flow_elements: all sequence flows as they stand in the file, the broken ones too.
        ids: identity of a flow node's XML to its id.
    """

    key: str
    xml: XmlElement
    scopes: dict[str, ScopeXml] = field(default_factory=dict)
    nodes: dict[str, NodeXml] = field(default_factory=dict)
    flows: dict[str, FlowXml] = field(default_factory=dict)
    flow_elements: list[tuple[str, XmlElement]] = field(default_factory=list)
    ids: dict[int, str] = field(default_factory=dict)
    incoming: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    outgoing: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def node(self, reference: str) -> NodeXml | None:
        """Return the flow node that a QName names."""
        name = reference.strip()
        return self.nodes.get(name) or self.nodes.get(local_part(name))

    @cached_property
    def boundaries(self) -> dict[str, list[NodeXml]]:
        """Activities with their boundary events, in document order; asked for when everything is laid out."""
        found: dict[str, list[NodeXml]] = {}
        for node in self.nodes.values():
            host = self.node(node.xml.get("attachedToRef")) if node.tag == "boundaryEvent" else None
            if host is not None:
                found.setdefault(host.id, []).append(node)
        return found

    @cached_property
    def associated(self) -> dict[str, list[NodeXml]]:
        """Flow nodes with those that associations connect them with, drawn in either direction, in any scope."""
        found: dict[str, list[NodeXml]] = {}
        for scope in self.scopes.values():
            for association in scope.xml.all("association"):
                source, target = (self.node(association.get(end)) for end in ("sourceRef", "targetRef"))
                if source is not None and target is not None and source.id != target.id:
                    found.setdefault(source.id, []).append(target)
                    found.setdefault(target.id, []).append(source)
        return found

    def sources(self, node: str) -> list[NodeXml]:
        """Return the nodes at the other end of its incoming flows."""
        return [self.nodes[self.flows[flow].source] for flow in self.incoming.get(node, ())]

    def targets(self, node: str) -> list[NodeXml]:
        """Return the nodes at the other end of its outgoing flows."""
        return [self.nodes[self.flows[flow].target] for flow in self.outgoing.get(node, ())]
