"""What all events have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bpm.core.ids import Id


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Base of all events; holds what the history table has as columns of its own.

    Attributes:
        shape_version: raised when fields change their meaning; `bpm.shell.lifting` then lifts what was stored before.
    """

    category: ClassVar[str] = "instance"
    erasable: ClassVar[bool] = False
    shape_version: ClassVar[int] = 1

    @property
    def ends_token(self) -> bool:
        """Whether the token becomes final by this event: at most once in a token's life."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenEvent(Event):
    """An event about one token at one node."""

    category: ClassVar[str] = "token"
    token: Id
    node: str
