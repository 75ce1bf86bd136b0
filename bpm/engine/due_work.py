"""What operators do with work that will come due: jobs and timers."""

from __future__ import annotations

from datetime import datetime

from bpm.core import commands as c
from bpm.core import errors
from bpm.core import operations as o
from bpm.engine.answers import Answer, answer_once, done, identifier, instance_answer
from bpm.shell.execute import execute
from bpm.shell.idempotency import Idempotency
from bpm.shell.outcome import Done
from bpm.shell.requests import Request


def set_job_retries(
    job_id: str, *, retries: int, tenant: str = "", actor: str = "", key: Idempotency | None = None
) -> Answer:
    """Give a waiting job another number of retries, or try one again that has failed for good.

    Raises:
        JobNotFound, JobClosed, InstanceEnded, Suspended, Invalid.
    """
    return _about_job(o.SetJobRetries(job=_job(job_id), retries=retries, actor=actor), tenant, key)


def change_job(
    job_id: str, *, available_at: datetime, tenant: str = "", actor: str = "", key: Idempotency | None = None
) -> Answer:
    """Let a waiting job become due at another time. Raises: JobNotFound, JobClosed, InstanceEnded."""
    return _about_job(o.ChangeJob(job=_job(job_id), available_at=available_at, actor=actor), tenant, key)


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
    timer_id: str, *, due_at: datetime, tenant: str = "", actor: str = "", key: Idempotency | None = None
) -> Answer:
    """Let a scheduled timer become due at another time. Raises: TimerNotFound, TimerClosed, InstanceEnded."""
    return _about_timer(o.ChangeTimer(timer=_timer(timer_id), due_at=due_at, actor=actor), tenant, key)


def fire_timer(timer_id: str, *, tenant: str = "", actor: str = "", key: Idempotency | None = None) -> Answer:
    """Fire a scheduled timer now. Raises: TimerNotFound, TimerClosed, InstanceEnded, Suspended."""
    return _about_timer(o.FireTimer(timer=_timer(timer_id), actor=actor), tenant, key)


def delete_timer(
    timer_id: str, *, tenant: str = "", actor: str = "", key: Idempotency | None = None
) -> Answer:
    """Take a scheduled timer away; a token that waits for nothing else fails, and a retry makes a new timer.

    Raises:
        TimerNotFound, TimerClosed, InstanceEnded, Suspended.
    """
    return _about_timer(o.DeleteTimer(timer=_timer(timer_id), actor=actor), tenant, key)


def _job(job_id: str) -> str:
    return identifier(job_id, errors.JobNotFound)


def _timer(timer_id: str) -> str:
    return identifier(timer_id, errors.TimerNotFound)


def _about_job(command: c.JobCommand, tenant: str, key: Idempotency | None) -> Answer:
    return answer_once(key, tenant, lambda: _job_answer(command.job, done(execute(Request(command, tenant)))))


def _job_answer(job: str, done: Done) -> Answer:
    return {"job_id": job, **instance_answer(done)}


def _about_timer(command: o.TimerCommand, tenant: str, key: Idempotency | None) -> Answer:
    def produce() -> Answer:
        return {"timer_id": command.timer, **instance_answer(done(execute(Request(command, tenant))))}

    return answer_once(key, tenant, produce)
