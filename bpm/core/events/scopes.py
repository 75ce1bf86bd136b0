"""Events about scopes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bpm.core.events.event import Event
from bpm.core.ids import Id


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeEntered(Event):
    """A scope opened; the root scope has no parent and no outer token."""

    category: ClassVar[str] = "token"
    scope: Id
    node: str
    kind: str
    parent: Id | None = None
    token: Id | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeClosing(Event):
    """Nothing new begins in the scope by itself any more; what goes on may end."""

    category: ClassVar[str] = "token"
    scope: Id
    node: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeCompleted(Event):
    """Neither a live token nor a live inner scope is left."""

    category: ClassVar[str] = "token"
    scope: Id
    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeTerminated(Event):
    """Ended from outside."""

    category: ClassVar[str] = "token"
    scope: Id
    node: str
    reason: str
