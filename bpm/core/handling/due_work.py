"""What operators do with work that will come due: jobs and timers (semantics §12)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from bpm.core import events as e
from bpm.core import operations as o
from bpm.core.commands import RetryToken
from bpm.core.ending import cancel_row, open_rows
from bpm.core.errors import Invalid, JobClosed, JobNotFound, TimerClosed, TimerNotFound
from bpm.core.failure import NodeFailed
from bpm.core.handling import jobs, tokens
from bpm.core.handling.guards import require_alive, require_not_ended
from bpm.core.ids import Id
from bpm.core.priorities import HIGHEST_PRIORITY
from bpm.core.rows import Job, JobStatus, Timer, TimerStatus
from bpm.core.run import Run
from bpm.core.triggering import trigger


def _job(run: Run, job: Id, *statuses: JobStatus) -> Job:
    row = run.state.jobs.get(job)
    if row is None:
        raise JobNotFound(job=job)
    if row.status not in statuses:
        raise JobClosed(job=job, status=row.status.value)
    return row


def set_job_retries(run: Run, command: o.SetJobRetries) -> dict[str, Any]:
    """Emit JobRetriesSet; a job that has failed for good is retried with that number.

    Raises:
        JobNotFound, InstanceEnded; Suspended where it has failed.
        JobClosed: it runs, or is over.
        Invalid: `retries` is not above zero.
    """
    row = _job(run, command.job, JobStatus.READY, JobStatus.FAILED)
    require_not_ended(run)
    if command.retries < 1:
        raise Invalid("`retries` is a whole number above zero.", retries=command.retries)
    if row.status is JobStatus.FAILED:
        run.state.require_everything("a failed job is tried again")
        return tokens.retry(run, RetryToken(token=row.token, retries=command.retries))
    run.emit(e.JobRetriesSet(job=row.id, token=row.token, node=row.node, retries=command.retries))
    return {}


def change_job(run: Run, command: o.ChangeJob) -> dict[str, Any]:
    """Emit JobDueChanged, JobPrioritySet, whichever is asked for.

    Raises:
        JobNotFound, InstanceEnded.
        JobClosed: it does not wait.
        Invalid: nothing is asked for.
    """
    row = _job(run, command.job, JobStatus.READY)
    require_not_ended(run)
    _require_change(command.available_at, command.priority)
    if command.available_at is not None:
        at = command.available_at
        run.emit(e.JobDueChanged(job=row.id, token=row.token, node=row.node, available_at=at))
    if command.priority is not None:
        priority = command.priority
        run.emit(e.JobPrioritySet(job=row.id, token=row.token, node=row.node, priority=priority))
    return {}


def _require_change(due: datetime | None, priority: int | None) -> None:
    if due is None and priority is None:
        raise Invalid("Say a new due time or a new priority.")
    if priority is not None and not -HIGHEST_PRIORITY <= priority <= HIGHEST_PRIORITY:
        raise Invalid("A priority is a whole number of 64 bits.")


def run_job(run: Run, command: o.RunJob) -> dict[str, Any]:
    """Emit JobCompleted, and the token moves; a handler's job only becomes due: JobDueChanged. Answers `done`.

    Raises:
        JobNotFound, InstanceEnded, Suspended.
        JobClosed: it does not wait.
    """
    row = _job(run, command.job, JobStatus.READY)
    require_alive(run)
    if row.kind != "handler":
        jobs.do_own(run, row)
        return {"done": True}
    now = run.context.now
    run.emit(e.JobDueChanged(job=row.id, token=row.token, node=row.node, available_at=now))
    return {"done": False}


def delete_job(run: Run, command: o.DeleteJob) -> dict[str, Any]:
    """Emit JobCancelled; a token that waited for it fails: nothing else would move it.

    Raises:
        JobNotFound, InstanceEnded, Suspended.
        JobClosed: it runs, or is over.
    """
    row = _job(run, command.job, JobStatus.READY, JobStatus.FAILED)
    require_alive(run)
    cancel_row(run, row, "deleted")
    if row.status is JobStatus.READY:
        message = f"The job at {row.node} was deleted."
        run.fail(run.token(row.token), NodeFailed("JobDeleted", message))
    return {}


def _timer(run: Run, timer: Id) -> Timer:
    row = run.state.timers.get(timer)
    if row is None:
        raise TimerNotFound(timer=timer)
    if row.status is not TimerStatus.SCHEDULED:
        raise TimerClosed(timer=timer, status=row.status.value)
    return row


def change_timer(run: Run, command: o.ChangeTimer) -> dict[str, Any]:
    """Emit TimerDueChanged, TimerPrioritySet, whichever is asked for.

    A cycle goes on from the time at which it is due now, and with the priority that it has now.

    Raises:
        TimerNotFound, TimerClosed, InstanceEnded.
        Invalid: nothing is asked for.
    """
    row = _timer(run, command.timer)
    require_not_ended(run)
    _require_change(command.due_at, command.priority)
    ids: dict[str, Any] = {"timer": row.id, "token": row.token, "node": row.node}
    if command.due_at is not None:
        run.emit(e.TimerDueChanged(**ids, due_at=command.due_at, series=run.new_id()))
    if command.priority is not None:
        run.emit(e.TimerPrioritySet(**ids, priority=command.priority))
    return {}


def fire_timer(run: Run, command: o.FireTimer) -> dict[str, Any]:
    """Emit TimerFired, whatever the due time is; then what it leads to.

    Raises:
        TimerNotFound, TimerClosed, InstanceEnded, Suspended.
    """
    row = _timer(run, command.timer)
    require_alive(run)
    trigger(run, row, {})
    return {}


def delete_timer(run: Run, command: o.DeleteTimer) -> dict[str, Any]:
    """Emit TimerCancelled; a token that waited for nothing else fails.

    Raises:
        TimerNotFound, TimerClosed, InstanceEnded, Suspended.
    """
    row = _timer(run, command.timer)
    require_alive(run)
    if row.token is not None:
        run.state.require_everything("what else does the token wait for")
    cancel_row(run, row, "deleted")
    if row.token is not None and not open_rows(run.state).get(row.token):
        message = f"The timer at {row.node} was deleted."
        run.fail(run.token(row.token), NodeFailed("TimerDeleted", message))
    return {}
