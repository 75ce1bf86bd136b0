"""Events about waiting for messages, signals and conditions, and about what is thrown (semantics §4, §7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bpm.core.events.event import Event, TokenEvent
from bpm.core.ids import Id


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionOpened(Event):
    """Something is waited for; see `Subscription` for the fields."""

    category: ClassVar[str] = "message"
    subscription: Id
    kind: str
    name: str
    correlation: str = "null"
    token: Id | None
    scope: Id
    node: str
    interrupting: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionTriggered(Event):
    """It came. `remains`: the subscription waits for the next one."""

    category: ClassVar[str] = "message"
    subscription: Id
    token: Id | None
    node: str
    remains: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionCancelled(Event):
    """Nobody waits for it any more."""

    category: ClassVar[str] = "message"
    subscription: Id
    token: Id | None
    node: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageThrown(TokenEvent):
    """A message was thrown by a token; it goes out after the commit. `correlation` is canonical JSON of its key."""

    category: ClassVar[str] = "message"
    name: str
    correlation: str = "null"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalThrown(TokenEvent):
    """A signal was thrown by a token."""

    category: ClassVar[str] = "message"
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorThrown(TokenEvent):
    """An error was thrown at a node; `caught` names the catching event, None where nothing in the instance does."""

    category: ClassVar[str] = "message"
    code: str
    caught: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultOffered(TokenEvent):
    """An error or escalation that this called instance does not catch goes to its caller after the commit."""

    category: ClassVar[str] = "message"
    fault: str
    code: str
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EscalationThrown(TokenEvent):
    """An escalation was thrown at a node; `caught` names the event of this instance that catches it, if any."""

    category: ClassVar[str] = "message"
    code: str
    caught: str | None
