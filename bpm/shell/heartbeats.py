"""Signs of life of the loops, and the removal of what nobody needs any more."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection

from bpm.models import Heartbeat
from bpm.shell.configuration import setting
from bpm.shell.database_clock import database_now
from bpm.shell.replay_sessions import drop_expired

QUEUE = "queue"
"""Name of the sign that a task has come through the queue; all others are names of loops."""

KEPT = timedelta(days=1)
CLEANED_AT_ONCE = 1_000

_UPSERT = (
    "INSERT INTO bpm_heartbeat AS h (name, started_at, seen_at, ticks, lag_ms) VALUES (%s, %s, %s, 1, %s) "
    "ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at, ticks = h.ticks + 1, lag_ms = excluded.lag_ms"
)
_OLD_RECORDS = "SELECT id FROM bpm_idempotencyrecord WHERE created_at < %s ORDER BY created_at LIMIT %s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """How the loops are.

    Attributes:
        loop_age_s: seconds since the newest sign of any loop, None if there never was one.
        queue_age_s: seconds since the last task that came through the queue, None likewise.
        lag_ms: by how much the loop seen last was behind the work that was due.
    """

    loop_age_s: float | None
    queue_age_s: float | None
    lag_ms: int


def beat(name: str, *, lag_ms: int = 0) -> None:
    """Write a sign of life. Statements: PostgreSQL 2, SQLite 1."""
    now = database_now()
    at = now if connection.vendor == "postgresql" else str(now.replace(tzinfo=None))
    with connection.cursor() as cursor:
        cursor.execute(_UPSERT, [name, at, at, min(lag_ms, 2**31 - 1)])


def signs_of_life() -> Life:
    """Return how long ago loops and queue were seen. Statements: PostgreSQL 2, SQLite 1."""
    now = database_now()
    rows = list(Heartbeat.objects.values_list("name", "seen_at", "lag_ms"))
    loops = max(((seen, lag) for name, seen, lag in rows if name != QUEUE), default=None)
    queue = next((seen for name, seen, _ in rows if name == QUEUE), None)
    return Life(
        loop_age_s=None if loops is None else (now - loops[0]).total_seconds(),
        queue_age_s=None if queue is None else (now - queue).total_seconds(),
        lag_ms=0 if loops is None else loops[1],
    )


def clean(limit: int = CLEANED_AT_ONCE) -> int:
    """Delete idempotency records and replay sessions that have outlived their time, and signs of loops that are gone.

    Returns:
        How many records were deleted; as many as the limit mean that there may be more.

    Statements: 4 at most, PostgreSQL one more; one of them less where nothing is old.
    """
    now = database_now()
    Heartbeat.objects.filter(seen_at__lt=now - KEPT).delete()
    drop_expired(now)
    old = now - timedelta(hours=setting("IDEMPOTENCY_HOURS"))
    return _delete_old(old, limit)


def _delete_old(old: datetime, limit: int) -> int:
    on_postgresql = connection.vendor == "postgresql"
    at: datetime | str = old if on_postgresql else str(old.replace(tzinfo=None))
    # A record that a call is renewing at this moment is passed over, so nobody waits for the cleaning.
    lock = " FOR UPDATE SKIP LOCKED" if on_postgresql else ""
    with connection.cursor() as cursor:
        cursor.execute(_OLD_RECORDS, [at, 1])
        if cursor.fetchone() is None:
            return 0
        delete = "DELETE FROM bpm_idempotencyrecord WHERE id IN ({})"
        cursor.execute(delete.format(_OLD_RECORDS + lock), [at, limit])
        return int(cursor.rowcount)
