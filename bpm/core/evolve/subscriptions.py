"""What events about subscriptions change."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from bpm.core import events as e
from bpm.core.ids import Id
from bpm.core.rows import Subscription
from bpm.core.state import State


def _opened(state: State, event: e.SubscriptionOpened, at: datetime) -> None:
    row = Subscription(
        id=event.subscription,
        kind=event.kind,
        name=event.name,
        correlation=event.correlation,
        token=event.token,
        scope=event.scope,
        node=event.node,
        interrupting=event.interrupting,
        status="OPEN",
        created_at=at,
        closed_at=None,
    )
    state.instance.conditions += row.kind == "condition"
    state.put(state.subscriptions, row.id, row)


def _close(state: State, subscription: Id, status: str, at: datetime) -> None:
    row = state.subscriptions[subscription]
    state.instance.conditions -= row.kind == "condition"
    state.put(state.subscriptions, row.id, row._replace(status=status, closed_at=at))


def _triggered(state: State, event: e.SubscriptionTriggered, at: datetime) -> None:
    if not event.remains:
        _close(state, event.subscription, "TRIGGERED", at)


def _cancelled(state: State, event: e.SubscriptionCancelled, at: datetime) -> None:
    _close(state, event.subscription, "CANCELLED", at)


def _thrown(state: State, event: e.TokenEvent, at: datetime) -> None:
    """Nothing of its own: what it leads to has its own events."""


APPLY: dict[type[e.Event], Callable[[State, Any, datetime], None]] = {
    e.SubscriptionOpened: _opened,
    e.SubscriptionTriggered: _triggered,
    e.SubscriptionCancelled: _cancelled,
    e.MessageThrown: _thrown,
    e.SignalThrown: _thrown,
    e.ErrorThrown: _thrown,
    e.FaultOffered: _thrown,
    e.EscalationThrown: _thrown,
}
