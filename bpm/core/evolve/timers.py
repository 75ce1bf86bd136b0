"""What events about timers and jobs change."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from bpm.core import events as e
from bpm.core.ids import Id
from bpm.core.phases import AFTER, CONTINUED, OPENINGS, RESET_CONTINUED, RESETTING
from bpm.core.rows import Job, JobStatus, Timer, TimerStatus
from bpm.core.state import State


def _scheduled(state: State, event: e.TimerScheduled, at: datetime) -> None:
    row = Timer(
        id=event.timer,
        token=event.token,
        scope=event.scope,
        node=event.node,
        kind=event.kind,
        status=TimerStatus.SCHEDULED,
        due_at=event.due_at,
        series=event.series,
        number=event.number,
        anchor=event.anchor,
        expression=event.expression,
        created_at=at,
        closed_at=None,
        priority=event.priority,
    )
    state.put(state.timers, row.id, row)


def _close_timer(state: State, timer: Id, status: TimerStatus, at: datetime) -> None:
    state.put(state.timers, timer, state.timers[timer]._replace(status=status, closed_at=at))


def _fired(state: State, event: e.TimerFired, at: datetime) -> None:
    _close_timer(state, event.timer, TimerStatus.FIRED, at)


def _due_changed(state: State, event: e.TimerDueChanged, at: datetime) -> None:
    row = state.timers[event.timer]
    state.put(state.timers, row.id, row._replace(due_at=event.due_at, series=event.series))


def _timer_priority(state: State, event: e.TimerPrioritySet, at: datetime) -> None:
    row = state.timers[event.timer]
    state.put(state.timers, row.id, row._replace(priority=event.priority))


def _timer_cancelled(state: State, event: e.TimerCancelled, at: datetime) -> None:
    _close_timer(state, event.timer, TimerStatus.CANCELLED, at)


def _job_created(state: State, event: e.JobCreated, at: datetime) -> None:
    row = Job(
        id=event.job,
        token=event.token,
        node=event.node,
        kind=event.kind,
        handler=event.handler,
        status=JobStatus.READY,
        retries=event.retries,
        initial_retries=event.retries,
        attempts=0,
        crashes=0,
        available_at=event.available_at,
        error=None,
        created_at=at,
        closed_at=None,
        priority=event.priority,
    )
    if event.passes is not None:
        state.instance.passes = event.passes
    state.put(state.jobs, row.id, row)
    if event.kind == "before":
        token = state.tokens[event.token]
        if token.phase in OPENINGS:
            state.put(state.tokens, token.id, token._replace(phase=""))
    elif event.kind == "after":
        token = state.tokens[event.token]
        phase = RESETTING if token.phase == RESETTING else AFTER
        state.put(state.tokens, token.id, token._replace(phase=phase))


def _job_started(state: State, event: e.JobStarted, at: datetime) -> None:
    row = state.jobs[event.job]
    state.put(state.jobs, row.id, row._replace(status=JobStatus.RUNNING, attempts=event.attempt))


def _job_completed(state: State, event: e.JobCompleted, at: datetime) -> None:
    row = state.jobs[event.job]
    state.put(state.jobs, row.id, row._replace(status=JobStatus.COMPLETED, kept=None, closed_at=at))
    if row.kind == "after":
        token = state.tokens[row.token]
        phase = RESET_CONTINUED if token.phase == RESETTING else CONTINUED
        state.put(state.tokens, token.id, token._replace(phase=phase))


def _job_failed(state: State, event: e.JobFailed, at: datetime) -> None:
    row = state.jobs[event.job]
    status = JobStatus.READY if event.retries > 0 else JobStatus.FAILED
    new = row._replace(status=status, retries=event.retries, available_at=event.available_at, kept=None)
    state.put(state.jobs, row.id, new)


def _job_kept(state: State, event: e.JobResultKept, at: datetime) -> None:
    row = state.jobs[event.job]
    state.put(state.jobs, row.id, row._replace(kept=event.result))


def _job_error(state: State, event: e.JobErrorNoted, at: datetime) -> None:
    row = state.jobs[event.job]
    state.put(state.jobs, row.id, row._replace(error=event.error))


def _job_expired(state: State, event: e.JobLeaseExpired, at: datetime) -> None:
    row = state.jobs[event.job]
    state.put(
        state.jobs, row.id, row._replace(status=JobStatus.READY, crashes=event.crashes, available_at=at)
    )


def _job_retried(state: State, event: e.JobRetried, at: datetime) -> None:
    row = state.jobs[event.job]
    new = row._replace(status=JobStatus.READY, retries=event.retries, crashes=0, available_at=at)
    state.put(state.jobs, row.id, new)


def _job_retries(state: State, event: e.JobRetriesSet, at: datetime) -> None:
    row = state.jobs[event.job]
    state.put(state.jobs, row.id, row._replace(retries=event.retries))


def _job_due(state: State, event: e.JobDueChanged, at: datetime) -> None:
    row = state.jobs[event.job]
    state.put(state.jobs, row.id, row._replace(available_at=event.available_at))


def _job_priority(state: State, event: e.JobPrioritySet, at: datetime) -> None:
    row = state.jobs[event.job]
    state.put(state.jobs, row.id, row._replace(priority=event.priority))


def _job_cancelled(state: State, event: e.JobCancelled, at: datetime) -> None:
    row = state.jobs[event.job]
    state.put(state.jobs, row.id, row._replace(status=JobStatus.CANCELLED, kept=None, closed_at=at))


APPLY: dict[type[e.Event], Callable[[State, Any, datetime], None]] = {
    e.TimerScheduled: _scheduled,
    e.TimerDueChanged: _due_changed,
    e.TimerPrioritySet: _timer_priority,
    e.TimerFired: _fired,
    e.TimerCancelled: _timer_cancelled,
    e.JobCreated: _job_created,
    e.JobStarted: _job_started,
    e.JobCompleted: _job_completed,
    e.JobFailed: _job_failed,
    e.JobResultKept: _job_kept,
    e.JobErrorNoted: _job_error,
    e.JobLeaseExpired: _job_expired,
    e.JobRetried: _job_retried,
    e.JobRetriesSet: _job_retries,
    e.JobDueChanged: _job_due,
    e.JobPrioritySet: _job_priority,
    e.JobCancelled: _job_cancelled,
}
