"""Where tokens can come from and go to, all jumps of BPMN included."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping

from bpm.bpmn.layout import Layout, NodeXml, ScopeXml
from bpm.bpmn.starts import begins_by_itself, starts_of
from bpm.bpmn.tags import is_true

Steps = Mapping[str, list[str]]


def steps_of(layout: Layout) -> Steps:
    """Return node to the nodes that may get a token after it.

    By flow, from an activity to its boundary events, from a link throw to its catches.
    """
    steps: defaultdict[str, list[str]] = defaultdict(list)
    catches: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for flow in layout.flows.values():
        steps[flow.source].append(flow.target)
    for node in layout.nodes.values():
        host = layout.node(node.xml.get("attachedToRef")) if node.tag == "boundaryEvent" else None
        if host is not None:
            steps[host.id].append(node.id)
        elif node.tag == "intermediateCatchEvent":
            for name in _link_names(node):
                catches[node.scope, name].append(node.id)
    for node in layout.nodes.values():
        if node.tag == "intermediateThrowEvent":
            for name in _link_names(node):
                steps[node.id] += catches[node.scope, name]
    return steps


def entries_of(layout: Layout, scope: ScopeXml) -> list[str]:
    """Return the nodes of a scope that get a token without another node of the scope having had one."""
    starts = starts_of(layout, scope)
    nodes = [layout.nodes[name] for name in scope.nodes]
    return [
        node.id
        for node in nodes
        if node.id in starts.none
        or node.id in starts.triggered
        or is_true(node.xml.get("triggeredByEvent"))
        or is_true(node.xml.get("isForCompensation"))
        or (scope.xml.tag == "adHocSubProcess" and begins_by_itself(node, layout))
    ]


def reached(steps: Steps, begin: Iterable[str]) -> set[str]:
    """Return all nodes that can be reached, the first ones included."""
    found = set(begin)
    stack = list(found)
    while stack:
        for target in steps.get(stack.pop(), ()):
            if target not in found:
                found.add(target)
                stack.append(target)
    return found


def shortest_path(steps: Steps, begin: str, end: str) -> list[str]:
    """Return a shortest path of at least one step, both ends included; empty without one."""
    came_from: dict[str, str] = {}
    queue = deque([begin])
    while queue and end not in came_from:
        node = queue.popleft()
        for target in steps.get(node, ()):
            if target not in came_from:
                came_from[target] = node
                queue.append(target)
    if end not in came_from:
        return []
    path = [end]
    while len(path) == 1 or path[-1] != begin:
        path.append(came_from[path[-1]])
    return path[::-1]


def _link_names(node: NodeXml) -> list[str]:
    return [link.get("name").strip() for link in node.xml.all("linkEventDefinition")]
