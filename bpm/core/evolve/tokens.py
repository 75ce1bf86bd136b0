"""What events about tokens change: the token's row, and the counters of its scope and instance."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from bpm.core import events as e
from bpm.core.errors import OrphanToken, TokenFinalizedTwice
from bpm.core.ids import Id
from bpm.core.rows import ScopeStatus
from bpm.core.state import State
from bpm.core.token import Token, TokenStatus, Wait

_S = TokenStatus


def put_token(state: State, old: Token | None, new: Token) -> None:
    """Store a token and keep every counter and index that depends on it."""
    instance = state.instance
    if old is None:
        instance.live += 1
        count_in_scope(state, new.scope, +1)
    else:
        if old.final:
            raise TokenFinalizedTwice(token=old.id, node=old.node)
        if new.final:
            instance.live -= 1
            count_in_scope(state, new.scope, -1)
        instance.failed -= old.status is _S.FAILED
        instance.passive -= old.passive
        if old.join is not None and (new.join != old.join or new.final):
            _withdraw(state, old)
    instance.failed += new.status is _S.FAILED
    if new.status is _S.WAITING and new.passive:
        instance.passive += 1
    state.put(state.tokens, new.id, new)


def count_in_scope(state: State, scope: Id, change: int) -> None:
    """Count a live token in or out of a scope; raises OrphanToken where one would live in an ended one."""
    row = state.scopes[scope]
    if change > 0 and row.status is not ScopeStatus.ACTIVE:
        raise OrphanToken(scope=scope, node=row.node)
    state.put(state.scopes, scope, row._replace(live_tokens=row.live_tokens + change))


def _withdraw(state: State, token: Token) -> None:
    key = (token.join or "", token.flow or "")
    held = state.arrivals.get(key, ())
    state.put(state.arrivals, key, tuple(other for other in held if other != token.id) or None)


def wait_at(state: State, token: Token, join: Id) -> None:
    """Enter a token, which already stands in its row with that join, into the index of arrivals."""
    key = (join, token.flow or "")
    held = state.arrivals.get(key, ())
    state.put(state.arrivals, key, tuple(sorted((*held, token.id))) if held else (token.id,))


def _created(state: State, event: e.TokenCreated, at: datetime) -> None:
    state.fresh.add(event.token)
    token = Token(
        event.token,
        event.scope,
        event.node,
        _S.CREATED,
        Wait.NONE,
        False,
        event.flow,
        event.groups,
        event.parallel_group,
        None,
        event.mode,
        0,
        "",
        None,
        at,
    )
    put_token(state, None, token)
    if event.reason in ("multiInstance", "adHoc"):
        scope = state.scopes[event.scope]
        state.put(state.scopes, scope.id, scope._replace(begun=scope.begun + 1))


def _arrived(state: State, event: e.TokenArrived, at: datetime) -> None:
    old = state.tokens[event.token]
    new = old.transition(_S.READY, node=event.node, flow=event.flow, attempt=0, phase=event.phase)
    state.put(state.tokens, new.id, new)


def _started(state: State, event: e.NodeExecutionStarted, at: datetime) -> None:
    old = state.tokens[event.token]
    put_token(state, old, old.transition(_S.EXECUTING, attempt=event.attempt))


def _completed(state: State, event: e.TokenCompleted, at: datetime) -> None:
    old = state.tokens[event.token]
    if event.final:
        put_token(state, old, old.transition(_S.COMPLETED, final=True, wait=Wait.NONE))
    else:
        state.put(state.tokens, old.id, old.transition(_S.COMPLETED))


def _blocked(state: State, event: e.TokenBlocked, at: datetime) -> None:
    old = state.tokens[event.token]
    new = old.transition(_S.WAITING, wait=Wait(event.wait), join=event.join)
    put_token(state, old, new)
    if event.join is not None:
        wait_at(state, new, event.join)
    elif state.instance.passes:
        state.instance.passes = {}


def _resumed(state: State, event: e.TokenResumed, at: datetime) -> None:
    old = state.tokens[event.token]
    put_token(state, old, old.transition(_S.READY, wait=Wait.NONE, join=None, phase=event.phase))


def _to_ready(state: State, event: e.TokenEvent, at: datetime) -> None:
    old = state.tokens[event.token]
    put_token(state, old, old.transition(_S.READY, wait=Wait.NONE))


def _failed(state: State, event: e.TokenFailed, at: datetime) -> None:
    old = state.tokens[event.token]
    new = old.transition(_S.FAILED, wait=Wait.NONE, join=None, phase=event.phase)
    put_token(state, old, new)
    if state.instance.passes:
        state.instance.passes = {}


def _suspended(state: State, event: e.TokenSuspended, at: datetime) -> None:
    old = state.tokens[event.token]
    put_token(state, old, old.transition(_S.SUSPENDED, resumes_as=old.status.value))


def _activated(state: State, event: e.TokenActivated, at: datetime) -> None:
    old = state.tokens[event.token]
    new = old.transition(_S(old.resumes_as or ""), resumes_as=None)
    put_token(state, old, new)


def _terminated(state: State, event: e.TokenTerminated, at: datetime) -> None:
    old = state.tokens[event.token]
    put_token(state, old, old.transition(_S.TERMINATED, final=True, wait=Wait.NONE))


APPLY: dict[type[e.Event], Callable[[State, Any, datetime], None]] = {
    e.TokenCreated: _created,
    e.TokenArrived: _arrived,
    e.NodeExecutionStarted: _started,
    e.TokenCompleted: _completed,
    e.TokenBlocked: _blocked,
    e.TokenResumed: _resumed,
    e.TokenRecovered: _to_ready,
    e.TokenFailed: _failed,
    e.TokenRetried: _to_ready,
    e.TokenSuspended: _suspended,
    e.TokenActivated: _activated,
    e.TokenTerminated: _terminated,
}
