"""The fallback of joins: several open states of one join that hold all flows only together (semantics §3)."""

from __future__ import annotations

from bpm.core.graph import Node
from bpm.core.ids import Id
from bpm.core.joins import join_group, merge
from bpm.core.reach import can_come
from bpm.core.rows import JoinState, JoinStatus
from bpm.core.run import Run
from bpm.core.token import Token


def merge_groups(run: Run, scope: Id) -> None:
    """Fire the first join of the scope, in document order, whose open states fill all flows only together.

    Looks at all live tokens of the scope, so it needs the whole instance; only called while some join node has two or
    more open states.
    """
    run.state.require_everything(f"two open states of a join in scope {scope}")
    tokens = [token for token in run.state.tokens.values() if token.scope == scope and not token.final]
    only_joins = all(token.join is not None for token in tokens)
    names = [name for name, count in run.state.scopes[scope].open_joins.items() if count > 1]
    for node in sorted((run.graph.nodes[name] for name in names), key=lambda node: node.order):
        joins = _open_states(run, scope, node)
        if node.joins != "parallel" or not _filled_together(run, node, joins):
            continue
        if only_joins or not _can_still_fill(run, node, joins, tokens):
            merge(run, node, joins)
            return


def _open_states(run: Run, scope: Id, node: Node) -> list[JoinState]:
    found = [
        join
        for join in run.state.joins.values()
        if join.scope == scope and join.node == node.id and join.status is JoinStatus.OPEN
    ]
    return sorted(found, key=lambda join: join.id)


def _filled_together(run: Run, node: Node, joins: list[JoinState]) -> bool:
    return all(any(run.state.waiting_at(join.id, flow) for join in joins) for flow in node.incoming)


def _can_still_fill(run: Run, node: Node, joins: list[JoinState], tokens: list[Token]) -> bool:
    open_keys = {join.group: join for join in joins}
    for token in tokens:
        join = open_keys.get(join_group(run, node, token))
        if join is None or token.join == join.id:
            continue
        missing = (flow for flow in node.incoming if not run.state.waiting_at(join.id, flow))
        if any(can_come(run.graph, token, node, flow) for flow in missing):
            return True
    return False
