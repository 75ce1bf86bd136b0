"""Running an in-process handler of a scenario: what it does becomes the command that reports it."""

from __future__ import annotations

from typing import Any

from bpm.core import commands as c
from bpm.core.ids import Id
from bpm.core.lookup import visible_variables
from bpm.core.rows import InstanceStatus, JobStatus
from tests.support.hosts import HandlerThrew, HandlerVanished, Host, Work


def run_job(host: Host, instance: Id, job: Id) -> None:
    """Start a job and, where it is a handler's, run the handler and report; a handler that vanished reports nothing."""
    answer = host.execute(instance, c.StartJob(job=job))
    if answer.get("handler"):
        result = _result(host, instance, job, answer)
        if result is not None:
            host.execute(instance, result)


def run_due_jobs(host: Host, instance: Id, *, handlers: bool) -> int:
    """Run the jobs of an instance that are due now, by priority, then in order of creation; return how many."""
    if host.state(instance).instance.status is InstanceStatus.SUSPENDED:
        return 0
    due = [
        job.id
        for job in sorted(host.state(instance).jobs.values(), key=lambda job: (-job.priority, job.id))
        if job.status is JobStatus.READY
        and job.available_at <= host.clock.now
        and (handlers or job.kind != "handler")
    ]
    done = 0
    for job in due:
        if host.state(instance).jobs[job].status is JobStatus.READY:
            run_job(host, instance, job)
            done += 1
    return done


def _result(host: Host, instance: Id, job: Id, answer: dict[str, Any]) -> c.Command | None:
    attempt = answer["attempt"]
    kind, name = answer["handler"].split(":", 1)
    state = host.state(instance)
    variables = visible_variables(state, state.tokens[answer["token"]].scope)
    work = Work(instance, host.graph(instance).nodes[answer["node"]], attempt, variables)
    try:
        returned = host.handlers[kind, name](work)
    except HandlerVanished:
        return None
    except HandlerThrew as thrown:
        return c.ThrowJobError(
            job=job,
            attempt=attempt,
            error_code=thrown.code,
            message=thrown.message,
            variables=thrown.variables,
        )
    except Exception as error:  # noqa: BLE001 - whatever a handler raises fails its job
        return c.FailJob(job=job, attempt=attempt, error=str(error))
    return c.CompleteJob(job=job, attempt=attempt, variables=returned or {})
