"""Events about migration to another version (semantics §12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from bpm.core.events.event import Event, TokenEvent
from bpm.core.ids import Id


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceMigrated(Event):
    """The instance goes on in another version: what is live takes over the new names.

    Attributes:
        nodes, flows: old to new name, where they differ.
        forks_lost: forks whose groups are forgotten, because they are not mapped.
    """

    source: Id
    definition: Id
    definition_key: str
    nodes: Mapping[str, str]
    flows: Mapping[str, str]
    forks_lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinMigrated(Event):
    """A waiting join counts by the flows of the new version."""

    category: ClassVar[str] = "token"
    join: Id
    node: str
    group: Id
    expected: int
    arrived: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenMoved(TokenEvent):
    """A token goes on inside a scope that was put around it; another one stands where it stood."""

    scope: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeMoved(Event):
    """A scope lies inside another one from now on, which was put around it."""

    category: ClassVar[str] = "token"
    scope: Id
    node: str
    parent: Id
