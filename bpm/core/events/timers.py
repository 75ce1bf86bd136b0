"""Events about timers (semantics §6)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from bpm.core.events.event import Event
from bpm.core.ids import Id


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerScheduled(Event):
    """A due time stands in the table; `number` counts within `series`."""

    category: ClassVar[str] = "timer"
    timer: Id
    token: Id | None
    scope: Id
    node: str
    kind: str
    due_at: datetime
    series: Id
    number: int = 0
    anchor: datetime
    expression: str
    priority: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerDueChanged(Event):
    """An operator lets it become due at another time; it begins a series of its own by that."""

    category: ClassVar[str] = "timer"
    timer: Id
    token: Id | None
    node: str
    due_at: datetime
    series: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerPrioritySet(Event):
    """An operator set the priority."""

    category: ClassVar[str] = "timer"
    timer: Id
    token: Id | None
    node: str
    priority: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerFired(Event):
    """The due time came; exactly once per timer row."""

    category: ClassVar[str] = "timer"
    timer: Id
    token: Id | None
    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerCancelled(Event):
    """What it would have triggered is gone."""

    category: ClassVar[str] = "timer"
    timer: Id
    token: Id | None
    node: str
    reason: str
