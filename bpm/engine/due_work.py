"""What operators do with work that will come due: jobs and timers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from bpm.core import commands as c
from bpm.core import errors
from bpm.core import operations as o
from bpm.engine.answers import Answer, answer_once, done, identifier, instance_answer
from bpm.engine.starts import change_start, disarm_start, trigger_start
from bpm.shell.execute import execute
from bpm.shell.idempotency import Idempotency
from bpm.shell.outcome import Done
from bpm.shell.requests import Request
from bpm.shell.start_operations import start_timer_of


def set_job_retries(
    job_id: str, *, retries: int, tenant: str = "", actor: str = "", key: Idempotency | None = None
) -> Answer:
    """Give a waiting job another number of retries, or try one again that has failed for good.

    Raises:
        JobNotFound, JobClosed, InstanceEnded, Suspended, Invalid.
    """
    return _about_job(o.SetJobRetries(job=_job(job_id), retries=retries, actor=actor), tenant, key)


def change_job(
    job_id: str,
    *,
    available_at: datetime | None = None,
    priority: int | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Let a waiting job become due at another time, or be taken before or after others.

    Raises:
        JobNotFound, JobClosed, InstanceEnded, Invalid.
    """
    command = o.ChangeJob(job=_job(job_id), available_at=available_at, priority=priority, actor=actor)
    return _about_job(command, tenant, key)


def run_job(job_id: str, *, tenant: str = "", actor: str = "", key: Idempotency | None = None) -> Answer:
    """Do a waiting job now: one of the engine's own at once, a handler's as soon as a cluster is free.

    Returns also `done`: whether it has been done.

    Raises:
        JobNotFound, JobClosed, InstanceEnded, Suspended.
    """
    command = o.RunJob(job=_job(job_id), actor=actor)

    def produce() -> Answer:
        outcome = done(execute(Request(command, tenant)))
        return _job_answer(command.job, outcome) | {"done": outcome.answer["done"]}

    return answer_once(key, tenant, produce)


def delete_job(job_id: str, *, tenant: str = "", actor: str = "", key: Idempotency | None = None) -> Answer:
    """Do a job no more: the token that waits for it fails, and a retry makes a new one.

    Raises:
        JobNotFound, InstanceEnded, Suspended.
        JobClosed: it runs, or is over.
    """
    return _about_job(o.DeleteJob(job=_job(job_id), actor=actor), tenant, key)


def change_timer(
    timer_id: str,
    *,
    due_at: datetime | None = None,
    priority: int | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Let a scheduled timer, of an instance or the start of a version, become due at another time or rank otherwise.

    Raises:
        TimerNotFound, TimerClosed, InstanceEnded, Invalid.
    """
    command = o.ChangeTimer(timer=_timer(timer_id), due_at=due_at, priority=priority, actor=actor)
    return _about_timer(
        command,
        tenant,
        key,
        lambda definition: change_start(
            definition, timer_id, due_at=due_at, priority=priority, tenant=tenant, actor=actor
        ),
    )


def fire_timer(timer_id: str, *, tenant: str = "", actor: str = "", key: Idempotency | None = None) -> Answer:
    """Fire a scheduled timer now. Raises: TimerNotFound, TimerClosed, InstanceEnded, Suspended, NotStartable."""
    command = o.FireTimer(timer=_timer(timer_id), actor=actor)
    return _about_timer(
        command,
        tenant,
        key,
        lambda definition: trigger_start(definition, timer_id, tenant=tenant, actor=actor),
    )


def delete_timer(
    timer_id: str, *, tenant: str = "", actor: str = "", key: Idempotency | None = None
) -> Answer:
    """Take a scheduled timer away; a token that waits for nothing else fails, and a retry makes a new timer.

    Raises:
        TimerNotFound, TimerClosed, InstanceEnded, Suspended.
    """
    command = o.DeleteTimer(timer=_timer(timer_id), actor=actor)
    return _about_timer(
        command,
        tenant,
        key,
        lambda definition: disarm_start(definition, timer_id, tenant=tenant, actor=actor),
    )


def _job(job_id: str) -> str:
    return identifier(job_id, errors.JobNotFound)


def _timer(timer_id: str) -> str:
    return identifier(timer_id, errors.TimerNotFound)


def _about_job(command: c.JobCommand, tenant: str, key: Idempotency | None) -> Answer:
    return answer_once(key, tenant, lambda: _job_answer(command.job, done(execute(Request(command, tenant)))))


def _job_answer(job: str, done: Done) -> Answer:
    return {"job_id": job, **instance_answer(done)}


def _about_timer(
    command: o.TimerCommand,
    tenant: str,
    key: Idempotency | None,
    of_definition: Callable[[str], Answer],
) -> Answer:
    """Carry out a command about a timer of an instance, or what is the same for one that starts instances."""

    def produce() -> Answer:
        try:
            found = instance_answer(done(execute(Request(command, tenant))))
        except errors.TimerNotFound:
            definition = start_timer_of(command.timer, tenant)
            if definition is None:
                raise
            found = _of_start(of_definition, definition, command.timer)
        return {"timer_id": command.timer, **found}

    return answer_once(key, tenant, produce)


def _of_start(act: Callable[[str], Answer], definition: str, timer: str) -> Answer:
    try:
        return {"instance_id": None, "status": None, **act(definition)}
    except errors.SubscriptionNotFound:
        raise errors.TimerClosed(timer=timer) from None
