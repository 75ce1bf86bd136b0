"""What an explanation says: for every waiting token what it waits for, and what would move it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class UserTaskWait:
    """A person has to do it; `delegation` is PENDING while somebody else does a part of it."""

    task_id: str
    name: str
    assignee: str | None
    candidate_users: tuple[str, ...]
    candidate_groups: tuple[str, ...]
    due_at: datetime | None
    delegation: str


@dataclass(frozen=True, slots=True)
class ExternalTaskWait:
    """A worker has to do it: the one that holds the lease, or whoever fetches it from `available_at`."""

    task_id: str
    task_type: str
    status: str
    worker_id: str | None
    lock_expires_at: datetime | None
    available_at: datetime
    retries: int
    error: str | None


@dataclass(frozen=True, slots=True)
class TimerWait:
    """A due time; `overdue`: it has passed, and a loop, or activation, will fire it."""

    timer_id: str
    node_id: str
    due_at: datetime
    overdue: bool


@dataclass(frozen=True, slots=True)
class SubscriptionWait:
    """A message, signal or condition; `correlation` is the value that a message must match, null where any does."""

    subscription_id: str
    node_id: str
    kind: str
    name: str
    correlation: str


@dataclass(frozen=True, slots=True)
class JobWait:
    """Work of the engine: a cluster takes it from `available_at`, or `owner` is at it until its lease runs out."""

    job_id: str
    kind: str
    handler: str
    status: str
    available_at: datetime
    retries: int
    owner: str | None
    lease_expires_at: datetime | None
    result_kept: bool


@dataclass(frozen=True, slots=True)
class MissingFlow:
    """An incoming flow of a join that holds no token; `tokens` are those of its group that can still come."""

    flow_id: str
    source_node_id: str
    tokens: tuple[str, ...]
    can_come: bool


@dataclass(frozen=True, slots=True)
class JoinWait:
    """Other branches; the join fires when no flow is missing, an inclusive one when none that is can come."""

    join_id: str
    kind: str
    arrived: int
    expected: int
    missing: tuple[MissingFlow, ...]


@dataclass(frozen=True, slots=True)
class ScopeWait:
    """What is inside an activity."""

    scope_id: str
    kind: str
    live_tokens: int
    live_scopes: int


@dataclass(frozen=True, slots=True)
class CallWait:
    """A called instance; `status` is None before it has started."""

    instance_id: str
    status: str | None


@dataclass(frozen=True, slots=True)
class IncidentWait:
    """Somebody has to look at it."""

    incident_id: str
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class TokenExplanation:
    """One live token.

    Attributes:
        status: `Suspended` hides what it waits for only from the token, not from here.
        waits_for: `user_task`, `external_task`, `timer`, `message`, `signal`, `condition`, `events`, `join`, `scope`,
            `call`, `job`, `compensation`, `caller` or `incident`.
        moved_by: one sentence.
    """

    token_id: str
    node_id: str
    scope_id: str
    status: str
    suspended: bool
    waits_for: str
    moved_by: str
    user_task: UserTaskWait | None = None
    external_task: ExternalTaskWait | None = None
    job: JobWait | None = None
    join: JoinWait | None = None
    scope: ScopeWait | None = None
    call: CallWait | None = None
    incident: IncidentWait | None = None
    timers: tuple[TimerWait, ...] = ()
    subscriptions: tuple[SubscriptionWait, ...] = ()


@dataclass(frozen=True, slots=True)
class ScopeExplanation:
    """What an active scope itself waits for: its boundary events and event subprocesses.

    Attributes:
        deadlocked: only tokens that wait at joins are left in it, so nothing in it will move by itself.
    """

    scope_id: str
    node_id: str
    kind: str
    deadlocked: bool
    timers: tuple[TimerWait, ...]
    subscriptions: tuple[SubscriptionWait, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an instance stands where it stands.

    Attributes:
        tokens: its live tokens, the oldest 1,000.
        scopes: those of its active scopes that wait for something themselves or are deadlocked.
    """

    instance_id: str
    status: str
    suspended_because: str | None
    tokens: tuple[TokenExplanation, ...]
    scopes: tuple[ScopeExplanation, ...]
