"""Compensation records at rest, told from the rows alone (semantics §8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from bpm.core.layers import UNDOING
from bpm.core.rows import CompensationStatus, ScopeStatus
from bpm.core.state import State
from bpm.core.token import Wait

_S = CompensationStatus
_UNFINISHED = (_S.TRIGGERED, _S.RUNNING)


def compensation_violations(state: State) -> Iterator[str]:
    """Yield what is broken."""
    yield from _counters(state)
    if not state.instance.ended:
        yield from _reachable(state)
    yield from _at_work(state)
    yield from _waiters(state)


def _active(state: State, scope: str | None) -> bool:
    return scope in state.scopes and state.scopes[scope].status is ScopeStatus.ACTIVE


def _counters(state: State) -> Iterator[str]:
    counted = Counter(row.scope for row in state.compensations.values() if row.status is _S.OPEN)
    for scope in state.scopes.values():
        if scope.status is ScopeStatus.ACTIVE and scope.compensable != counted[scope.id]:
            yield f"scope {scope.node} says {scope.compensable} compensable, counted {counted[scope.id]}"


def _reachable(state: State) -> Iterator[str]:
    pointed_at = {
        row.inner
        for row in state.compensations.values()
        if row.inner is not None and row.status in (_S.OPEN, *_UNFINISHED)
    }
    for row in state.compensations.values():
        if row.status is _S.OPEN and not _active(state, row.scope) and row.scope not in pointed_at:
            yield f"the record of {row.node} is open but nothing can reach it"


def _at_work(state: State) -> Iterator[str]:
    rows = state.compensations.values()
    running = {row.throw for row in rows if row.status is _S.RUNNING}
    for row in rows:
        if row.status in _UNFINISHED and not _active(state, row.target):
            yield f"{row.node} is compensated in a scope that is not active"
        if row.status is _S.RUNNING and not _active(state, row.opened):
            yield f"{row.node} is being compensated without a scope"
        if row.status is _S.TRIGGERED and row.throw not in running:
            yield f"{row.node} waits to be compensated but nothing it could wait for is"
        if (row.closed_at is None) != (row.status in (_S.OPEN, *_UNFINISHED)):
            yield f"the record of {row.node} is {row.status}, closed at {row.closed_at}"
    opened = {row.opened for row in rows if row.status is _S.RUNNING}
    for scope in state.scopes.values():
        if scope.kind in UNDOING and scope.status is ScopeStatus.ACTIVE and scope.id not in opened:
            yield f"a compensating scope of {scope.node} belongs to no record"


def _waiters(state: State) -> Iterator[str]:
    waited_for = {row.waiter for row in state.compensations.values() if row.status in _UNFINISHED}
    for token in state.tokens.values():
        if not token.final and token.wait is Wait.COMPENSATION and token.id not in waited_for:
            yield f"the token at {token.node} waits for compensation that nobody does"
