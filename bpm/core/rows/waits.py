"""Rows that wait: timers, jobs, subscriptions."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from bpm.core.ids import Id


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
        priority: of timers that are due the highest fires first, then the longest due.
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
    priority: int = 0


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
        priority: of jobs that are due the highest is taken first, then the longest due.
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
    priority: int = 0


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
