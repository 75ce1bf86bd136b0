"""Rows of incidents and of what can be compensated."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from bpm.core.ids import Id


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
