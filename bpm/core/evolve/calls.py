"""What events about called instances change: which one a token has called."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from bpm.core import events as e
from bpm.core.state import State


def _started(state: State, event: e.CallStarted, at: datetime) -> None:
    token = state.tokens[event.token]
    state.put(state.tokens, token.id, token._replace(called=event.called))


def _ended(state: State, event: e.CallEnded, at: datetime) -> None:
    token = state.tokens[event.token]
    state.put(state.tokens, token.id, token._replace(called=None))


def _dropped(state: State, event: e.DeliveryDropped, at: datetime) -> None:
    """Nothing of its own."""


APPLY: dict[type[e.Event], Callable[[State, Any, datetime], None]] = {
    e.CallStarted: _started,
    e.CallEnded: _ended,
    e.DeliveryDropped: _dropped,
}
