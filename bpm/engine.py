"""The write front door: everything that changes the engine's state goes through here.

Every function takes a `tenant`, an `actor` who stands on the events, and optionally an idempotency `key`; it returns a
JSON-able answer, or raises an error of `bpm.core.errors`. Ids are UUID text; an id that is none is not found. Inside a
transaction of the caller the engine commits and rolls back with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bpm.core import commands as c
from bpm.core import errors
from bpm.core.errors import EngineError, NotFound
from bpm.core.values import check_variables
from bpm.shell import deploy as _deploy
from bpm.shell import leases
from bpm.shell.configuration import setting
from bpm.shell.definitions import is_id
from bpm.shell.due import expire_jobs, expire_leases, fire_due_timers, run_due_jobs
from bpm.shell.execute import execute, execute_many
from bpm.shell.heartbeats import signs_of_life
from bpm.shell.idempotency import Idempotency, once
from bpm.shell.jobs import ClaimedJob, claim_jobs, complete_job, fail_job, renew_jobs, throw_job_error
from bpm.shell.leases import work_waits
from bpm.shell.outcome import Done, Outcome
from bpm.shell.requests import Request
from bpm.shell.starts import Start

Answer = dict[str, Any]


def deploy(
    resources: Sequence[tuple[str, bytes]],
    *,
    tenant: str = "",
    name: str = "",
    actor: str = "",
    duplicate_filtering: bool = True,
    force_executable: bool = False,
    key: Idempotency | None = None,
) -> Answer:
    """Deploy files; see `bpm.shell.deploy.deploy`."""
    return _once(
        key,
        tenant,
        lambda: _deploy.deploy(
            resources,
            tenant=tenant,
            name=name,
            actor=actor,
            duplicate_filtering=duplicate_filtering,
            force_executable=force_executable,
        ),
    )


def start(
    process: str,
    *,
    version: int | None = None,
    business_key: str | None = None,
    variables: Mapping[str, Any] | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Start an instance of the latest version of a key, of a version, or of a definition by id.

    Returns:
        `instance_id status definition_id process_def_id business_key continuing`.

    Raises:
        DefinitionNotFound, NotStartable, VariableInvalid.
    """
    one = Start(
        process=process,
        version=version,
        tenant=tenant,
        business_key=business_key,
        variables=_checked(variables),
        actor=actor,
    )
    return _once(key, tenant, lambda: _instance(_done(execute(one))))


def start_many(starts: Sequence[Start]) -> list[Answer | EngineError]:
    """Start instances in one transaction; one outcome each, in order."""
    for one in starts:
        _checked(one.variables)
    return [_instance(one) if isinstance(one, Done) else one for one in execute_many(starts)]


def cancel(
    instance_id: str, *, reason: str = "", tenant: str = "", actor: str = "", key: Idempotency | None = None
) -> Answer:
    """End an instance with all that is in it.

    Raises:
        InstanceNotFound, InstanceEnded, TooLarge.
    """
    command = c.CancelInstance(reason=reason, actor=actor)
    request = Request(command, tenant, _id(instance_id, errors.InstanceNotFound))
    return _once(key, tenant, lambda: _instance(_done(execute(request))))


def set_variables(
    instance_id: str,
    *,
    variables: Mapping[str, Any],
    scope: str | None = None,
    local: bool = False,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Set variables of an instance, or of one scope in it.

    Raises:
        InstanceNotFound, InstanceEnded, Suspended, VariableInvalid, Invalid.
    """
    where = _id(scope or instance_id, errors.InstanceNotFound)
    command = c.SetVariables(scope=where, variables=_checked(variables), local=local, actor=actor)
    return _once(key, tenant, lambda: _instance(_done(execute(Request(command, tenant)))))


# user tasks


def complete_task(
    task_id: str,
    *,
    variables: Mapping[str, Any] | None = None,
    user: str | None = None,
    groups: frozenset[str] = frozenset(),
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Complete a user task, as `user` (assignee or, unassigned, candidate) or, with None, whoever it is.

    Raises:
        TaskNotFound, TaskClosed, TaskNotYours, InstanceEnded, Suspended, VariableInvalid.
    """
    command = c.CompleteUserTask(
        task=_id(task_id), variables=_checked(variables), user=user, groups=groups, actor=actor
    )
    return _task(command, tenant, key)


def claim_task(
    task_id: str,
    *,
    user: str,
    groups: frozenset[str] = frozenset(),
    check: bool = True,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Take a user task. Raises: TaskNotFound, TaskClosed, TaskNotYours."""
    command = c.ClaimUserTask(task=_id(task_id), user=user, groups=groups, check=check, actor=actor)
    return _task(command, tenant, key)


def unclaim_task(
    task_id: str,
    *,
    user: str | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Give a user task back. Raises: TaskNotFound, TaskClosed, TaskNotYours."""
    return _task(c.UnclaimUserTask(task=_id(task_id), user=user, actor=actor), tenant, key)


def assign_task(
    task_id: str,
    *,
    assignee: str | None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Give a user task to somebody, or with None or blank text to nobody. Raises: TaskNotFound, TaskClosed."""
    return _task(c.AssignUserTask(task=_id(task_id), assignee=assignee, actor=actor), tenant, key)


# external tasks


def fetch_and_lock(
    worker: str,
    *,
    topics: Sequence[str],
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
        task=_id(task_id), worker=worker, lease=lease, variables=_checked(variables), actor=actor
    )
    return _task(command, tenant, key)


def complete_external_tasks(
    items: Sequence[Mapping[str, Any]], *, tenant: str = "", actor: str = ""
) -> list[Answer | EngineError]:
    """Complete many external tasks in one transaction.

    Args:
        items: each with `task_id`, `worker`, and optionally `lease` and `variables`.

    Returns:
        One answer or refusal each, in order.
    """
    outcomes: list[Answer | EngineError] = [errors.TaskNotFound()] * len(items)
    requests: list[Request] = []
    places: list[int] = []
    for place, item in enumerate(items):
        try:
            command = c.CompleteExternalTask(
                task=_id(item["task_id"]),
                worker=item["worker"],
                lease=item.get("lease"),
                variables=_checked(item.get("variables")),
                actor=actor,
            )
        except EngineError as refusal:
            outcomes[place] = refusal
            continue
        requests.append(Request(command, tenant))
        places.append(place)
    for place, request, outcome in zip(places, requests, execute_many(requests), strict=True):
        outcomes[place] = _task_answer(request.ids[0], outcome) if isinstance(outcome, Done) else outcome
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
        task=_id(task_id),
        worker=worker,
        lease=lease,
        error=error,
        details=details,
        retries=retries,
        retry_after_ms=retry_after_ms,
        actor=actor,
    )
    return _task(command, tenant, key)


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
        task=_id(task_id),
        worker=worker,
        lease=lease,
        error_code=error_code,
        message=message,
        variables=_checked(variables),
        actor=actor,
    )
    return _task(command, tenant, key)


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
        task=_id(task_id), worker=worker, lease=lease, lock_ms=lock_ms, actor=actor
    )

    def produce() -> Answer:
        done = _done(execute(Request(command, tenant)))
        lease_id, expires_at = done.answer["lease"], done.answer["expires_at"].isoformat()
        return _task_answer(command.task, done) | {"lease_id": lease_id, "lock_expires_at": expires_at}

    return _once(key, tenant, produce)


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
    command = c.UnlockExternalTask(task=_id(task_id), worker=worker, lease=lease, actor=actor)
    return _task(command, tenant, key)


def set_external_task_retries(
    task_id: str, *, retries: int, tenant: str = "", actor: str = "", key: Idempotency | None = None
) -> Answer:
    """Set the retries of a task that has not failed for good. Raises: TaskNotFound, TaskClosed, Invalid."""
    return _task(c.SetExternalTaskRetries(task=_id(task_id), retries=retries, actor=actor), tenant, key)


def set_external_task_priority(
    task_id: str, *, priority: int, tenant: str = "", actor: str = "", key: Idempotency | None = None
) -> Answer:
    """Set the priority of a task. Raises: TaskNotFound, TaskClosed."""
    return _task(c.SetExternalTaskPriority(task=_id(task_id), priority=priority, actor=actor), tenant, key)


# repair


def retry_token(
    token_id: str,
    *,
    retries: int | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Try again where a token failed. Raises: TokenNotFound, NothingToRetry, InstanceEnded, Suspended, Invalid."""
    command = c.RetryToken(token=_id(token_id, errors.TokenNotFound), retries=retries, actor=actor)
    return _once(key, tenant, lambda: _instance(_done(execute(Request(command, tenant)))))


def retry_dead_letter(
    task_id: str,
    *,
    retries: int | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Offer a failed external task again, with its initial retries or those given.

    Raises:
        TaskNotFound, NothingToRetry, InstanceEnded, Suspended, Invalid.
    """
    from bpm.models import ExternalTask

    token = (
        ExternalTask.objects.filter(id=_id(task_id), tenant=tenant).values_list("token", flat=True).first()
    )
    if token is None:
        raise errors.TaskNotFound(id=task_id)
    return retry_token(str(token), retries=retries, tenant=tenant, actor=actor, key=key)


def resolve_incident(
    incident_id: str,
    *,
    retries: int | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Resolve an incident by trying again where its token failed.

    Raises:
        IncidentNotFound, NothingToRetry, InstanceEnded, Suspended, Invalid.
    """
    from bpm.models import Incident

    wanted = _id(incident_id, errors.IncidentNotFound)
    token = Incident.objects.filter(id=wanted, tenant=tenant).values_list("token", flat=True).first()
    if token is None:
        raise errors.IncidentNotFound(id=incident_id)
    return retry_token(str(token), retries=retries, tenant=tenant, actor=actor, key=key)


# what the functions above share


def _once(key: Idempotency | None, tenant: str, produce: Callable[[], Answer]) -> Answer:
    answer: Answer = once(key, tenant, produce)
    return answer


def _task(command: c.TaskCommand, tenant: str, key: Idempotency | None) -> Answer:
    request = Request(command, tenant)
    return _once(key, tenant, lambda: _task_answer(command.task, _done(execute(request))))


def _task_answer(task_id: str, done: Done) -> Answer:
    return {"task_id": task_id, **_instance(done)}


def _instance(done: Done) -> Answer:
    return {
        "instance_id": done.instance_id,
        "status": done.status,
        "definition_id": done.definition_id,
        "process_def_id": done.process_def_id,
        "business_key": done.business_key,
        "continuing": done.continuing,
    }


def _done(outcome: Outcome) -> Done:
    if isinstance(outcome, EngineError):
        raise outcome
    return outcome


def _checked(variables: Mapping[str, Any] | None) -> dict[str, Any]:
    return check_variables(dict(variables or {}), max_bytes=setting("MAX_VARIABLE_BYTES"))


def _id(text: str, missing: type[NotFound] = errors.TaskNotFound) -> str:
    if not is_id(text):
        raise missing(id=str(text)[:100])
    return text.lower()


__all__ = [
    "Answer",
    "ClaimedJob",
    "EngineError",
    "Idempotency",
    "Start",
    "assign_task",
    "cancel",
    "claim_jobs",
    "claim_task",
    "complete_external_task",
    "complete_external_tasks",
    "complete_job",
    "complete_task",
    "deploy",
    "errors",
    "expire_jobs",
    "expire_leases",
    "extend_external_task_lock",
    "fail_external_task",
    "fail_job",
    "fetch_and_lock",
    "fire_due_timers",
    "renew_jobs",
    "resolve_incident",
    "retry_dead_letter",
    "retry_token",
    "run_due_jobs",
    "set_external_task_priority",
    "set_external_task_retries",
    "set_variables",
    "signs_of_life",
    "start",
    "start_many",
    "throw_external_task_error",
    "throw_job_error",
    "unclaim_task",
    "unlock_external_task",
    "work_waits",
]
