"""What events about scopes change."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from bpm.core import events as e
from bpm.core.errors import StrandedScope
from bpm.core.ids import Id
from bpm.core.rows import Scope, ScopeStatus
from bpm.core.state import State


def _entered(state: State, event: e.ScopeEntered, at: datetime) -> None:
    scope = Scope(
        id=event.scope,
        parent=event.parent,
        node=event.node,
        kind=event.kind,
        outer_token=event.token,
        status=ScopeStatus.ACTIVE,
        live_tokens=0,
        live_scopes=0,
        open_joins={},
        begun=0,
        started_at=at,
        ended_at=None,
    )
    state.fresh.add(event.scope)
    state.put(state.scopes, scope.id, scope)
    count_inner(state, event.parent, +1)


def _ended(state: State, scope: Id, status: ScopeStatus, at: datetime) -> None:
    row = state.scopes[scope]
    if row.live_tokens or row.live_scopes:
        raise StrandedScope("A scope cannot end around what still lives.", scope=scope, node=row.node)
    state.put(state.scopes, scope, row._replace(status=status, ended_at=at))
    count_inner(state, row.parent, -1)


def count_inner(state: State, parent: Id | None, change: int) -> None:
    """Count an active scope in or out of the one around it."""
    if parent is not None:
        row = state.scopes[parent]
        state.put(state.scopes, parent, row._replace(live_scopes=row.live_scopes + change))


def _closing(state: State, event: e.ScopeClosing, at: datetime) -> None:
    row = state.scopes[event.scope]
    state.put(state.scopes, row.id, row._replace(closing=event.reason))


def _completed(state: State, event: e.ScopeCompleted, at: datetime) -> None:
    _ended(state, event.scope, ScopeStatus.COMPLETED, at)


def _terminated(state: State, event: e.ScopeTerminated, at: datetime) -> None:
    _ended(state, event.scope, ScopeStatus.TERMINATED, at)


APPLY: dict[type[e.Event], Callable[[State, Any, datetime], None]] = {
    e.ScopeEntered: _entered,
    e.ScopeClosing: _closing,
    e.ScopeCompleted: _completed,
    e.ScopeTerminated: _terminated,
}
