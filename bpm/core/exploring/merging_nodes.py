"""Where tokens are made to pause so that every order of theirs is seen (an asynchronous continuation before the node).

A command runs until all tokens rest, so two tokens that pass one node at different times are never seen there
together unless the node is one at which tokens rest. Two kinds of nodes need it:

    merging   several ways lead in, no join, in a scope where several tokens can be
    looping   on a cycle of nodes none of which rests: a loop of free choices in one command would have no end
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from bpm.core.elements.registry import ELEMENTS
from bpm.core.graph import Activity, Graph, Node, NodeId


def merging_nodes(graph: Graph) -> frozenset[NodeId]:
    """Return the nodes before which tokens shall pause."""
    ways = Counter(target for node in graph.nodes.values() for target in successors(graph, node))
    crowded = _scopes_with_several_tokens(graph)
    looping = _between_cycles(graph)
    return frozenset(
        name
        for name, node in graph.nodes.items()
        if ways[name] > 1
        and not _rests(node)
        and ((node.joins is None and node.scope in crowded and node.outgoing) or _loops(node, looping))
    )


def successors(graph: Graph, node: Node) -> list[NodeId]:
    """Return where a token can go directly from a node, a link's other side included."""
    targets = [graph.flows[flow].target for flow in node.outgoing]
    return targets if node.jump is None else [*targets, node.jump]


def _rests(node: Node) -> bool:
    return node.before or ELEMENTS[node.tag].rests(node)


def _loops(node: Node, looping: Iterable[NodeId]) -> bool:
    return node.id in looping and node.joins not in ("parallel", "quantity")


def _scopes_with_several_tokens(graph: Graph) -> set[NodeId]:
    found = {scope.id for scope in graph.scopes.values() if len(scope.starts) > 1}
    found |= {node.scope for node in graph.nodes.values() if _multiplies(node)}
    triggered = graph.extras.get("triggered_starts", ())
    return found | (
        {graph.key} if any(graph.nodes[name].tag == "eventBasedGateway" for name in triggered) else set()
    )


def _multiplies(node: Node) -> bool:
    copies = isinstance(node, Activity) and node.completion_quantity > 1
    beside = node.attached_to is not None and not ELEMENTS[node.tag].interrupts(node)
    return node.forks or copies or beside


def _between_cycles(graph: Graph) -> set[NodeId]:
    """Return the nodes that remain when those without a way in, or without one out, are taken away again and again.

    Looks at nodes only at which no token rests. What remains lies on a cycle or between two.
    """
    left = {name for name, node in graph.nodes.items() if not _rests(node)}
    ahead = {name: [to for to in successors(graph, graph.nodes[name]) if to in left] for name in left}
    behind: dict[NodeId, list[NodeId]] = {name: [] for name in left}
    for name, targets in ahead.items():
        for target in targets:
            behind[target].append(name)
    for forward, backward in ((ahead, behind), (behind, ahead)):
        waiting = [name for name in left if not any(to in left for to in forward[name])]
        while waiting:
            name = waiting.pop()
            if name in left:
                left.discard(name)
                waiting += [
                    one for one in backward[name] if one in left and not left.intersection(forward[one])
                ]
    return left
