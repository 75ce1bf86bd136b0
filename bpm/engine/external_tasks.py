"""What workers and operators do with external tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from bpm.core import commands as c
from bpm.core import errors
from bpm.core.errors import EngineError
from bpm.engine.answers import Answer, answer_once, checked, done, identifier, task_answer, task_command
from bpm.engine.lists import outcomes_once
from bpm.shell import leases
from bpm.shell.execute import execute, execute_many
from bpm.shell.idempotency import Idempotency, once
from bpm.shell.outcome import Done
from bpm.shell.requests import Request
from bpm.shell.topics import Topic


def fetch_and_lock(
    worker: str,
    *,
    topics: Sequence[str | Topic],
    max_tasks: int,
    lock_ms: int,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> list[Answer]:
    """Lease waiting tasks to a worker; see `bpm.shell.leases.fetch_and_lock`. Under a key, the same leases again."""
    answer: list[Answer] = once(
        key,
        tenant,
        lambda: leases.fetch_and_lock(
            worker, topics, max_tasks=max_tasks, lock_ms=lock_ms, tenant=tenant, actor=actor
        ),
        keep=leases.leases_to_keep,
        restore=partial(leases.leases_again, topics),
    )
    return answer


def complete_external_task(
    task_id: str,
    *,
    worker: str,
    lease: int | None = None,
    variables: Mapping[str, Any] | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Complete an external task by the holder of its lease; the same call again answers the same.

    Raises:
        TaskNotFound, LeaseConflict, InstanceEnded, Suspended, VariableInvalid.
    """
    command = c.CompleteExternalTask(
        task=identifier(task_id), worker=worker, lease=lease, variables=checked(variables), actor=actor
    )
    return task_command(command, tenant, key)


def complete_external_tasks(
    items: Sequence[Mapping[str, Any]],
    *,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> list[Answer | EngineError]:
    """Complete many external tasks in one transaction. Under a used key the first outcomes, refusals included.

    Args:
        items: each with `task_id`, `worker`, and optionally `lease` and `variables`.

    Returns:
        One answer or refusal each, in order.
    """
    return outcomes_once(key, tenant, lambda: _complete_all(items, tenant, actor))


def _complete_all(items: Sequence[Mapping[str, Any]], tenant: str, actor: str) -> list[Answer | EngineError]:
    outcomes: list[Answer | EngineError] = [errors.TaskNotFound()] * len(items)
    requests: list[Request] = []
    places: list[int] = []
    for place, item in enumerate(items):
        try:
            command = c.CompleteExternalTask(
                task=identifier(item["task_id"]),
                worker=item["worker"],
                lease=item.get("lease"),
                variables=checked(item.get("variables")),
                actor=actor,
            )
        except EngineError as refusal:
            outcomes[place] = refusal
            continue
        requests.append(Request(command, tenant))
        places.append(place)
    for place, request, outcome in zip(places, requests, execute_many(requests), strict=True):
        outcomes[place] = task_answer(request.ids[0], outcome) if isinstance(outcome, Done) else outcome
    return outcomes


def fail_external_task(
    task_id: str,
    *,
    worker: str,
    lease: int | None = None,
    error: str = "",
    details: str | None = None,
    retries: int | None = None,
    retry_after_ms: int | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Report that the work failed; at zero retries the task is a dead letter and an incident opens.

    Raises:
        TaskNotFound, LeaseConflict, RetriesNotMonotonic, InstanceEnded, Suspended, Invalid.
    """
    command = c.FailExternalTask(
        task=identifier(task_id),
        worker=worker,
        lease=lease,
        error=error,
        details=details,
        retries=retries,
        retry_after_ms=retry_after_ms,
        actor=actor,
    )
    return task_command(command, tenant, key)


def throw_external_task_error(
    task_id: str,
    *,
    worker: str,
    error_code: str,
    lease: int | None = None,
    message: str = "",
    variables: Mapping[str, Any] | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """End an external task by a BPMN error. Raises: as `complete_external_task`."""
    command = c.ThrowExternalTaskError(
        task=identifier(task_id),
        worker=worker,
        lease=lease,
        error_code=error_code,
        message=message,
        variables=checked(variables),
        actor=actor,
    )
    return task_command(command, tenant, key)


def extend_external_task_lock(
    task_id: str,
    *,
    worker: str,
    lock_ms: int,
    lease: int | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Let a lease end `lock_ms` from now. Returns also `lease_id` and `lock_expires_at`. Raises: LeaseConflict …."""
    command = c.ExtendExternalTaskLock(
        task=identifier(task_id), worker=worker, lease=lease, lock_ms=lock_ms, actor=actor
    )

    def produce() -> Answer:
        outcome = done(execute(Request(command, tenant)))
        lease_id, expires_at = outcome.answer["lease"], outcome.answer["expires_at"].isoformat()
        return task_answer(command.task, outcome) | {"lease_id": lease_id, "lock_expires_at": expires_at}

    return answer_once(key, tenant, produce)


def unlock_external_task(
    task_id: str,
    *,
    worker: str | None = None,
    lease: int | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Give a task back; without worker it is an operator's act. Raises: TaskNotFound, LeaseConflict."""
    command = c.UnlockExternalTask(task=identifier(task_id), worker=worker, lease=lease, actor=actor)
    return task_command(command, tenant, key)


def set_external_task_retries(
    task_id: str, *, retries: int, tenant: str = "", actor: str = "", key: Idempotency | None = None
) -> Answer:
    """Set the retries of a task that has not failed for good. Raises: TaskNotFound, TaskClosed, Invalid."""
    return task_command(
        c.SetExternalTaskRetries(task=identifier(task_id), retries=retries, actor=actor), tenant, key
    )


def set_external_task_priority(
    task_id: str, *, priority: int, tenant: str = "", actor: str = "", key: Idempotency | None = None
) -> Answer:
    """Set the priority of a task. Raises: TaskNotFound, TaskClosed."""
    return task_command(
        c.SetExternalTaskPriority(task=identifier(task_id), priority=priority, actor=actor), tenant, key
    )
