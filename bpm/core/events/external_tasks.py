"""Events about external tasks (semantics §5)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from bpm.core.events.event import TokenEvent
from bpm.core.ids import Id


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskEvent(TokenEvent):
    """An event about an external task."""

    category: ClassVar[str] = "external"
    task: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskCreated(ExternalTaskEvent):
    """A worker can fetch it now."""

    topic: str
    priority: int
    retries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskLocked(ExternalTaskEvent):
    """Leased to a worker until `expires_at`."""

    worker: str
    lease: int
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskLockExtended(ExternalTaskEvent):
    """The lease now ends at `expires_at`."""

    lease: int
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskLockExpired(ExternalTaskEvent):
    """The lease ran out; the task is READY again with the same retries."""

    lease: int
    worker: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskUnlocked(ExternalTaskEvent):
    """Given back."""

    lease: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskCompleted(ExternalTaskEvent):
    """The worker is done; `fingerprint` tells a repeated call from another one."""

    lease: int
    fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskFailed(ExternalTaskEvent):
    """The worker failed; READY again from `available_at`, or FAILED with no retries left."""

    lease: int
    fingerprint: str
    retries: int
    available_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskErrorNoted(ExternalTaskEvent):
    """What the worker said about its failure."""

    category: ClassVar[str] = "incident"
    erasable: ClassVar[bool] = True
    error: str
    details: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskErrorThrown(ExternalTaskEvent):
    """The worker ended the task by a BPMN error."""

    lease: int
    fingerprint: str
    error_code: str
    caught: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskRetriesSet(ExternalTaskEvent):
    """An operator set the number of retries."""

    retries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskPrioritySet(ExternalTaskEvent):
    """An operator set the priority."""

    priority: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskRetried(ExternalTaskEvent):
    """READY again after it had failed for good."""

    retries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskCancelled(ExternalTaskEvent):
    """Interrupted or cancelled."""

    reason: str
