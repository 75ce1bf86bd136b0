"""Events about called instances, and about what is delivered between instances (semantics §4, §11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bpm.core.events.event import Event, TokenEvent
from bpm.core.ids import Id


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStarted(TokenEvent):
    """A call activity calls a process; the called instance has the id `called` and starts after the commit."""

    called: Id
    process: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnded(TokenEvent):
    """The token has no called instance any more: `outcome` is completed, fault, cancelled or failed."""

    called: Id
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryDropped(Event):
    """What this instance sent came too late: its target had ended, or was never there."""

    category: ClassVar[str] = "message"
    command: str
    target: Id | None
    reason: str
