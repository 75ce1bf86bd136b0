"""The engine's time: the database's clock, handed in with what is read.

`frozen` replaces it for tests and simulations; nothing else in the engine reads a clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime

_frozen: ContextVar[datetime | None] = ContextVar("bpm_frozen_clock", default=None)


def or_frozen(now: datetime) -> datetime:
    """Return the database's instant, or the frozen one."""
    return _frozen.get() or now


def frozen_now() -> datetime | None:
    """Return the frozen instant, None where time runs."""
    return _frozen.get()


@contextmanager
def frozen(at: datetime) -> Iterator[None]:
    """Let the engine believe, in this thread, that it is `at` (aware, UTC)."""
    mark = _frozen.set(at)
    try:
        yield
    finally:
        _frozen.reset(mark)
