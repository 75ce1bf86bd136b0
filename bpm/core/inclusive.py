"""When an inclusive join fires, and a complex gateway resets (semantics §3)."""

from __future__ import annotations

from typing import NamedTuple

from bpm.core.activation import reset
from bpm.core.graph import FlowId, Node
from bpm.core.ids import Id
from bpm.core.joins import RESET, fire, join_group
from bpm.core.reach import can_come
from bpm.core.rows import JoinState, JoinStatus
from bpm.core.run import Run
from bpm.core.token import Token


class _Waiting(NamedTuple):
    """A join that waits until nothing can come on its empty flows: `wanted` are those that count."""

    node: Node
    join: JoinState
    wanted: frozenset[FlowId]
    filled: frozenset[FlowId]

    def fire(self, run: Run) -> None:
        """Fire the join, or reset the complex gateway."""
        if self.join.kind == RESET:
            reset(run, self.node, self.join)
        else:
            fire(run, self.node, self.join)


def fire_inclusive(run: Run, scope: Id) -> None:
    """Fire the inclusive joins of a scope that no token holds back any more.

    Looks at all live tokens of the scope, so it needs the whole instance. First every join to which no live token of
    its key can still bring a token on an empty flow. If there is none and nothing else in the scope can move: the
    first join, in document order, for which that holds without tokens that can also reach a filled flow; then without
    tokens that wait at other inclusive joins.
    """
    run.state.require_everything(f"an inclusive join waits in scope {scope}")
    tokens = [token for token in run.state.tokens.values() if token.scope == scope and not token.final]
    waiting = _waiting_joins(run, scope)
    free = [entry for entry in waiting if not _held(run, entry, tokens)]
    if free:
        for entry in free:
            entry.fire(run)
        return
    if any(token.join is None for token in tokens):
        return
    for entry in waiting:
        if not _held(run, entry, tokens, filled_too=False):
            entry.fire(run)
            return
    others = [token for token in tokens if not _at_inclusive(run, token)]
    for entry in waiting:
        if not _held(run, entry, others, filled_too=False):
            entry.fire(run)
            return


def _waiting_joins(run: Run, scope: Id) -> list[_Waiting]:
    found = [
        _Waiting(
            run.graph.nodes[join.node],
            join,
            wanted := frozenset(join.flows or run.graph.nodes[join.node].incoming),
            frozenset(flow for flow in wanted if run.state.waiting_at(join.id, flow)),
        )
        for join in run.state.joins.values()
        if join.scope == scope and join.status is JoinStatus.OPEN and join.kind in ("inclusive", RESET)
    ]
    return sorted(found, key=lambda entry: (entry.node.order, entry.join.id))


def _held(run: Run, entry: _Waiting, tokens: list[Token], *, filled_too: bool = True) -> bool:
    """Return whether some token of the join's key can still reach one of its empty flows without passing it."""
    node, join, wanted, filled = entry
    if filled == wanted:
        return False
    for token in tokens:
        if token.join == join.id or join_group(run, node, token) != join.group:
            continue
        reached = {flow for flow in wanted if can_come(run.graph, token, node, flow)}
        if reached - filled and (filled_too or not reached & filled):
            return True
    return False


def _at_inclusive(run: Run, token: Token) -> bool:
    return token.join is not None and run.state.joins[token.join].kind == "inclusive"
