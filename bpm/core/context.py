"""What comes to a decision from outside: time, ids, handlers, bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from bpm.core.ids import IdSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one command (semantics §4).

    Attributes:
        steps: nodes passed before the command goes on in a job.
        passes: passes of one node without a wait state in between before the token fails there.
        interrupted: rows that one command may end, suspend or activate: tokens, scopes, and what they wait for.
    """

    steps: int = 10_000
    passes: int = 100_000
    interrupted: int = 50_000


LIMITS = Limits()
"""The bounds unless somebody gives others."""


def no_handler(kind: str, name: str) -> bool:
    """Know no handler."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Handed to `decide` with each command; the same again when the command is decided again.

    Attributes:
        now: aware, UTC; never before the instance's last change.
        has_handler: whether an in-process handler is registered for (`service` or `script`, name).
        zone: the engine's zone, for texts without one.
    """

    now: datetime
    ids: IdSource
    has_handler: Callable[[str, str], bool] = no_handler
    limits: Limits = LIMITS
    zone: tzinfo = UTC
