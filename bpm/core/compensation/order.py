"""Which handler waits for which other one (semantics §8)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bpm.core.graph import Activity, Graph, MultiInstance, NodeId
from bpm.core.rows import CompensationRecord


def may_start(
    graph: Graph, record: CompensationRecord, unfinished: Iterable[CompensationRecord], *, instances: bool
) -> bool:
    """Return whether no unfinished record holds a triggered one back, given the newest first.

    Args:
        instances: whether the record is one of the instances of its activity, as are all others of its scope.
    """
    if instances and _is_parallel(graph.nodes[record.node]):
        return True
    return not any(
        must_wait(graph, record, other, instances=instances) for other in unfinished if other is not record
    )


def _is_parallel(node: Any) -> bool:
    return isinstance(node.loop, MultiInstance) and not node.loop.sequential


def must_wait(
    graph: Graph, record: CompensationRecord, other: CompensationRecord, *, instances: bool
) -> bool:
    """Return whether a record is compensated only after another one.

    That is so where its activity lies before the other's on a path of flow (boundary events and links included), and
    where both are turns of one loop or instances of a sequential multi-instance, or were begun one after the other by a
    sequential ad-hoc subprocess. Where paths lead both ways, what was completed later is compensated first.

    Args:
        instances: whether the record is one of the instances of its activity.
    """
    if record.scope != other.scope:
        return False
    earlier = (record.position, record.id) < (other.position, other.id)
    node: Any = graph.nodes[record.node]
    if instances and record.node == other.node:
        return earlier and not _is_parallel(node)
    around: Any = graph.nodes.get(node.scope)
    if around is not None and getattr(around, "sequential", False):
        return earlier
    if other.node not in nodes_after(graph, record.node):
        return False
    return earlier or record.node not in nodes_after(graph, other.node)


def nodes_after(graph: Graph, node: NodeId) -> frozenset[NodeId]:
    """Return the nodes of the scope that can get a token after a node, the node itself only on a cycle."""
    found = graph.downstream.get(node)
    if found is None:
        found = graph.downstream[node] = _reached(graph, node)
    return found


def _reached(graph: Graph, start: NodeId) -> frozenset[NodeId]:
    found: set[NodeId] = set()
    stack = [start]
    while stack:
        for target in _successors(graph, stack.pop()):
            if target not in found:
                found.add(target)
                stack.append(target)
    return frozenset(found)


def _successors(graph: Graph, name: NodeId) -> list[NodeId]:
    node: Any = graph.nodes[name]
    targets = [graph.flows[flow].target for flow in node.outgoing]
    if isinstance(node, Activity):
        targets += node.boundary
    if node.jump is not None:
        targets.append(node.jump)
    return targets
