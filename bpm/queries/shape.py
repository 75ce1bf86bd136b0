"""What a page must know of a version's graph: names, and where flows lead."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from bpm.queries.definitions import find_definition
from bpm.shell.definitions import graph_of


@dataclass(frozen=True, slots=True)
class NodeShape:
    """One flow node: `tag` is its element's name, `scope_id` the process or subprocess that it is in."""

    node_id: str
    name: str
    tag: str
    scope_id: str


@dataclass(frozen=True, slots=True)
class GraphShape:
    """One version. `flows`: sequence flow to its two ends."""

    nodes: dict[str, NodeShape]
    flows: dict[str, tuple[str, str]]


def graph_shape(definition_id: str | UUID, *, tenant: str) -> GraphShape:
    """Return nodes and flows. One statement, one more the first time a process needs the graph.

    Raises:
        DefinitionNotFound: there is none of this id in this tenant.
    """
    graph = graph_of(str(find_definition(definition_id, tenant=tenant).definition_id))
    nodes = {node.id: NodeShape(node.id, node.name, node.tag, node.scope) for node in graph.nodes.values()}
    return GraphShape(nodes, {flow.id: (flow.source, flow.target) for flow in graph.flows.values()})
