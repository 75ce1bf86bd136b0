"""Commands of workers: leases, and what ends them (semantics §5)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from functools import lru_cache
from typing import Any

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core.declared_errors import Thrown, declared_error
from bpm.core.errors import Invalid, LeaseConflict, RetriesNotMonotonic, TaskClosed
from bpm.core.failure import NodeFailed
from bpm.core.faults import ERROR, find_catcher
from bpm.core.faults import throw_error as throw_at
from bpm.core.handling.guards import external_task, require_alive
from bpm.core.rows import ExternalStatus, ExternalTask, InstanceStatus
from bpm.core.run import Run
from bpm.core.values import to_text
from bpm.core.work import retry_delay

_X = ExternalStatus


def _is_free(run: Run, row: ExternalTask) -> bool:
    now = run.context.now
    if row.status is _X.LOCKED:
        return row.lease_expires_at is not None and row.lease_expires_at <= now
    return row.status is _X.READY and row.available_at <= now and row.retries > 0


def _expire(run: Run, row: ExternalTask) -> bool:
    """Make it visible that a lease has run out; return whether the task can be leased again.

    Emits ExternalTaskLockExpired; at the limit of the task also ExternalTaskFailed, and its token fails.
    """
    ids = {"task": row.id, "token": row.token, "node": row.node}
    run.emit(e.ExternalTaskLockExpired(**ids, lease=row.lease, worker=row.worker or ""))
    limit = getattr(run.graph.nodes[row.node], "lease_limit", None)
    if limit is None or row.expiries + 1 < limit:
        return True
    now = run.context.now
    run.emit(e.ExternalTaskFailed(**ids, lease=row.lease, fingerprint="", retries=0, available_at=now))
    message = f"{limit} leases have run out without an answer; the last worker was {row.worker}."
    run.fail(run.token(row.token), NodeFailed("LeasesExpired", message))
    return False


def lock(run: Run, command: c.LockExternalTasks) -> dict[str, Any]:
    """Emit ExternalTaskLocked for each task that is still free; an expired lease is made visible first.

    Answers `locked`: the ids, in the order asked for.
    """
    instance = run.state.instance
    if instance.ended or instance.status is InstanceStatus.SUSPENDED:
        return {"locked": []}
    locked = []
    expires_at = run.context.now + timedelta(milliseconds=command.lock_ms)
    for task in command.tasks:
        row = run.state.external_tasks.get(task)
        if row is None or not _is_free(run, row):
            continue
        if row.status is _X.LOCKED and not _expire(run, row):
            continue
        run.emit(
            e.ExternalTaskLocked(
                task=row.id,
                token=row.token,
                node=row.node,
                worker=command.worker,
                lease=row.lease + 1,
                expires_at=expires_at,
            )
        )
        locked.append(row.id)
    return {"locked": locked}


def expire(run: Run, command: c.ExpireLeases) -> dict[str, Any]:
    """Emit ExternalTaskLockExpired for each task whose lease has run out, unless suspended. Answers `expired`."""
    expired: list[str] = []
    if run.state.instance.status is InstanceStatus.SUSPENDED:
        return {"expired": expired}
    for task in command.tasks:
        row = run.state.external_tasks.get(task)
        if row is not None and row.status is _X.LOCKED and _is_free(run, row):
            _expire(run, row)
            expired.append(row.id)
    return {"expired": expired}


def _fingerprint(worker: str, body: dict[str, Any]) -> str:
    return hashlib.sha256(to_text({"worker": worker, **body}).encode()).hexdigest()[:32]


@lru_cache
def _fingerprint_without_results(worker: str) -> str:
    return _fingerprint(worker, {"variables": {}})


def completion_fingerprint(command: c.CompleteExternalTask) -> str:
    """Return what tells a repeated completion from another one."""
    if not command.variables:
        return _fingerprint_without_results(command.worker)
    return _fingerprint(command.worker, {"variables": dict(command.variables)})


def _holder(run: Run, command: c.LeaseCommand) -> ExternalTask:
    """Return the task if the worker holds its current, unexpired lease.

    Raises:
        TaskNotFound, InstanceEnded, Suspended.
        TaskClosed: the task is over.
        LeaseConflict: anyone else.
    """
    row = external_task(run, command.task)
    if row.status in (_X.COMPLETED, _X.CANCELLED):
        raise LeaseConflict(f"The task is {row.status.value}.", task=row.id, status=row.status.value)
    require_alive(run)
    held = (
        row.status is _X.LOCKED
        and row.worker == command.worker
        and (command.lease is None or command.lease == row.lease)
        and row.lease_expires_at is not None
        and row.lease_expires_at > run.context.now
    )
    if not held:
        raise LeaseConflict(task=row.id, status=row.status.value, lease=row.lease)
    return row


def _repeated(run: Run, command: c.LeaseCommand, outcome: str) -> bool:
    """Return whether the last lease was ended by exactly this call."""
    row = external_task(run, command.task)
    return row.outcome == outcome and command.lease in (None, row.lease)


def complete(run: Run, command: c.CompleteExternalTask) -> dict[str, Any]:
    """Emit ExternalTaskCompleted, VariableSet …; the token goes on, or throws a declared error whose condition is true.

    The same call again does nothing.
    """
    fingerprint = completion_fingerprint(command)
    if _repeated(run, command, f"complete:{fingerprint}"):
        return {}
    row = _holder(run, command)
    token = run.token(row.token)
    run.emit(
        e.ExternalTaskCompleted(
            task=row.id, token=token.id, node=row.node, lease=row.lease, fingerprint=fingerprint
        )
    )
    run.keep_result(token, command.variables)
    try:
        thrown = declared_error(run, row, token)
    except NodeFailed as failure:
        run.fail(token, failure)
        return {}
    if thrown is not None:
        throw_at(run, token, thrown.code, thrown.message)
        return {}
    node = run.graph.nodes[row.node]
    run.element(node).triggered(run, node, token)
    return {}


def fail(run: Run, command: c.FailExternalTask) -> dict[str, Any]:
    """Emit ExternalTaskFailed, ExternalTaskErrorNoted; at zero retries the token fails and an incident opens.

    Where an error is declared whose condition is true, that is thrown instead: see `throw_error`.

    Raises:
        RetriesNotMonotonic: more retries than are left, on a task that failed before.
    """
    body = {"error": command.error, "details": command.details, "retries": command.retries}
    fingerprint = _fingerprint(command.worker, body | {"retry_after_ms": command.retry_after_ms})
    if any(_repeated(run, command, f"{how}:{fingerprint}") for how in ("fail", "bpmn-error")):
        return {}
    row = _holder(run, command)
    thrown = _declared(run, row, command)
    if thrown is not None:
        _throw(run, row, fingerprint, thrown.code, thrown.message, {})
        return {}
    retries = max(row.retries - 1, 0) if command.retries is None else command.retries
    if retries < 0:
        raise Invalid("`retries` is a whole number, zero or more.", retries=retries)
    if row.failures and retries > row.retries:
        raise RetriesNotMonotonic(task=row.id, left=row.retries, asked=retries)
    now, node = run.context.now, run.graph.nodes[row.node]
    if command.retry_after_ms is not None:
        available_at = now + timedelta(milliseconds=command.retry_after_ms)
    else:
        available_at = retry_delay(node, row.failures + 1, now)
    ids = {"task": row.id, "token": row.token, "node": row.node}
    run.emit(
        e.ExternalTaskFailed(
            **ids, lease=row.lease, fingerprint=fingerprint, retries=retries, available_at=available_at
        )
    )
    run.emit(e.ExternalTaskErrorNoted(**ids, error=command.error, details=command.details))
    if retries == 0:
        run.fail(
            run.token(row.token), NodeFailed("ExternalTaskFailed", command.error or "The worker failed.")
        )
    return {}


def throw_error(run: Run, command: c.ThrowExternalTaskError) -> dict[str, Any]:
    """Emit ExternalTaskErrorThrown, VariableSet …; uncaught, the token fails with the code."""
    body = {"code": command.error_code, "message": command.message, "variables": dict(command.variables)}
    fingerprint = _fingerprint(command.worker, body)
    if _repeated(run, command, f"bpmn-error:{fingerprint}"):
        return {}
    row = _holder(run, command)
    _throw(run, row, fingerprint, command.error_code, command.message, command.variables)
    return {}


def _throw(
    run: Run, row: ExternalTask, fingerprint: str, code: str, message: str, variables: Mapping[str, Any]
) -> None:
    token = run.token(row.token)
    run.emit(
        e.ExternalTaskErrorThrown(
            task=row.id,
            token=token.id,
            node=row.node,
            lease=row.lease,
            fingerprint=fingerprint,
            error_code=code,
            caught=find_catcher(run, token.scope, ERROR, code) is not None,
        )
    )
    throw_at(run, token, code, message, variables)


def _declared(run: Run, row: ExternalTask, command: c.FailExternalTask) -> Thrown | None:
    """Return the error that the task declares for this failure; a condition that cannot be evaluated is not true."""
    try:
        return declared_error(run, row, run.token(row.token), error=command.error, details=command.details)
    except NodeFailed:
        return None


def extend(run: Run, command: c.ExtendExternalTaskLock) -> dict[str, Any]:
    """Emit ExternalTaskLockExtended. Answers `lease` and `expires_at`."""
    row = _holder(run, command)
    expires_at = run.context.now + timedelta(milliseconds=command.lock_ms)
    run.emit(
        e.ExternalTaskLockExtended(
            task=row.id, token=row.token, node=row.node, lease=row.lease, expires_at=expires_at
        )
    )
    return {"lease": row.lease, "expires_at": expires_at}


def unlock(run: Run, command: c.UnlockExternalTask) -> dict[str, Any]:
    """Emit ExternalTaskUnlocked; by an operator also without lease, then nothing happens to a free task."""
    if command.worker is not None:
        lease = c.LeaseCommand(task=command.task, worker=command.worker, lease=command.lease)
        row = _holder(run, lease)
    else:
        row = external_task(run, command.task)
        if row.status is not _X.LOCKED:
            return {}
    run.emit(e.ExternalTaskUnlocked(task=row.id, token=row.token, node=row.node, lease=row.lease))
    return {}


def _open_task(run: Run, command: c.TaskCommand) -> ExternalTask:
    row = external_task(run, command.task)
    if row.status not in (_X.READY, _X.LOCKED):
        raise TaskClosed(task=row.id, status=row.status.value)
    return row


def set_retries(run: Run, command: c.SetExternalTaskRetries) -> dict[str, Any]:
    """Emit ExternalTaskRetriesSet. A task that failed for good is retried instead."""
    row = _open_task(run, command)
    if command.retries < 1:
        raise Invalid("`retries` is a whole number above zero.", retries=command.retries)
    run.emit(e.ExternalTaskRetriesSet(task=row.id, token=row.token, node=row.node, retries=command.retries))
    return {}


def set_priority(run: Run, command: c.SetExternalTaskPriority) -> dict[str, Any]:
    """Emit ExternalTaskPrioritySet."""
    row = _open_task(run, command)
    run.emit(
        e.ExternalTaskPrioritySet(task=row.id, token=row.token, node=row.node, priority=command.priority)
    )
    return {}
