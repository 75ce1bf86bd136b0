"""From the wall clock of a zone to instants, where the clock skips or repeats an hour.

A wall time that does not exist, as the clock was put forward, means the instant after the gap; one
that exists twice means the first. (02:30 of the spring night in Berlin is 03:00 summer time.)
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

_SECOND: Final = timedelta(seconds=1)


def offset_at(instant: datetime, zone: tzinfo) -> timedelta:
    """Offset of the zone from UTC at an aware instant."""
    return instant.astimezone(zone).utcoffset() or timedelta(0)


def resolve_wall_time(wall: datetime, zone: tzinfo) -> datetime:
    """Instant of a naive wall time of the zone, in UTC.

    Raises:
        OverflowError: the instant is outside the years 1 to 9999.
    """
    before = wall.replace(tzinfo=zone, fold=0).utcoffset() or timedelta(0)
    after = wall.replace(tzinfo=zone, fold=1).utcoffset() or timedelta(0)
    instant = (wall - before).replace(tzinfo=UTC)
    if before < after:
        return find_transition((wall - after).replace(tzinfo=UTC), instant, zone)
    return instant


def find_transition(low: datetime, high: datetime, zone: tzinfo) -> datetime:
    """First whole second in (low, high] whose offset is not that of ``low``; both differ in it."""
    old = offset_at(low, zone)
    steps = -((low - high) // _SECOND)
    first, last = 0, steps
    while last - first > 1:
        middle = (first + last) // 2
        if offset_at(low + middle * _SECOND, zone) == old:
            first = middle
        else:
            last = middle
    return (low + last * _SECOND).replace(microsecond=0)
