"""The rows that a state is made of, one class per table (docs/reference/tables.md).

Rows are immutable values; `evolve` replaces them. Times are aware, UTC. An id of an instance's own parts is a UUID
text. Everything here is reproduced by folding the history (semantics §10); what is not (leases of jobs, heartbeats,
outbox, buffer) lives in tables of the shell only.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from bpm.core.ids import Id


class InstanceStatus(StrEnum):
    """Status of an instance; the last two are ends (semantics §1)."""

    RUNNING = "RUNNING"
    SUSPENDED = "SUSPENDED"
    FAILED = "FAILED"
    COMPLETED = "COMPLETED"
    CANCELLED = "CANCELLED"


ENDED = frozenset({InstanceStatus.COMPLETED, InstanceStatus.CANCELLED})


class ScopeStatus(StrEnum):
    """Status of a scope."""

    ACTIVE = "ACTIVE"
    COMPLETED = "COMPLETED"
    TERMINATED = "TERMINATED"


class Scope(NamedTuple):
    """The process itself or an entered subprocess. The root scope has the instance's id.

    Attributes:
        live_tokens: tokens of this scope that are not final.
        live_scopes: active scopes directly inside.
        open_joins: join node to its number of open join states; only nodes with at least one.
        begun: instances that a loop's body, or activities that a sequential ad-hoc subprocess has begun.
        compensable: completed activities of this scope that can be compensated; counted while it is active.
        closing: why nothing new begins here by itself: `condition` or `interrupted` (an ad-hoc subprocess), `saga`
            (what was done is being compensated), `sagaFailed` (likewise, but a handler has failed); else empty.
        cause: kind of the failure that made it close.
    """

    id: Id
    parent: Id | None
    node: str
    kind: str
    outer_token: Id | None
    status: ScopeStatus
    live_tokens: int
    live_scopes: int
    open_joins: Mapping[str, int]
    begun: int
    started_at: datetime
    ended_at: datetime | None
    compensable: int = 0
    closing: str = ""
    cause: str = ""


class Variable(NamedTuple):
    """One variable; `value` is canonical JSON text."""

    scope: Id
    name: str
    value: str


class JoinStatus(StrEnum):
    """Status of a join state; only OPEN is live."""

    OPEN = "OPEN"
    FIRED = "FIRED"
    CLOSED = "CLOSED"


class JoinState(NamedTuple):
    """One waiting convergence of one parallel group at one join (semantics §3).

    Attributes:
        kind: `parallel`, `inclusive`, `complex` (waits for its activation), `reset` (a complex gateway that was
            activated), `quantity` (an activity that starts with several tokens).
        expected: number of incoming flows; of tokens where kind is `quantity`.
        arrived: number of incoming flows that hold at least one token; of tokens where kind is `quantity`.
        generation: 1, 2 … per (scope, node, group).
        flows: incoming flows that a gateway to be reset still waits for; empty otherwise.
    """

    id: Id
    scope: Id
    node: str
    group: Id
    kind: str
    generation: int
    expected: int
    arrived: int
    status: JoinStatus
    opened_at: datetime
    closed_at: datetime | None
    flows: tuple[str, ...] = ()


class ExternalStatus(StrEnum):
    """Status of an external task (semantics §5)."""

    READY = "READY"
    LOCKED = "LOCKED"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class ExternalTask(NamedTuple):
    """Work for a worker outside the engine.

    Attributes:
        lease: grows with each lease of this task; 0 before the first.
        initial_retries: what a retry without a number restores.
        outcome: `complete`, `fail` or `bpmn-error` with the fingerprint of the body that ended the last lease.
    """

    id: Id
    token: Id
    node: str
    topic: str
    status: ExternalStatus
    priority: int
    retries: int
    initial_retries: int
    worker: str | None
    lease: int
    lease_expires_at: datetime | None
    available_at: datetime
    expiries: int
    failures: int
    error: str | None
    error_details: str | None
    outcome: str | None
    created_at: datetime
    closed_at: datetime | None


class UserStatus(StrEnum):
    """Status of a user task."""

    OPEN = "OPEN"
    COMPLETED = "COMPLETED"
    CANCELLED = "CANCELLED"


PENDING, RESOLVED = "PENDING", "RESOLVED"
"""A delegated user task: somebody else does a part of it, or has done it."""


class UserTask(NamedTuple):
    """Work for a person. An empty assignee is None, never blank text.

    Attributes:
        owner: who gets it back when it was delegated.
        delegation: empty, PENDING or RESOLVED.
    """

    id: Id
    token: Id
    node: str
    name: str
    status: UserStatus
    assignee: str | None
    owner: str | None
    candidate_users: tuple[str, ...]
    candidate_groups: tuple[str, ...]
    due_at: datetime | None
    follow_up_at: datetime | None
    priority: int
    form_key: str | None
    created_at: datetime
    closed_at: datetime | None
    delegation: str = ""


class TimerStatus(StrEnum):
    """Status of a timer row."""

    SCHEDULED = "SCHEDULED"
    FIRED = "FIRED"
    CANCELLED = "CANCELLED"


class Timer(NamedTuple):
    """One due time. Each due time of a cycle is a row of its own with the same `series` (semantics §6).

    Attributes:
        number: 0 for the first due time of the series.
        anchor: the instant from which a cycle counts.
        expression: evaluated text of the timer (`PT10S`, `R3/PT1M`, a date, cron).
    """

    id: Id
    token: Id | None
    scope: Id
    node: str
    kind: str
    status: TimerStatus
    due_at: datetime
    series: Id
    number: int
    anchor: datetime
    expression: str
    created_at: datetime
    closed_at: datetime | None


class JobStatus(StrEnum):
    """Status of a job; a cluster's lease on it is kept outside the fold."""

    READY = "READY"
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class Job(NamedTuple):
    """Due work of the engine itself (semantics §4, §5).

    Attributes:
        kind: `handler`, `before`, `after` or `continuation`.
        handler: name of the registered handler, with its kind (`service:pay`, `script:python`); empty otherwise.
        attempts: how often it was started.
        crashes: how often its cluster vanished without a result.
        kept: result that came while the instance was suspended, as canonical JSON text; applied on activation.
    """

    id: Id
    token: Id
    node: str
    kind: str
    handler: str
    status: JobStatus
    retries: int
    initial_retries: int
    attempts: int
    crashes: int
    available_at: datetime
    error: str | None
    created_at: datetime
    closed_at: datetime | None
    kept: str | None = None


class Subscription(NamedTuple):
    """A waiting catch of a message, signal or condition.

    Attributes:
        kind: `message`, `signal` or `condition`.
        name: of the message or signal; for a condition the number of its definition at the node.
        correlation: canonical JSON of the value that a message must match; `null` where it matches by name.
        token: the waiting token; None where a scope waits (boundary event, event subprocess).
        status: OPEN, TRIGGERED or CANCELLED.
    """

    id: Id
    kind: str
    name: str
    correlation: str
    token: Id | None
    scope: Id
    node: str
    interrupting: bool
    status: str
    created_at: datetime
    closed_at: datetime | None


class Incident(NamedTuple):
    """Something a human must look at."""

    id: Id
    kind: str
    token: Id | None
    node: str
    message: str
    status: str
    created_at: datetime
    closed_at: datetime | None


class CompensationStatus(StrEnum):
    """Status of a compensation record; the last two are ends (semantics §8)."""

    OPEN = "OPEN"
    TRIGGERED = "TRIGGERED"
    RUNNING = "RUNNING"
    COMPENSATED = "COMPENSATED"
    DISCARDED = "DISCARDED"


class CompensationRecord(NamedTuple):
    """A completed activity that can be compensated: it has a handler, or inside it something that has one.

    Attributes:
        scope: the scope in which the activity completed.
        handler: the activity or event subprocess that compensates it; None where what is inside is compensated.
        inner: the activity's own scope, completed: its variables are the snapshot, its records are what is inside.
        position: number of the event that recorded it, so in order of completion.
        throw: groups the records that one throw event, or one record around them, has triggered.
        waiter: the token that waits for all of them.
        target: the active scope in which it is compensated.
        opened: the scope that was opened for it, inside `target`.
    """

    id: Id
    scope: Id
    node: str
    handler: str | None
    inner: Id | None
    position: int
    status: CompensationStatus
    throw: Id | None
    waiter: Id | None
    target: Id | None
    opened: Id | None
    created_at: datetime
    closed_at: datetime | None
