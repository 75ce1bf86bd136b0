"""Events about jobs (semantics §4, §5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from bpm.core.events.event import TokenEvent
from bpm.core.ids import Id


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEvent(TokenEvent):
    """An event about a job."""

    category: ClassVar[str] = "task"
    job: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCreated(JobEvent):
    """Due work of the engine; `passes` is set by a continuation only."""

    kind: str
    handler: str = ""
    retries: int = 3
    available_at: datetime
    passes: Mapping[str, int] | None = None
    priority: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStarted(JobEvent):
    """A cluster runs it; the attempt is counted before the handler begins."""

    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCompleted(JobEvent):
    """Done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFailed(JobEvent):
    """Failed; READY again from `available_at`, or FAILED with no retries left."""

    retries: int
    available_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResultKept(JobEvent):
    """The handler is done, but its instance is suspended: `result` is applied on activation."""

    category: ClassVar[str] = "variable"
    erasable: ClassVar[bool] = True
    result: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobErrorNoted(JobEvent):
    """What went wrong in the handler."""

    category: ClassVar[str] = "incident"
    erasable: ClassVar[bool] = True
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLeaseExpired(JobEvent):
    """Its cluster vanished; READY again, the attempt counts; `crashes` counts how often that happened."""

    crashes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRetried(JobEvent):
    """READY again after it had failed for good."""

    retries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRetriesSet(JobEvent):
    """An operator set the number of retries."""

    retries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobDueChanged(JobEvent):
    """An operator lets it become due at another time."""

    available_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPrioritySet(JobEvent):
    """An operator set the priority."""

    priority: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCancelled(JobEvent):
    """Interrupted or cancelled."""

    reason: str
