"""Rows of external and user tasks."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from bpm.core.ids import Id


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


PENDING = "PENDING"
"""Delegated, and not resolved yet."""

RESOLVED = "RESOLVED"
"""Delegated and resolved: the owner can complete it."""


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


class Comment(NamedTuple):
    """What somebody wrote to a user task; never changed."""

    id: Id
    task: Id
    node: str
    author: str
    message: str
    created_at: datetime
