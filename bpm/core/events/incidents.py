"""Events about incidents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bpm.core.events.event import Event
from bpm.core.ids import Id


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentOpened(Event):
    """Something a human must look at."""

    category: ClassVar[str] = "incident"
    incident: Id
    kind: str
    token: Id | None
    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentDescribed(Event):
    """The incident in words."""

    category: ClassVar[str] = "incident"
    erasable: ClassVar[bool] = True
    incident: Id
    token: Id | None
    node: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentResolved(Event):
    """Nothing to look at any more."""

    category: ClassVar[str] = "incident"
    incident: Id
    token: Id | None
    node: str
    reason: str
