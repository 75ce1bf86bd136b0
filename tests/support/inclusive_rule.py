"""Whether an inclusive join that waits has a reason to, by a search of its own through the graph (semantics §3)."""

from __future__ import annotations

from collections.abc import Iterator

from bpm.core.graph import Graph
from bpm.core.ids import NIL
from bpm.core.rows import JoinState
from bpm.core.state import State
from bpm.core.token import Token


def waiting_without_reason(graph: Graph, state: State) -> Iterator[str]:
    """Yield the open inclusive joins to which no live token of their key can bring a token on an empty flow."""
    for join in state.joins.values():
        if join.status == "OPEN" and join.kind == "inclusive":
            empty = set(graph.nodes[join.node].incoming) - {
                flow for held, flow in state.arrivals if held == join.id
            }
            if not any(_can_bring(graph, token, join, empty) for token in state.tokens.values()):
                yield f"{join.node} waits for {sorted(empty)}, on which nothing can come"


def _can_bring(graph: Graph, token: Token, join: JoinState, empty: set[str]) -> bool:
    fork = graph.binding_fork.get(join.node)
    key = token.groups.get(fork, NIL) if fork is not None else NIL
    if token.final or token.scope != join.scope or token.join == join.id or key != join.group:
        return False
    if token.node == join.node and not token.phase:
        return token.flow in empty
    return bool(_flows_ahead(graph, token.node, join.node) & empty)


def _flows_ahead(graph: Graph, start: str, join: str) -> set[str]:
    """Return the flows that can be taken from a node on without going through the join, by boundary events too."""
    found: set[str] = set()
    stack = _ways_out(graph, start)
    while stack:
        flow = stack.pop()
        if flow not in found:
            found.add(flow)
            target = graph.flows[flow].target
            if target != join:
                stack.extend(_ways_out(graph, target))
    return found


def _ways_out(graph: Graph, node: str) -> list[str]:
    attached = [one for one in graph.nodes.values() if one.attached_to == node]
    return [flow for one in (graph.nodes[node], *attached) for flow in one.outgoing]
