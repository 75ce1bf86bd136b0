"""One pass over everything that comes due by itself."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from bpm import engine
from bpm.jobs.limits import handler_threads, job_lease_ms
from bpm.jobs.pool import HandlerPool
from bpm.shell.due import LIMIT
from bpm.shell.heartbeats import beat
from bpm.shell.sql.loop_work import next_due
from bpm.shell.sweeps import Swept

_SWEEPS: Final[dict[str, Callable[[int], Swept]]] = {
    "crashed": engine.expire_jobs,
    "leases": engine.expire_leases,
    "timers": engine.fire_due_timers,
    "jobs": engine.run_due_jobs,
    "starts": engine.fire_due_starts,
    "outbox": engine.deliver_due,
    "messages": engine.match_buffered,
}
_PUNCTUAL: Final = ("timers", "jobs", "starts", "outbox", "handlers")
"""Kinds that somebody waits for; the others only tidy up."""


@dataclass(slots=True)
class Pass:
    """What one pass did.

    Attributes:
        counts: kind to how much was done; kinds of which nothing was due are left out.
        more: whether some kind has used up what it may do in one pass.
        lag_ms: by how much the work due longest was overdue when the pass began.
        pause_s: seconds from the pass's begin until something else was due, None if nothing waited for its time.
    """

    counts: dict[str, int] = field(default_factory=dict)
    more: bool = False
    lag_ms: int = 0
    pause_s: float | None = None


def process_name() -> str:
    """Return the name of this process in leases and signs of life: host and process id."""
    return f"{socket.gethostname()[:200]}:{os.getpid()}"


def run_pass(pool: HandlerPool | None = None, *, limit: int = LIMIT) -> Pass:
    """Do what is due, of each kind at most `limit` rows, so that no kind keeps another from its turn.

    Statements: 1 where nothing is due.
    """
    now, moments = next_due(pool.names if pool else [])
    result = Pass(lag_ms=_lag_ms(now, moments))
    ahead = [(at - now).total_seconds() for at in moments.values() if at > now]
    result.pause_s = min(ahead, default=None)
    for kind, act in _SWEEPS.items():
        if kind in moments and moments[kind] <= now:
            swept = act(limit)
            result.counts[kind] = len(swept.done)
            result.more |= bool(swept.done) and swept.found >= limit
    if pool and "handlers" in moments and moments["handlers"] <= now:
        result.counts["handlers"] = pool.fill()
    return result


def _lag_ms(now: datetime, moments: dict[str, datetime]) -> int:
    due = (moments[kind] for kind in _PUNCTUAL if kind in moments)
    return max((int((now - at).total_seconds() * 1_000) for at in due if at < now), default=0)


def tick_once(*, run_handlers: bool = True, limit: int = LIMIT, grace_s: float = 3_600.0) -> dict[str, int]:
    """Do one pass of everything in this process, and write a sign of life.

    Args:
        run_handlers: also run the handlers of due jobs, in threads, and wait for them.
        grace_s: how long to wait for handlers.

    Returns:
        Kind to how much was done: `crashed leases timers jobs starts outbox messages handlers`.
    """
    name = f"{process_name()}:once:{time.time_ns()}"
    threads = handler_threads() if run_handlers else 0
    pool = HandlerPool(name, threads=threads, lease_ms=job_lease_ms())
    try:
        done = run_pass(pool, limit=limit)
    finally:
        pool.drain(grace_s)
    beat(process_name(), lag_ms=done.lag_ms)
    return {kind: done.counts.get(kind, 0) for kind in (*_SWEEPS, "handlers")}
