"""Which node of one version becomes which of another, and the rules for that (semantics §12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from bpm.core.errors import Problem
from bpm.core.graph import Activity, FlowId, Graph, MultiInstance, Node, NodeId

Mapped = Mapping[NodeId, NodeId]


def generate(source: Graph, target: Graph) -> dict[NodeId, NodeId]:
    """Return the nodes that have a counterpart of the same id, of the same kind and in the same place."""
    mapped: dict[NodeId, NodeId] = {}
    nodes = sorted(source.nodes.values(), key=lambda node: node.order)
    # A boundary event may stand before its activity in the file.
    for node in sorted(nodes, key=lambda node: node.attached_to is not None):
        other = target.nodes.get(node.id)
        if other is not None and not any(_node_problems(source, target, mapped, node, other)):
            mapped[node.id] = other.id
    return mapped


def plan_problems(source: Graph, target: Graph, mapped: Mapped) -> list[Problem]:
    """Return everything that is wrong with a plan, whatever the instance; `element` is the source node."""
    problems: list[Problem] = []
    used = Counter(mapped.values())
    for name, image in mapped.items():
        node, other = source.nodes.get(name), target.nodes.get(image)
        if node is None:
            problems.append(_problem(name, "source-node", f"The source version has no node {name!r}."))
        elif other is None:
            problems.append(_problem(name, "target-node", f"The target version has no node {image!r}."))
        else:
            problems += _node_problems(source, target, mapped, node, other)
        if used[image] > 1:
            problems.append(_problem(name, "mapped-twice", f"{image} is the target of several nodes."))
    return problems


def _node_problems(
    source: Graph, target: Graph, mapped: Mapped, node: Node, other: Node
) -> Iterator[Problem]:
    if node.tag != other.tag:
        message = f"{node.id} is a {node.tag}, {other.id} a {other.tag}."
        yield _problem(node.id, "type-differs", message)
    elif _traits(node) != _traits(other):
        message = (
            f"{other.id} is not of the same kind as {node.id}: loop, trigger or event subprocess differ."
        )
        yield _problem(node.id, "kind-differs", message)
    if _image_of_scope(source, target, mapped, node.scope) != other.scope:
        message = f"{other.id} does not stand in what {node.scope} becomes."
        yield _problem(node.id, "scope-differs", message)
    if node.attached_to is not None and mapped.get(node.attached_to) != other.attached_to:
        message = f"{other.id} is not attached to what {node.attached_to} becomes."
        yield _problem(node.id, "host-differs", message)


def _image_of_scope(source: Graph, target: Graph, mapped: Mapped, scope: NodeId) -> NodeId | None:
    return target.key if scope == source.key else mapped.get(scope)


def _traits(node: Node) -> tuple[Any, ...]:
    """Return what must be the same of two nodes so that what goes on at one can go on at the other."""
    loop = getattr(node, "loop", None)
    sequential = loop.sequential if isinstance(loop, MultiInstance) else None
    return (
        type(loop).__name__,
        sequential,
        bool(getattr(node, "triggered", False)),
        isinstance(node, Activity) and node.for_compensation,
        tuple(tag for tag, _ in getattr(node, "triggers", ())),
        node.joins,
    )


def flow_image(source: Graph, target: Graph, mapped: Mapped, flow: FlowId) -> FlowId | None:
    """Return the flow of the target on which a token stands that came by a flow of the source, None without one.

    The one of the same id that leads to the same node, else the only one between the same nodes.
    """
    old = source.flows.get(flow)
    if old is None:
        return None
    start, end = mapped.get(old.source), mapped.get(old.target)
    same = target.flows.get(flow)
    if same is not None and same.target == end and start in (None, same.source):
        return flow
    between = [one.id for one in target.flows.values() if (one.source, one.target) == (start, end)]
    if len(between) == 1:
        return between[0]
    return flow if same is not None and same.target == end else None


def _problem(element: str, rule: str, message: str) -> Problem:
    return Problem(element, 0, rule, message)
