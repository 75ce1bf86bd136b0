"""Events about the instance itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bpm.core.events.event import Event
from bpm.core.ids import Id


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceStarted(Event):
    """An instance began; its root scope gets the instance's id in `ScopeEntered`."""

    definition: Id
    definition_key: str
    tenant: str
    business_key: str | None = None
    parent_instance: Id | None = None
    parent_token: Id | None = None
    root: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceCompleted(Event):
    """No live token is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceCancelled(Event):
    """Ended by a command or by the caller."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceFailed(Event):
    """Nothing can move without a human (semantics §1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceRecovered(Event):
    """A FAILED instance can move again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceModified(Event):
    """Somebody ends and starts at places of it; the instructions are told without values of variables."""

    instructions: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceSuspended(Event):
    """Nothing moves until it is activated."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceActivated(Event):
    """Suspension ended; `status` is RUNNING or FAILED."""

    status: str
