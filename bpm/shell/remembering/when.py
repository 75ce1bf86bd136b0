"""When something is, seen from a command: a decision may compare times, and whoever comes after it too."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import IntEnum
from functools import lru_cache
from typing import Final

_FAR: Final = timedelta(days=5_000)
_APART: Final = timedelta(hours=1)


class When(IntEnum):
    """Before the command, at its time, while the lease lasts that it gives, at the lease's end, or after that."""

    BEFORE = 0
    NOW = 1
    BETWEEN = 2
    END = 3
    AFTER = 4


def when(time: datetime, now: datetime, end: datetime | None) -> When:
    """Return when a time is.

    Args:
        end: of the lease that the command gives, None if it gives none.
    """
    if time < now:
        return When.BEFORE
    if time == now:
        return When.NOW
    if end is None or time > end:
        return When.AFTER
    return When.END if time == end else When.BETWEEN


@lru_cache(maxsize=16)
def end_of_lease(now: datetime, lock_ms: int) -> datetime:
    """Return when a lease ends; those of a list end at once, so it is one object."""
    return now + timedelta(milliseconds=lock_ms)


def example(kind: When, rank: int, now: datetime, end: datetime) -> datetime:
    """Return some time of a kind; of two times of one kind that with the higher rank, 1 to 500, is the later one."""
    if kind is When.BEFORE:
        return now - _FAR + rank * _APART
    if kind is When.NOW:
        return now
    if kind is When.BETWEEN:
        return now + (end - now) * rank / 501
    return end if kind is When.END else end + rank * _APART
