"""How the rows of a state stand in tables: one specification per table, used by reading and writing alike."""

from __future__ import annotations

from typing import Final

from bpm.core.rows import (
    Comment,
    CompensationRecord,
    CompensationStatus,
    ExternalStatus,
    ExternalTask,
    Incident,
    Job,
    JobStatus,
    JoinState,
    JoinStatus,
    Scope,
    ScopeStatus,
    Subscription,
    Timer,
    TimerStatus,
    UserStatus,
    UserTask,
    Variable,
)
from bpm.core.token import Token, TokenStatus, Wait
from bpm.shell.columns import BOOL, INT, JSON, TIME, UUID
from bpm.shell.table_spec import TableSpec

SCOPES = TableSpec(
    name="scopes",
    table="bpm_scope",
    row=Scope,
    kinds={
        "id": UUID,
        "parent": UUID,
        "outer_token": UUID,
        "live_tokens": INT,
        "live_scopes": INT,
        "open_joins": JSON,
        "begun": INT,
        "started_at": TIME,
        "ended_at": TIME,
        "compensable": INT,
    },
    enums={"status": ScopeStatus},
    usual=("status", "live_tokens", "live_scopes", "begun", "ended_at"),
    live="status = 'ACTIVE'",
)
VARIABLES = TableSpec(
    name="variables",
    table="bpm_variable",
    row=Variable,
    kinds={"scope": UUID},
    key=("instance_id", "scope", "name"),
    live="true",
)
TOKENS = TableSpec(
    name="tokens",
    table="bpm_token",
    row=Token,
    kinds={
        "id": UUID,
        "scope": UUID,
        "final": BOOL,
        "groups": JSON,
        "parallel_group": UUID,
        "join": UUID,
        "attempt": INT,
        "created_at": TIME,
        "called": UUID,
    },
    enums={"status": TokenStatus, "wait": Wait},
    usual=("node", "status", "wait", "final", "flow", "phase"),
    live="NOT final",
)
JOINS = TableSpec(
    name="joins",
    table="bpm_paralleljoinstate",
    row=JoinState,
    kinds={
        "id": UUID,
        "scope": UUID,
        "group": UUID,
        "generation": INT,
        "expected": INT,
        "arrived": INT,
        "opened_at": TIME,
        "closed_at": TIME,
        "flows": JSON,
    },
    enums={"status": JoinStatus},
    usual=("arrived", "status", "closed_at"),
    live="true",
)
EXTERNAL_TASKS = TableSpec(
    name="external_tasks",
    table="bpm_externaltask",
    row=ExternalTask,
    kinds={
        "id": UUID,
        "token": UUID,
        "priority": INT,
        "retries": INT,
        "initial_retries": INT,
        "lease": INT,
        "lease_expires_at": TIME,
        "available_at": TIME,
        "expiries": INT,
        "failures": INT,
        "created_at": TIME,
        "closed_at": TIME,
    },
    enums={"status": ExternalStatus},
    tenant=True,
    suspendable=True,
    usual=("status", "worker", "lease", "lease_expires_at", "outcome", "closed_at"),
    live="status IN ('READY', 'LOCKED', 'FAILED')",
)
USER_TASKS = TableSpec(
    name="user_tasks",
    table="bpm_usertask",
    row=UserTask,
    kinds={
        "id": UUID,
        "token": UUID,
        "candidate_users": JSON,
        "candidate_groups": JSON,
        "due_at": TIME,
        "follow_up_at": TIME,
        "priority": INT,
        "created_at": TIME,
        "closed_at": TIME,
    },
    enums={"status": UserStatus},
    tenant=True,
    usual=("status", "assignee", "closed_at"),
    live="status = 'OPEN'",
)
TIMERS = TableSpec(
    name="timers",
    table="bpm_timer",
    row=Timer,
    kinds={
        "id": UUID,
        "token": UUID,
        "scope": UUID,
        "due_at": TIME,
        "series": UUID,
        "number": INT,
        "anchor": TIME,
        "created_at": TIME,
        "closed_at": TIME,
        "priority": INT,
    },
    enums={"status": TimerStatus},
    tenant=True,
    suspendable=True,
    usual=("status", "closed_at"),
    live="status = 'SCHEDULED'",
)
JOBS = TableSpec(
    name="jobs",
    table="bpm_job",
    row=Job,
    kinds={
        "id": UUID,
        "token": UUID,
        "retries": INT,
        "initial_retries": INT,
        "attempts": INT,
        "crashes": INT,
        "available_at": TIME,
        "created_at": TIME,
        "closed_at": TIME,
        "priority": INT,
    },
    enums={"status": JobStatus},
    tenant=True,
    suspendable=True,
    usual=("status", "attempts", "kept", "closed_at"),
    live="status IN ('READY', 'RUNNING', 'FAILED')",
)
SUBSCRIPTIONS = TableSpec(
    name="subscriptions",
    table="bpm_subscription",
    row=Subscription,
    kinds={
        "id": UUID,
        "token": UUID,
        "scope": UUID,
        "interrupting": BOOL,
        "created_at": TIME,
        "closed_at": TIME,
    },
    tenant=True,
    usual=("status", "closed_at"),
    live="status = 'OPEN'",
)
INCIDENTS = TableSpec(
    name="incidents",
    table="bpm_incident",
    row=Incident,
    kinds={"id": UUID, "token": UUID, "created_at": TIME, "closed_at": TIME},
    tenant=True,
    live="status = 'OPEN'",
)
COMPENSATIONS = TableSpec(
    name="compensations",
    table="bpm_compensationrecord",
    row=CompensationRecord,
    kinds={
        "id": UUID,
        "scope": UUID,
        "inner": UUID,
        "position": INT,
        "throw": UUID,
        "waiter": UUID,
        "target": UUID,
        "opened": UUID,
        "created_at": TIME,
        "closed_at": TIME,
    },
    enums={"status": CompensationStatus},
    live="status IN ('OPEN', 'TRIGGERED', 'RUNNING')",
)
COMMENTS = TableSpec(
    name="comments",
    table="bpm_comment",
    row=Comment,
    kinds={"id": UUID, "task": UUID, "created_at": TIME},
    tenant=True,
    live="false",
)

SPECS: Final[dict[str, TableSpec]] = {
    spec.name: spec
    for spec in (
        SCOPES,
        VARIABLES,
        TOKENS,
        JOINS,
        EXTERNAL_TASKS,
        USER_TASKS,
        TIMERS,
        JOBS,
        SUBSCRIPTIONS,
        INCIDENTS,
        COMPENSATIONS,
        COMMENTS,
    )
}
"""By attribute of `State`."""
