"""The write front door: everything that changes the engine's state goes through here.

Every function takes a `tenant`, an `actor` who stands on the events, and optionally an idempotency `key`; it returns a
JSON-able answer, or raises an error of `bpm.core.errors`. Ids are UUID text; an id that is none is not found. Inside a
transaction of the caller the engine commits and rolls back with it.
"""

from __future__ import annotations

from bpm.core import errors
from bpm.core.errors import EngineError
from bpm.engine.answers import Answer
from bpm.engine.deployments import deploy
from bpm.engine.external_tasks import (
    complete_external_task,
    complete_external_tasks,
    extend_external_task_lock,
    fail_external_task,
    fetch_and_lock,
    set_external_task_priority,
    set_external_task_retries,
    throw_external_task_error,
    unlock_external_task,
)
from bpm.engine.instances import cancel, set_variables, start, start_many
from bpm.engine.repair import resolve_incident, retry_dead_letter, retry_token
from bpm.engine.user_tasks import assign_task, claim_task, complete_task, unclaim_task
from bpm.shell.due import expire_jobs, expire_leases, fire_due_timers, run_due_jobs
from bpm.shell.heartbeats import signs_of_life
from bpm.shell.idempotency import Idempotency
from bpm.shell.jobs import ClaimedJob, claim_jobs, complete_job, fail_job, renew_jobs, throw_job_error
from bpm.shell.leases import work_waits
from bpm.shell.starts import Start

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
