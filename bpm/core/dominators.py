"""Binding forks: the nearest dominator of a join that is a fork (semantics §3).

The flow graph of one scope, with a virtual entry before every node that can begin there. Boundary events count as
successors of their activity, here only; a link is a flow.
"""

from __future__ import annotations

from collections.abc import Mapping

from bpm.core.graph import Flow, Node, NodeId, ScopeGraph

_ENTRY = ""


def binding_forks(
    scope: ScopeGraph, nodes: Mapping[NodeId, Node], flows: Mapping[str, Flow]
) -> dict[NodeId, NodeId | None]:
    """Return each join of the scope with its binding fork, or None."""
    joins = [node for node in scope.nodes if nodes[node].joins not in (None, "quantity")]
    if not joins:
        return {}
    successors = _successors(scope, nodes, flows)
    immediate = immediate_dominators(successors)
    nearest: dict[NodeId, NodeId | None] = {_ENTRY: None}
    return {join: _nearest_fork(immediate.get(join, _ENTRY), immediate, nodes, nearest) for join in joins}


def _nearest_fork(
    at: NodeId,
    immediate: Mapping[NodeId, NodeId],
    nodes: Mapping[NodeId, Node],
    nearest: dict[NodeId, NodeId | None],
) -> NodeId | None:
    """Return the node, or its nearest dominator, that is a fork; `nearest` keeps what is known."""
    passed = []
    while at not in nearest and not nodes[at].forks:
        passed.append(at)
        at = immediate[at]
    found = nearest.setdefault(at, at)
    nearest.update(dict.fromkeys(passed, found))
    return found


def _successors(
    scope: ScopeGraph, nodes: Mapping[NodeId, Node], flows: Mapping[str, Flow]
) -> dict[NodeId, list[NodeId]]:
    inside = set(scope.nodes)
    successors: dict[NodeId, list[NodeId]] = {_ENTRY: []}
    entered: set[NodeId] = set()
    for name in scope.nodes:
        targets = [flows[flow].target for flow in nodes[name].outgoing]
        jump = nodes[name].jump
        if jump is not None:
            targets.append(jump)
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

    Lengauer and Tarjan's algorithm with path compression: n edges take n log n steps, however they are wired. Every
    node is a key of `successors`.
    """
    order, parents = _preorder(successors)
    number = {name: index for index, name in enumerate(order)}
    predecessors: list[list[int]] = [[] for _ in order]
    for name in order:
        for target in successors[name]:
            predecessors[number[target]].append(number[name])
    above = _Forest(parents, predecessors).dominators()
    return {name: order[above[index]] for index, name in enumerate(order)}


class _Forest:
    """Nodes by their number in a depth-first search; those handled so far hang below their parents in it.

    Attributes:
        semi: the semidominator of each node, as far as it is known.
        best: node with the smallest semidominator on the way up to where the node hangs.
        hangs: nearest node above on the compressed way, -1 at a root.
    """

    def __init__(self, parents: list[int], predecessors: list[list[int]]) -> None:
        self._parents = parents
        self._predecessors = predecessors
        self.semi = list(range(len(parents)))
        self.best = list(range(len(parents)))
        self.hangs = [-1] * len(parents)

    def dominators(self) -> list[int]:
        """Return the immediate dominators; the entry's is itself."""
        found = [0] * len(self._parents)
        waiting: list[list[int]] = [[] for _ in self._parents]
        for node in range(len(self._parents) - 1, 0, -1):
            parent = self._parents[node]
            self.semi[node] = min(self.semi[self._smallest(source)] for source in self._predecessors[node])
            waiting[self.semi[node]].append(node)
            self.hangs[node] = parent
            for other in waiting[parent]:
                smallest = self._smallest(other)
                found[other] = smallest if self.semi[smallest] < self.semi[other] else parent
            waiting[parent].clear()
        for node in range(1, len(found)):
            if found[node] != self.semi[node]:
                found[node] = found[found[node]]
        return found

    def _smallest(self, node: int) -> int:
        """Return the node with the smallest semidominator on the way up, and shorten that way."""
        way = []
        at = node
        while self.hangs[at] >= 0 and self.hangs[self.hangs[at]] >= 0:
            way.append(at)
            at = self.hangs[at]
        for at in reversed(way):
            higher = self.hangs[at]
            if self.semi[self.best[higher]] < self.semi[self.best[at]]:
                self.best[at] = self.best[higher]
            self.hangs[at] = self.hangs[higher]
        return self.best[node]


def _preorder(successors: Mapping[NodeId, list[NodeId]]) -> tuple[list[NodeId], list[int]]:
    """Return the nodes in the order of a depth-first search, and the numbers of their parents in it."""
    order, parents = [_ENTRY], [0]
    seen = {_ENTRY}
    stack = [(0, iter(successors[_ENTRY]))]
    while stack:
        number, rest = stack[-1]
        target = next((other for other in rest if other not in seen), None)
        if target is None:
            stack.pop()
        else:
            seen.add(target)
            stack.append((len(order), iter(successors[target])))
            order.append(target)
            parents.append(number)
    return order, parents
