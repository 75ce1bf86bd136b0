"""Every command that could be tried on an instance, the wrong ones too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bpm.core import commands as c
from bpm.core.state import State

UNKNOWN = "01900000-0000-7000-8000-000000000000"


def possible_commands(state: State, number: int) -> list[c.Command]:
    """Return commands about everything in an instance, ended or not; `number` varies their details."""
    if number % 41 == 40:
        return [c.CancelInstance(reason="random")]
    return [*_user(state, number), *_external(state, number), *_jobs(state, number), *_others(state, number)]


def useful_commands(state: State, number: int) -> list[c.Command]:
    """Return commands each of which moves something; `number` varies how it goes."""
    return [*_useful_for_tasks(state, number), *_useful_for_jobs(state, number), *_useful_others(state)]


def _useful_for_tasks(state: State, number: int) -> Iterator[c.Command]:
    for task in state.user_tasks.values():
        if task.status == "OPEN":
            yield c.CompleteUserTask(task=task.id, variables=_variables(number))
    for work in state.external_tasks.values():
        held: dict[str, Any] = {"task": work.id, "worker": work.worker or "", "lease": work.lease}
        if work.status == "READY":
            yield c.LockExternalTasks(tasks=(work.id,), worker="w", lock_ms=60_000)
        elif work.status == "LOCKED" and number % 3 < 2:
            yield c.CompleteExternalTask(**held, variables=_variables(number))
        elif work.status == "LOCKED":
            yield c.FailExternalTask(**held, retries=(None, 0)[number % 2], retry_after_ms=0)


def _useful_for_jobs(state: State, number: int) -> Iterator[c.Command]:
    for job in state.jobs.values():
        if job.status == "READY":
            yield c.StartJob(job=job.id)
        elif job.status == "RUNNING" and number % 3 < 2:
            yield c.CompleteJob(job=job.id, attempt=job.attempts, variables=_variables(number))
        elif job.status == "RUNNING":
            yield c.FailJob(job=job.id, attempt=job.attempts, error="no", retries=(None, 0)[number % 2])


def _useful_others(state: State) -> Iterator[c.Command]:
    due = [timer.id for timer in state.timers.values() if timer.status == "SCHEDULED"]
    if due:
        yield c.FireTimers(timers=tuple(due), force=True)
    for token in state.tokens.values():
        if token.status == "Failed":
            yield c.RetryToken(token=token.id)


def _variables(number: int) -> dict[str, int]:
    return [{}, {"x": number % 4}, {"y": number % 3}, {"x": number % 4, "missing": number % 3}][number % 4]


def _user(state: State, number: int) -> Iterator[c.Command]:
    for task in state.user_tasks.values():
        yield c.CompleteUserTask(task=task.id, variables=_variables(number))
        if number % 5 == 0:
            yield c.CompleteUserTask(task=task.id, user="kim", groups=frozenset({"g"}))
            yield c.ClaimUserTask(task=task.id, user=("kim", "lee")[number % 2])
            yield c.UnclaimUserTask(task=task.id, user=("kim", None)[number % 2])
            yield c.AssignUserTask(task=task.id, assignee=("kim", "", None)[number % 3])


def _external(state: State, number: int) -> Iterator[c.Command]:
    for task in state.external_tasks.values():
        worker, lease = ("w", "v")[number % 7 == 0], (None, task.lease, task.lease - 1)[number % 3]
        held: dict[str, Any] = {"task": task.id, "worker": worker}
        yield c.LockExternalTasks(tasks=(task.id, UNKNOWN), worker=worker, lock_ms=(1, 60_000)[number % 2])
        yield c.CompleteExternalTask(**held, lease=lease, variables=_variables(number))
        yield c.FailExternalTask(
            **held, lease=lease, retries=(None, 0, 2, -1, 9)[number % 5], retry_after_ms=number % 2
        )
        yield c.ThrowExternalTaskError(**held, error_code="E", variables=_variables(number))
        if number % 3 == 0:
            yield c.ExtendExternalTaskLock(**held, lock_ms=5_000)
            yield c.UnlockExternalTask(task=task.id, worker=(None, worker)[number % 2])
            yield c.SetExternalTaskRetries(task=task.id, retries=number % 4)
            yield c.SetExternalTaskPriority(task=task.id, priority=number)
            yield c.ExpireLeases(tasks=(task.id,))


def _jobs(state: State, number: int) -> Iterator[c.Command]:
    for job in state.jobs.values():
        attempt = job.attempts + (0, 0, 0, 1, -1)[number % 5]
        yield c.StartJob(job=job.id)
        yield c.CompleteJob(job=job.id, attempt=attempt, variables=_variables(number))
        if number % 2 == 0:
            yield c.FailJob(job=job.id, attempt=attempt, error="no", retries=(None, 0, 9)[number % 3])
            yield c.ThrowJobError(job=job.id, attempt=attempt, error_code="E")
            yield c.ExpireJobs(jobs=(job.id, UNKNOWN))


def _others(state: State, number: int) -> Iterator[c.Command]:
    for timer in state.timers.values():
        yield c.FireTimers(timers=(timer.id, UNKNOWN), force=number % 2 == 0)
    for token in state.tokens.values():
        if token.status == "Failed" or number % 11 == 0:
            yield c.RetryToken(token=token.id, retries=(None, None, 2, 0)[number % 4])
    yield c.SetVariables(
        scope=(state.instance.id, UNKNOWN)[number % 9 == 0], variables=_variables(number + 1)
    )
