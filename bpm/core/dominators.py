"""Binding forks: the nearest dominator of a join that is a fork (semantics §3).

The flow graph of one scope, with a virtual entry before every node that can begin there. Boundary events count as
successors of their activity, here only.
"""

from __future__ import annotations

from collections.abc import Mapping

from bpm.core.graph import Flow, Node, NodeId, ScopeGraph

_ENTRY = ""


def binding_forks(
    scope: ScopeGraph, nodes: Mapping[NodeId, Node], flows: Mapping[str, Flow]
) -> dict[NodeId, NodeId | None]:
    """Return each join of the scope with its binding fork, or None.

    Iterative data-flow (Cooper, Harvey and Kennedy): near linear on real models.
    """
    joins = [node for node in scope.nodes if nodes[node].joins not in (None, "quantity")]
    if not joins:
        return {}
    successors = _successors(scope, nodes, flows)
    immediate = immediate_dominators(successors)
    found: dict[NodeId, NodeId | None] = {}
    for join in joins:
        at = immediate.get(join, _ENTRY)
        while at != _ENTRY and not nodes[at].forks:
            at = immediate[at]
        found[join] = at or None
    return found


def _successors(
    scope: ScopeGraph, nodes: Mapping[NodeId, Node], flows: Mapping[str, Flow]
) -> dict[NodeId, list[NodeId]]:
    inside = set(scope.nodes)
    successors: dict[NodeId, list[NodeId]] = {_ENTRY: []}
    entered: set[NodeId] = set()
    for name in scope.nodes:
        targets = [flows[flow].target for flow in nodes[name].outgoing]
        successors[name] = [target for target in targets if target in inside]
        entered.update(successors[name])
    for name in scope.nodes:
        host = nodes[name].attached_to
        if host in inside and host is not None:
            successors[host].append(name)
            entered.add(name)
    successors[_ENTRY] = [name for name in scope.nodes if name not in entered]
    return successors


def immediate_dominators(successors: Mapping[NodeId, list[NodeId]]) -> dict[NodeId, NodeId]:
    """Return each node that can be reached from the entry "" with its immediate dominator, "" with itself.

    Every node is a key of `successors`.
    """
    order = _postorder(successors)
    number = {name: index for index, name in enumerate(order)}
    predecessors: dict[NodeId, list[NodeId]] = {name: [] for name in order}
    for name in order:
        for target in successors[name]:
            predecessors[target].append(name)
    immediate = {_ENTRY: _ENTRY}
    changed = True
    while changed:
        changed = False
        for name in reversed(order[:-1]):
            known = [other for other in predecessors[name] if other in immediate]
            best = known[0]
            for other in known[1:]:
                best = _meet(best, other, immediate, number)
            if immediate.get(name) != best:
                immediate[name] = best
                changed = True
    return immediate


def _meet(a: NodeId, b: NodeId, immediate: Mapping[NodeId, NodeId], number: Mapping[NodeId, int]) -> NodeId:
    while a != b:
        while number[a] < number[b]:
            a = immediate[a]
        while number[b] < number[a]:
            b = immediate[b]
    return a


def _postorder(successors: Mapping[NodeId, list[NodeId]]) -> list[NodeId]:
    order: list[NodeId] = []
    seen = {_ENTRY}
    stack = [(_ENTRY, iter(successors[_ENTRY]))]
    while stack:
        name, rest = stack[-1]
        target = next((other for other in rest if other not in seen), None)
        if target is None:
            stack.pop()
            order.append(name)
        else:
            seen.add(target)
            stack.append((target, iter(successors[target])))
    return order
