"""What events about joins change."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from bpm.core import events as e
from bpm.core.errors import JoinFiredTwice
from bpm.core.evolve.tokens import put_token, wait_at
from bpm.core.ids import Id
from bpm.core.rows import JoinState, JoinStatus
from bpm.core.state import State


def _count_open(state: State, scope: Id, node: str, change: int) -> None:
    row = state.scopes[scope]
    counts = dict(row.open_joins)
    counts[node] = counts.get(node, 0) + change
    if not counts[node]:
        del counts[node]
    state.put(state.scopes, scope, row._replace(open_joins=counts))


def _opened(state: State, event: e.JoinOpened, at: datetime) -> None:
    join = JoinState(
        id=event.join,
        scope=event.scope,
        node=event.node,
        group=event.group,
        kind=event.kind,
        generation=event.generation,
        expected=event.expected,
        arrived=event.arrived,
        status=JoinStatus.OPEN,
        opened_at=at,
        closed_at=None,
        flows=event.flows,
    )
    state.fresh.add(join.id)
    state.put(state.joins, join.id, join)
    state.put(state.newest_joins, (join.scope, join.node, join.group), join.id)
    _count_open(state, join.scope, join.node, +1)
    for token_id in event.tokens:
        token = state.tokens[token_id]
        moved = token._replace(join=join.id)
        put_token(state, token, moved)
        wait_at(state, moved, join.id)


def _arrived(state: State, event: e.JoinArrived | e.JoinRecounted, at: datetime) -> None:
    join = state.joins[event.join]
    if join.arrived != event.arrived:
        state.put(state.joins, join.id, join._replace(arrived=event.arrived))


def _close(state: State, join_id: Id, status: JoinStatus, at: datetime) -> None:
    join = state.joins[join_id]
    if join.status is not JoinStatus.OPEN:
        raise JoinFiredTwice(join=join_id, node=join.node)
    state.put(state.joins, join_id, join._replace(status=status, closed_at=at))
    _count_open(state, join.scope, join.node, -1)


def _fired(state: State, event: e.JoinFired, at: datetime) -> None:
    _close(state, event.join, JoinStatus.FIRED, at)


def _closed(state: State, event: e.JoinClosed, at: datetime) -> None:
    _close(state, event.join, JoinStatus.CLOSED, at)


def _merged(state: State, event: e.JoinGroupsMerged, at: datetime) -> None:
    """Nothing of its own: the consumed tokens and closed states have their own events."""


APPLY: dict[type[e.Event], Callable[[State, Any, datetime], None]] = {
    e.JoinOpened: _opened,
    e.JoinArrived: _arrived,
    e.JoinRecounted: _arrived,
    e.JoinGroupsMerged: _merged,
    e.JoinFired: _fired,
    e.JoinClosed: _closed,
}
