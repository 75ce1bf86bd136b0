"""What events about incidents change."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from bpm.core import events as e
from bpm.core.rows import Incident
from bpm.core.state import State


def _opened(state: State, event: e.IncidentOpened, at: datetime) -> None:
    row = Incident(
        id=event.incident,
        kind=event.kind,
        token=event.token,
        node=event.node,
        message="",
        status="OPEN",
        created_at=at,
        closed_at=None,
    )
    state.instance.incidents += 1
    state.put(state.incidents, row.id, row)


def _described(state: State, event: e.IncidentDescribed, at: datetime) -> None:
    row = state.incidents[event.incident]
    state.put(state.incidents, row.id, row._replace(message=event.message))


def _resolved(state: State, event: e.IncidentResolved, at: datetime) -> None:
    row = state.incidents[event.incident]
    state.instance.incidents -= 1
    state.put(state.incidents, row.id, row._replace(status="RESOLVED", closed_at=at))


APPLY: dict[type[e.Event], Callable[[State, Any, datetime], None]] = {
    e.IncidentOpened: _opened,
    e.IncidentDescribed: _described,
    e.IncidentResolved: _resolved,
}
