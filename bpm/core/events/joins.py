"""Events about joins (semantics §3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bpm.core.events.event import Event, TokenEvent
from bpm.core.ids import Id


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinOpened(Event):
    """A join state opened. `tokens` are surplus tokens of the generation before, which now wait here.

    `flows` are those that a gateway to be reset waits for.
    """

    category: ClassVar[str] = "token"
    join: Id
    scope: Id
    node: str
    group: Id
    kind: str
    generation: int
    expected: int
    arrived: int = 0
    tokens: tuple[Id, ...] = ()
    flows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinArrived(TokenEvent):
    """A token waits at a join; `arrived` counts the flows that hold at least one token."""

    join: Id
    flow: str
    arrived: int
    expected: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinGroupsMerged(Event):
    """Open states of one join fire together, because none of them can fill alone (semantics §3, fallback)."""

    category: ClassVar[str] = "token"
    node: str
    joins: tuple[Id, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinRecounted(Event):
    """Tokens left a join without firing it; `arrived` flows still hold one."""

    category: ClassVar[str] = "token"
    join: Id
    node: str
    arrived: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinFired(Event):
    """The join consumed its tokens and closed."""

    category: ClassVar[str] = "token"
    join: Id
    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinClosed(Event):
    """The join closed without firing: its tokens went elsewhere or its scope ended."""

    category: ClassVar[str] = "token"
    join: Id
    node: str
    reason: str
