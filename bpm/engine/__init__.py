"""The write front door: everything that changes the engine's state goes through here.

Every function takes a `tenant`, an `actor` who stands on the events, and optionally an idempotency `key`; it returns a
JSON-able answer, or raises an error of `bpm.core.errors`. Ids are UUID text; an id that is none is not found. Inside a
transaction of the caller the engine commits and rolls back with it.
"""

from __future__ import annotations

from bpm.core import errors
from bpm.core.errors import EngineError
from bpm.core.instructions import (
    CancelAll,
    CancelScope,
    CancelToken,
    Instruction,
    StartAfter,
    StartAtFlow,
    StartBefore,
)
from bpm.engine.answers import Answer
from bpm.engine.definitions import (
    activate_definition,
    delete_definition,
    delete_deployment,
    suspend_definition,
)
from bpm.engine.deployments import deploy
from bpm.engine.due_work import (
    change_job,
    change_timer,
    delete_job,
    delete_timer,
    fire_timer,
    run_job,
    set_job_retries,
)
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
from bpm.engine.instances import cancel, start, start_many
from bpm.engine.messages import (
    correlate,
    evaluate_conditions,
    signal,
    trigger_message,
    trigger_receive_task,
)
from bpm.engine.migration import MigrationPlan, execute_migration, migrate, plan_migration, preview_migration
from bpm.engine.modification import modify, preview_modification
from bpm.engine.proof import (
    close_replay,
    erase_personal_data,
    find_replay,
    freeze,
    open_replay,
    seek_replay,
    step_replay,
)
from bpm.engine.repair import resolve_incident, retry_dead_letter, retry_incidents, retry_token
from bpm.engine.retention import clear_retention, set_retention
from bpm.engine.starts import change_start, disarm_start, trigger_start
from bpm.engine.suspension import activate, suspend
from bpm.engine.task_operations import (
    comment_task,
    delegate_task,
    resolve_task,
    throw_task_error,
    throw_task_escalation,
    update_task,
)
from bpm.engine.user_tasks import assign_task, claim_task, complete_task, unclaim_task
from bpm.engine.variables import (
    remove_task_variables,
    remove_variables,
    set_activity_variables,
    set_task_variables,
    set_variables,
)
from bpm.shell.buffer import match_buffered
from bpm.shell.due import expire_jobs, expire_leases, fire_due_timers, run_due_jobs
from bpm.shell.heartbeats import Life, signs_of_life
from bpm.shell.idempotency import Idempotency
from bpm.shell.jobs import ClaimedJob, claim_jobs, complete_job, fail_job, renew_jobs, throw_job_error
from bpm.shell.leases import work_waits
from bpm.shell.observing import Execution, Observed, Observer, unwatch, watch
from bpm.shell.outbox import deliver_due
from bpm.shell.remembering.memory import wrongly_remembered
from bpm.shell.removal import PACE as REMOVAL_PACE
from bpm.shell.removal import Removed, count_expired, remove_expired
from bpm.shell.start_timers import fire_due_starts
from bpm.shell.starts import Start
from bpm.shell.topics import MAX_VALUES, Topic

__all__ = [
    "MAX_VALUES",
    "REMOVAL_PACE",
    "Answer",
    "CancelAll",
    "CancelScope",
    "CancelToken",
    "ClaimedJob",
    "EngineError",
    "Execution",
    "Idempotency",
    "Instruction",
    "Life",
    "MigrationPlan",
    "Observed",
    "Observer",
    "Removed",
    "Start",
    "StartAfter",
    "StartAtFlow",
    "StartBefore",
    "Topic",
    "activate",
    "activate_definition",
    "assign_task",
    "cancel",
    "change_job",
    "change_start",
    "change_timer",
    "claim_jobs",
    "claim_task",
    "clear_retention",
    "close_replay",
    "comment_task",
    "complete_external_task",
    "complete_external_tasks",
    "complete_job",
    "complete_task",
    "correlate",
    "count_expired",
    "delegate_task",
    "delete_definition",
    "delete_deployment",
    "delete_job",
    "delete_timer",
    "deliver_due",
    "deploy",
    "disarm_start",
    "erase_personal_data",
    "errors",
    "evaluate_conditions",
    "execute_migration",
    "expire_jobs",
    "expire_leases",
    "extend_external_task_lock",
    "fail_external_task",
    "fail_job",
    "fetch_and_lock",
    "find_replay",
    "fire_due_starts",
    "fire_due_timers",
    "fire_timer",
    "freeze",
    "match_buffered",
    "migrate",
    "modify",
    "open_replay",
    "plan_migration",
    "preview_migration",
    "preview_modification",
    "remove_expired",
    "remove_task_variables",
    "remove_variables",
    "renew_jobs",
    "resolve_incident",
    "resolve_task",
    "retry_dead_letter",
    "retry_incidents",
    "retry_token",
    "run_due_jobs",
    "run_job",
    "seek_replay",
    "set_activity_variables",
    "set_external_task_priority",
    "set_external_task_retries",
    "set_job_retries",
    "set_retention",
    "set_task_variables",
    "set_variables",
    "signal",
    "signs_of_life",
    "start",
    "start_many",
    "step_replay",
    "suspend",
    "suspend_definition",
    "throw_external_task_error",
    "throw_job_error",
    "throw_task_error",
    "throw_task_escalation",
    "trigger_message",
    "trigger_receive_task",
    "trigger_start",
    "unclaim_task",
    "unlock_external_task",
    "unwatch",
    "update_task",
    "watch",
    "work_waits",
    "wrongly_remembered",
]
