"""Repeating due times: ISO 8601 cycles and cron (semantics §6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Final

from bpm.core.timing.cron import CronSchedule, looks_like_cron, parse_cron
from bpm.core.timing.date import parse_date
from bpm.core.timing.duration import Duration, parse_duration
from bpm.core.timing.errors import TimingSyntaxError, check_length

_CYCLE: Final = re.compile(r"R([0-9]{0,9})/([^/]+)(?:/([^/]+))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Cycle:
    """Due times that repeat: every so often, or as a cron schedule says.

    The k-th due time is the start plus k times the duration, k from 1, so nothing drifts and the
    first one comes after one interval. The calendar is that of ``zone``.

    Attributes:
        text: what it was read from.
        repetitions: number of due times; None is without end.
        start: where counting begins; None is the anchor.
        end: no due time is later; None is without end.
        duration: distance of the due times; None for cron.
        schedule: the cron schedule; None for a duration.
        zone: zone of calendar and wall clock.
    """

    text: str
    repetitions: int | None
    start: datetime | None
    end: datetime | None
    duration: Duration | None
    schedule: CronSchedule | None
    zone: tzinfo

    def due_times(self, anchor: datetime) -> Iterator[datetime]:
        """All due times in UTC, ascending, those in the past included; they end with the calendar.

        Args:
            anchor: when waiting began, aware; counts where the text has no start.

        Raises:
            TimingSyntaxError: even the first is outside the years 1 to 9999.
        """
        due, index = self.next_after(anchor, None), 0
        while due is not None:
            yield due
            index += 1
            due = self._due_time(anchor, index + 1) if self.duration else self.next_after(anchor, due)

    def next_after(self, anchor: datetime, previous: datetime | None) -> datetime | None:
        """First due time later than ``previous``, None when there is none left.

        Args:
            anchor: as for ``due_times``, the same for every call of one series.
            previous: aware; None asks for the first.

        Raises:
            TimingSyntaxError: even the first is outside the years 1 to 9999.
        """
        if self.schedule is not None:
            return self.schedule.next_after(previous or self.start or anchor)
        return self._due_time(anchor, 1 if previous is None else self._count_until(anchor, previous) + 1)

    def _due_time(self, anchor: datetime, number: int) -> datetime | None:
        assert self.duration is not None
        if self.repetitions is not None and number > self.repetitions:
            return None
        start = (self.start or anchor).astimezone(self.zone)
        try:
            due = self.duration.times(number).add_to(start).astimezone(UTC)
        except TimingSyntaxError:
            if number == 1:
                raise
            return None
        return None if self.end is not None and due > self.end else due

    def _count_until(self, anchor: datetime, moment: datetime) -> int:
        """Number of due times up to and including ``moment``."""
        low, high = 0, 1
        while self._is_due(anchor, high, moment):
            low, high = high, high * 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._is_due(anchor, middle, moment) else (low, middle)
        return low

    def _is_due(self, anchor: datetime, number: int, moment: datetime) -> bool:
        due = self._due_time(anchor, number)
        return due is not None and due <= moment


def parse_cycle(text: str, zone: tzinfo) -> Cycle:
    """Read a cycle: ``R[n]/…`` or cron.

    After ``R[n]/`` stands ``duration``, ``start/duration``, ``duration/end`` or ``start/end``.

    ``R4`` is four due times, ``R`` without number has no end. With ``duration/end`` the last due time
    is the end, or without number none is later than it; with ``start/end``
    the distance is what lies between them.

    Args:
        text: the cycle; see ``parse_cron`` for cron.
        zone: where text without zone is meant, and whose calendar counts.

    Raises:
        TimingSyntaxError: the text is no cycle, or its duration is not positive.
    """
    stripped = check_length(text)
    if looks_like_cron(stripped):
        return Cycle(stripped, None, None, None, None, parse_cron(stripped, zone), zone)
    found = _CYCLE.fullmatch(stripped)
    if found is None:
        raise TimingSyntaxError(text, "This is no cycle such as R3/PT10M, and no cron expression")
    repetitions = int(found.group(1)) if found.group(1) else None
    if repetitions == 0:
        raise TimingSyntaxError(text, "A cycle of no repetition never fires")
    start, end, duration = _read_interval(repetitions, found.group(2), found.group(3), zone)
    if not duration.is_positive():
        raise TimingSyntaxError(text, "The duration of a cycle has to be positive")
    return Cycle(stripped, repetitions, start, end, duration, None, zone)


def _read_interval(
    repetitions: int | None, first: str, second: str | None, zone: tzinfo
) -> tuple[datetime | None, datetime | None, Duration]:
    if second is None:
        return None, None, parse_duration(first)
    if "P" not in first:
        start = parse_date(first, zone)
        if "P" in second:
            return start, None, parse_duration(second)
        return start, None, Duration(0, 0, parse_date(second, zone) - start)
    duration, end = parse_duration(first), parse_date(second, zone)
    if repetitions is None:
        return None, end, duration
    return duration.times(-repetitions).add_to(end.astimezone(zone)).astimezone(UTC), None, duration
