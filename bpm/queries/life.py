"""Signs of life of the engine's loops, as operators see them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bpm.models import Heartbeat
from bpm.shell.database_clock import database_now
from bpm.shell.heartbeats import QUEUE

LATE_S: Final = 10.0
"""Loops give a sign about once a second; after so long without one somebody should look."""
_SHOWN: Final = 50


@dataclass(frozen=True, slots=True)
class LoopRow:
    """One loop, or the queue.

    Attributes:
        age_s: seconds since its newest sign.
        lag_ms: by how much it was behind the work that was due.
        queue: the sign that a task has come through the queue; all others are loops.
        late: nothing has been heard of it for more than 10 seconds.
    """

    name: str
    started_at: datetime
    seen_at: datetime
    age_s: float
    ticks: int
    lag_ms: int
    queue: bool
    late: bool


def list_loops() -> tuple[datetime, tuple[LoopRow, ...]]:
    """Return the database's clock, and the loops, those seen last first, at most 50. Two statements at most."""
    now = database_now()
    rows = Heartbeat.objects.order_by("-seen_at", "name")[:_SHOWN]
    return now, tuple(_loop(row, now) for row in rows)


def _loop(row: Heartbeat, now: datetime) -> LoopRow:
    age = max((now - row.seen_at).total_seconds(), 0.0)
    return LoopRow(
        row.name, row.started_at, row.seen_at, age, row.ticks, row.lag_ms, row.name == QUEUE, age > LATE_S
    )
