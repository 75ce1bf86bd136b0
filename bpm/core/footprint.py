"""Footprints: what a run may read before its tokens come to rest, found once per graph (architecture)."""

from __future__ import annotations

from bpm.core.elements.ad_hoc_subprocess import AdHocSubProcess
from bpm.core.elements.registry import ELEMENTS
from bpm.core.graph import Activity, Footprint, Graph, MultiInstance, Node, NodeId
from bpm.core.mappings import data_names, expressions_of


def footprint(graph: Graph, node: NodeId, *, leaving: bool) -> Footprint:
    """Return what a token reads that enters the node, or leaves it, and goes on until it rests.

    Joins count as passed, since the token may be the one that fires them.
    """
    key = (node, leaving)
    found = graph.footprints.get(key)
    if found is None:
        found = _find(graph, node, leaving=leaving)
        graph.footprints[key] = found
    return found


def _find(graph: Graph, start: NodeId, *, leaving: bool) -> Footprint:
    names: set[str] | None = set()
    joins: dict[NodeId, set[str]] = {}
    left: set[NodeId] = set()
    entered: set[NodeId] = set()
    stack = [(start, leaving)]
    while stack:
        name, leave = stack.pop()
        seen = left if leave else entered
        if name in seen:
            continue
        seen.add(name)
        node = graph.nodes[name]
        if leave:
            names = _union(names, _conditions(graph, name))
            names = _union(names, _around(node))
            around = graph.nodes.get(node.scope)
            if isinstance(around, AdHocSubProcess):
                names = _union(names, ELEMENTS[around.tag].reads(around))
                stack.extend((start, False) for start in graph.scopes[around.id].starts)
            if not node.outgoing and around is not None:
                stack.append((around.id, True))
            if node.jump is not None:
                stack.append((node.jump, False))
            for flow_id in node.outgoing:
                flow = graph.flows[flow_id]
                if graph.nodes[flow.target].joins is not None:
                    joins.setdefault(flow.target, set()).add(flow_id)
                stack.append((flow.target, False))
        else:
            element = ELEMENTS[node.tag]
            names = _union(_union(names, element.reads(node)), _around(node))
            inside = graph.scopes.get(name)
            stack.extend((inner, False) for inner in (inside.starts if inside is not None else ()))
            if not element.rests(node) and not node.before:
                stack.append((name, True))
    known = None if names is None else frozenset(names)
    return Footprint(known, {join: frozenset(flows) for join, flows in joins.items()})


def _around(node: Node) -> frozenset[str] | None:
    """Return the variables that listeners, the priority of jobs, mappings and the loop of a node read."""
    names: frozenset[str] = frozenset()
    expressions = [*node.on_start, *node.on_end]
    if node.job_priority is not None:
        expressions.append(node.job_priority)
    for mapping in (*node.inputs, *node.outputs):
        expressions += expressions_of(mapping.source)
        names |= {mapping.target[0], *data_names(mapping.source)}
    if isinstance(node, Activity):
        loop = node.loop
        if isinstance(loop, MultiInstance):
            if loop.output_element is not None:
                expressions += expressions_of(loop.output_element)
                names |= data_names(loop.output_element)
            expressions += [
                one for one in (loop.cardinality, loop.collection, loop.completion) if one is not None
            ]
        elif loop is not None and loop.condition is not None:
            expressions.append(loop.condition)
    for expression in expressions:
        if expression.names is None:
            return None
        names |= expression.names
    return names


def _conditions(graph: Graph, node: NodeId) -> frozenset[str] | None:
    names: frozenset[str] = frozenset()
    for flow_id in graph.nodes[node].outgoing:
        condition = graph.flows[flow_id].condition
        if condition is not None:
            if condition.names is None:
                return None
            names |= condition.names
    return names


def _union(names: set[str] | None, more: frozenset[str] | None) -> set[str] | None:
    return None if names is None or more is None else names | more
