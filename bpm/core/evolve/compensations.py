"""What events about compensation and sagas change."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from bpm.core import events as e
from bpm.core.ids import Id
from bpm.core.rows import CompensationRecord, CompensationStatus, ScopeStatus
from bpm.core.state import State

_S = CompensationStatus


def _recorded(state: State, event: e.CompensationRecorded, at: datetime) -> None:
    record = CompensationRecord(
        id=event.record,
        scope=event.scope,
        node=event.node,
        handler=event.handler,
        inner=event.inner,
        position=state.instance.sequence if event.position is None else event.position,
        status=_S.OPEN,
        throw=None,
        waiter=None,
        target=None,
        opened=None,
        created_at=at,
        closed_at=None,
    )
    state.put(state.compensations, record.id, record)
    _count(state, event.scope, +1)


def _count(state: State, scope: Id, change: int) -> None:
    """Count in an active scope; one that has ended may not be loaded, and nothing asks for its number any more."""
    row = state.scopes.get(scope)
    if row is not None and row.status is ScopeStatus.ACTIVE:
        state.put(state.scopes, scope, row._replace(compensable=row.compensable + change))


def _change(state: State, event: e.CompensationEvent, **changes: Any) -> None:
    record = state.compensations[event.record]
    if record.status is _S.OPEN:
        _count(state, record.scope, -1)
    state.put(state.compensations, record.id, record._replace(**changes))


def _triggered(state: State, event: e.CompensationTriggered, at: datetime) -> None:
    _change(state, event, status=_S.TRIGGERED, throw=event.throw, waiter=event.waiter, target=event.target)


def _started(state: State, event: e.CompensationStarted, at: datetime) -> None:
    _change(state, event, status=_S.RUNNING, opened=event.opened)


def _completed(state: State, event: e.CompensationCompleted, at: datetime) -> None:
    _change(state, event, status=_S.COMPENSATED, closed_at=at)


def _discarded(state: State, event: e.CompensationDiscarded, at: datetime) -> None:
    _change(state, event, status=_S.DISCARDED, closed_at=at)


def _saga_started(state: State, event: e.SagaStarted, at: datetime) -> None:
    row = state.scopes[event.scope]
    state.put(state.scopes, row.id, row._replace(closing="saga", cause=event.kind))


def _saga_failed(state: State, event: e.SagaFailed, at: datetime) -> None:
    row = state.scopes[event.scope]
    state.put(state.scopes, row.id, row._replace(closing="sagaFailed"))


def _nothing(state: State, event: e.Event, at: datetime) -> None:
    """Nothing of its own: what it leads to has its own events."""


APPLY: dict[type[e.Event], Callable[[State, Any, datetime], None]] = {
    e.CompensationRecorded: _recorded,
    e.CompensationTriggered: _triggered,
    e.CompensationStarted: _started,
    e.CompensationCompleted: _completed,
    e.CompensationDiscarded: _discarded,
    e.CompensationThrown: _nothing,
    e.SagaStarted: _saga_started,
    e.SagaReasonNoted: _nothing,
    e.SagaFailed: _saga_failed,
    e.SagaCompleted: _nothing,
}
