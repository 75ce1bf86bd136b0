"""Events about compensation and sagas (semantics §8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bpm.core.events.event import Event, TokenEvent
from bpm.core.ids import Id


@dataclass(frozen=True, slots=True, kw_only=True)
class CompensationEvent(Event):
    """An event about one completed activity that can be compensated."""

    category: ClassVar[str] = "saga"
    record: Id
    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompensationRecorded(CompensationEvent):
    """The activity has completed in `scope`; `inner` was its own scope.

    `position` is that of an earlier record which this one stands for; None: the present one.
    """

    scope: Id
    handler: str | None
    inner: Id | None
    position: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompensationTriggered(CompensationEvent):
    """The activity will be compensated in the scope `target`, together with others of the same `throw`."""

    throw: Id
    waiter: Id | None
    target: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class CompensationStarted(CompensationEvent):
    """The scope in which the activity is compensated has been opened."""

    opened: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class CompensationCompleted(CompensationEvent):
    """The activity has been compensated; it never will be again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompensationDiscarded(CompensationEvent):
    """The activity will never be compensated."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompensationThrown(TokenEvent):
    """A token throws compensation, for one activity or (None) for all of the scope around it."""

    category: ClassVar[str] = "saga"
    throw: Id
    activity: str | None
    waits: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SagaEvent(Event):
    """An event about a scope in saga mode; `node` is its process or subprocess."""

    category: ClassVar[str] = "saga"
    scope: Id
    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SagaStarted(SagaEvent):
    """A token failed for good, at the node `failed`: what was done in the scope is compensated."""

    token: Id
    failed: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SagaReasonNoted(SagaEvent):
    """The failure in words."""

    erasable: ClassVar[bool] = True
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SagaCompleted(SagaEvent):
    """All has been compensated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SagaFailed(SagaEvent):
    """A handler has failed; the others go on, and a retry of it may still complete the saga."""
