"""Which tokens can still come to a join (semantics §3)."""

from __future__ import annotations

from bpm.core.graph import FlowId, Graph, Node, NodeId
from bpm.core.token import Token


def upstream(graph: Graph, join: NodeId) -> dict[FlowId, frozenset[NodeId]]:
    """Return incoming flow to the nodes of the scope from which a token can come to it without passing the join.

    A token at such a node has not left it yet. Boundary events count as successors of their activity, a link catch as
    one of its throws.
    """
    cached = graph.upstream.get(join)
    if cached is None:
        cached = {flow: _sources(graph, join, flow) for flow in graph.nodes[join].incoming}
        graph.upstream[join] = cached
    return cached


def can_come(graph: Graph, token: Token, join: Node, flow: FlowId) -> bool:
    """Return whether a token that does not wait at the join can come to one of its flows without passing it.

    The output of an earlier firing that has not left the join yet may come round again.
    """
    sources = upstream(graph, join.id)[flow]
    if token.node != join.id:
        return token.node in sources
    if token.phase:
        return any(name == flow or graph.flows[name].target in sources for name in join.outgoing)
    return token.flow == flow and token.join is None


def _sources(graph: Graph, join: NodeId, flow: FlowId) -> frozenset[NodeId]:
    found: set[NodeId] = set()
    stack = [graph.flows[flow].source]
    while stack:
        name = stack.pop()
        if name == join or name in found:
            continue
        found.add(name)
        node = graph.nodes[name]
        stack.extend(graph.flows[incoming].source for incoming in node.incoming)
        stack.extend(graph.jumps.get(name, ()))
        if node.attached_to is not None:
            stack.append(node.attached_to)
    return frozenset(found)
