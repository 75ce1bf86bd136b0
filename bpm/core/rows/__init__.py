"""The rows that a state is made of, one class per table (docs/reference/tables.md).

Rows are immutable values; `evolve` replaces them. Times are aware, UTC. An id of an instance's own parts is a UUID
text. Everything here is reproduced by folding the history (semantics §10); what is not (leases of jobs, heartbeats,
outbox, buffer) lives in tables of the shell only.
"""

from __future__ import annotations

from bpm.core.rows.incidents import CompensationRecord, CompensationStatus, Incident
from bpm.core.rows.instances import ENDED, InstanceStatus, JoinState, JoinStatus, Scope, ScopeStatus, Variable
from bpm.core.rows.tasks import (
    PENDING,
    RESOLVED,
    Comment,
    ExternalStatus,
    ExternalTask,
    UserStatus,
    UserTask,
)
from bpm.core.rows.waits import Job, JobStatus, Subscription, Timer, TimerStatus

__all__ = [
    "ENDED",
    "PENDING",
    "RESOLVED",
    "Comment",
    "CompensationRecord",
    "CompensationStatus",
    "ExternalStatus",
    "ExternalTask",
    "Incident",
    "InstanceStatus",
    "Job",
    "JobStatus",
    "JoinState",
    "JoinStatus",
    "Scope",
    "ScopeStatus",
    "Subscription",
    "Timer",
    "TimerStatus",
    "UserStatus",
    "UserTask",
    "Variable",
]
