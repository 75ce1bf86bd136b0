"""What comes due by itself: timers, leases that run out, the engine's own jobs (semantics §5, §6).

Each function does at most `limit` rows in batches and says how many it found. Any number of processes may call them at
the same time: who is second finds the instance busy or the row no longer due.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bpm.core import commands as c
from bpm.core.ids import Id
from bpm.shell.batch import Batch
from bpm.shell.clock import frozen_now
from bpm.shell.outcome import Done
from bpm.shell.sql import dialect
from bpm.shell.sql.loop_work import due_jobs, still_crashed
from bpm.shell.sweeps import Candidates, Sweep, Swept, sweep

LIMIT = 200
ACTOR = "engine"


def fire_due_timers(limit: int = LIMIT) -> Swept:
    """Fire timers that are due, the longest due first."""
    return sweep(_TIMERS, limit)


def expire_leases(limit: int = LIMIT) -> Swept:
    """Make expired leases of external tasks visible; the tasks were free to be fetched before that too."""
    return sweep(_LEASES, limit)


def expire_jobs(limit: int = LIMIT) -> Swept:
    """Take jobs back whose cluster has not renewed its lease; the third time the token fails."""
    return sweep(_CRASHED, limit)


def run_due_jobs(limit: int = LIMIT) -> Swept:
    """Do the engine's own jobs: asynchronous continuations, and the rest of long commands."""
    return sweep(_JOBS, limit)


def _find(table: str) -> Callable[[int], Candidates]:
    return lambda limit: dialect().due(table, frozen_now(), limit)


def _listed(name: str) -> Callable[[Batch], list[Any]]:
    return lambda batch: [row for done in _carried_out(batch) for row in done.answer[name]]


def _carried_out(batch: Batch) -> list[Any]:
    return [outcome for outcome in batch.outcomes if isinstance(outcome, Done)]


def _timers(rows: tuple[Id, ...]) -> Sequence[c.Command]:
    return [c.FireTimers(timers=rows, actor=ACTOR)]


def _leases(rows: tuple[Id, ...]) -> Sequence[c.Command]:
    return [c.ExpireLeases(tasks=rows, actor=ACTOR)]


def _crashed(rows: tuple[Id, ...]) -> Sequence[c.Command]:
    return [c.ExpireJobs(jobs=rows, actor=ACTOR)]


def _jobs(rows: tuple[Id, ...]) -> Sequence[c.Command]:
    return [c.StartJob(job=row, actor=ACTOR) for row in rows]


_TIMERS = Sweep(name="due timers", find=_find("timers"), commands=_timers, collect=_listed("fired"))
_LEASES = Sweep(
    name="expired leases",
    find=_find("external_tasks"),
    commands=_leases,
    collect=_listed("expired"),
)
_CRASHED = Sweep(
    name="expired jobs",
    find=_find("crashed"),
    commands=_crashed,
    collect=_listed("expired"),
    look_again=lambda jobs: still_crashed(jobs, frozen_now()),
)
_JOBS = Sweep(
    name="due jobs",
    find=lambda limit: due_jobs(None, frozen_now(), limit),
    commands=_jobs,
    collect=_carried_out,
)
