"""Events about variables (semantics §9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from bpm.core.events.event import Event
from bpm.core.ids import Id


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableSet(Event):
    """A variable has this JSON value in this scope."""

    category: ClassVar[str] = "variable"
    erasable: ClassVar[bool] = True
    scope: Id
    name: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableRemoved(Event):
    """A variable is gone from this scope."""

    category: ClassVar[str] = "variable"
    scope: Id
    name: str
