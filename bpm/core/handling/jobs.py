"""Jobs: due work of the engine itself (semantics §4, §5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from datetime import timedelta
from typing import Any, Final

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core.errors import JobClosed, JobNotFound
from bpm.core.failure import NodeFailed
from bpm.core.faults import throw_error as throw_at
from bpm.core.handling.guards import require_alive, require_not_ended
from bpm.core.ids import Id
from bpm.core.phases import AFTER
from bpm.core.rows import InstanceStatus, Job, JobStatus
from bpm.core.run import Run
from bpm.core.token import Token, TokenStatus, Wait
from bpm.core.values import from_text, to_text
from bpm.core.work import retry_delay

MAX_CRASHES = 3
"""Attempts that may vanish without a result before the token fails."""


def _job(run: Run, job: Id, status: JobStatus) -> Job:
    row = run.state.jobs.get(job)
    if row is None:
        raise JobNotFound(job=job)
    if row.status is not status:
        raise JobClosed(job=job, status=row.status.value)
    return row


def _ids(row: Job) -> dict[str, Any]:
    return {"job": row.id, "token": row.token, "node": row.node}


def start(run: Run, command: c.StartJob) -> dict[str, Any]:
    """Begin a job that is due.

    A continuation is done at once: JobCompleted, and its token moves. For a handler: NodeExecutionStarted, JobStarted;
    the answer has `handler`, `node`, `token`, `attempt`.

    Raises:
        JobNotFound, InstanceEnded, Suspended.
        JobClosed: not READY, or not due yet.
    """
    row = _job(run, command.job, JobStatus.READY)
    require_alive(run)
    if row.available_at > run.context.now:
        raise JobClosed("The job is not due yet.", job=row.id)
    if row.kind != "handler":
        do_own(run, row)
        return {"handler": None}
    token = run.token(row.token)
    if token.status is TokenStatus.WAITING:
        run.emit(e.TokenResumed(token=token.id, node=token.node))
    attempt = row.attempts + 1
    run.emit(e.NodeExecutionStarted(token=token.id, node=token.node, attempt=attempt))
    run.emit(e.JobStarted(**_ids(row), attempt=attempt))
    return {"handler": row.handler, "node": row.node, "token": row.token, "attempt": attempt}


def do_own(run: Run, row: Job) -> None:
    """Do a job of the engine itself: emit JobCompleted and let its token move."""
    run.emit(e.JobCompleted(**_ids(row)))
    run.enqueue(row.token, admitted=row.kind != "continuation")


def _running(run: Run, job: Id, attempt: int) -> Job:
    row = _job(run, job, JobStatus.RUNNING)
    require_not_ended(run)
    if row.attempts != attempt:
        raise JobClosed("The job was taken over by another attempt.", job=job, attempt=row.attempts)
    if row.kept is not None:
        raise JobClosed("This attempt has reported already; its instance is suspended.", job=job)
    return row


Report = c.CompleteJob | c.FailJob | c.ThrowJobError


def report(run: Run, command: Report) -> dict[str, Any]:
    """The handler is done: see `_complete`, `_fail`, `_throw_error`.

    While the instance is suspended the result is kept: JobResultKept.

    Raises:
        JobNotFound, InstanceEnded.
        JobClosed: this attempt does not run any more.
    """
    row = _running(run, command.job, command.attempt)
    if run.state.instance.status is InstanceStatus.SUSPENDED:
        kept = {name.name: getattr(command, name.name) for name in fields(command)} | {"job": row.id}
        run.emit(e.JobResultKept(**_ids(row), result=to_text([type(command).__name__, kept])))
    else:
        _APPLY[type(command)](run, row, command)
    return {}


def apply_kept(run: Run, row: Job) -> None:
    """Do what a result says that came while the instance was suspended."""
    name, values = from_text(row.kept or "")
    cls = next(cls for cls in _APPLY if cls.__name__ == name)
    _APPLY[cls](run, row, cls(**values))


def _complete(run: Run, row: Job, command: c.CompleteJob) -> None:
    """Emit JobCompleted, VariableSet …; the token goes on."""
    run.emit(e.JobCompleted(**_ids(row)))
    token = run.token(row.token)
    run.keep_result(token, command.variables)
    _leave(run, token)


def _leave(run: Run, token: Token) -> None:
    node = run.graph.nodes[token.node]
    if node.after:
        run.block(token, Wait.BACKOFF)
        run.wake(run.token(token.id))
        return
    try:
        run.leave(node, token)
    except NodeFailed as failure:
        run.fail(token._replace(phase=AFTER), failure)


def _fail(run: Run, row: Job, command: c.FailJob) -> None:
    """Emit JobFailed, JobErrorNoted; with retries left TokenBlocked, else the token fails and an incident opens."""
    now, node = run.context.now, run.graph.nodes[row.node]
    retries = row.retries - 1 if command.retries is None else command.retries
    retries = max(0, min(retries, row.retries))
    if command.retry_after_ms is not None:
        available_at = now + timedelta(milliseconds=command.retry_after_ms)
    else:
        available_at = retry_delay(node, max(row.initial_retries - retries, 1), now)
    run.emit(e.JobFailed(**_ids(row), retries=retries, available_at=available_at))
    run.emit(e.JobErrorNoted(**_ids(row), error=command.error))
    if retries:
        run.block(run.token(row.token), Wait.BACKOFF)
    else:
        run.fail(run.token(row.token), NodeFailed("JobFailed", command.error))


def _throw_error(run: Run, row: Job, command: c.ThrowJobError) -> None:
    """The handler ended by a BPMN error; uncaught, the job and its token fail with the code."""
    token = run.token(row.token)
    run.emit(e.JobFailed(**_ids(row), retries=0, available_at=run.context.now))
    run.emit(e.JobErrorNoted(**_ids(row), error=f"{command.error_code}: {command.message}"))
    throw_at(run, token, command.error_code, command.message, command.variables)


_APPLY: Final[dict[type[Report], Callable[[Run, Job, Any], None]]] = {
    c.CompleteJob: _complete,
    c.FailJob: _fail,
    c.ThrowJobError: _throw_error,
}


def expire(run: Run, command: c.ExpireJobs) -> dict[str, Any]:
    """Emit JobLeaseExpired, TokenRecovered for jobs that still run; after the third crash the token fails.

    In a suspended instance nothing expires. The shell has checked the leases, which lie outside the fold.
    Answers `expired`.
    """
    expired: list[Id] = []
    if run.state.instance.status is InstanceStatus.SUSPENDED:
        return {"expired": expired}
    for job in command.jobs:
        row = run.state.jobs.get(job)
        if row is None or row.status is not JobStatus.RUNNING:
            continue
        run.emit(e.JobLeaseExpired(**_ids(row), crashes=row.crashes + 1))
        run.emit(e.TokenRecovered(token=row.token, node=row.node))
        expired.append(row.id)
        if row.crashes + 1 >= MAX_CRASHES:
            run.emit(e.JobFailed(**_ids(row), retries=0, available_at=run.context.now))
            message = f"The handler vanished {MAX_CRASHES} times without a result."
            run.fail(run.token(row.token), NodeFailed("HandlerCrashed", message))
    return {"expired": expired}
