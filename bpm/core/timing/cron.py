"""Cron schedules: five fields, Quartz's six or seven, and names such as ``@daily`` (semantics §6).

A schedule of fixed times fires once for a wall time that exists twice, at the first, and after the
gap for one that does not exist. A schedule whose second, minute or hour begins with ``*`` follows elapsed
time instead: nothing extra after a gap, and both times when an hour comes twice.
"""

from __future__ import annotations

import calendar
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from datetime import time as time_of_day
from typing import Final

from bpm.core.timing.cron_fields import Fields, read_fields
from bpm.core.timing.errors import TimingSyntaxError
from bpm.core.timing.wall_clock import find_transition, offset_at, resolve_wall_time

_MACROS: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_YEARS_AHEAD: Final = 50
_SECOND: Final = timedelta(seconds=1)


def looks_like_cron(text: str) -> bool:
    """Whether the text is meant as cron: a name with ``@``, or five to seven fields."""
    return text.startswith("@") or 5 <= len(text.split()) <= 7


def parse_cron(text: str, zone: tzinfo) -> CronSchedule:
    """Read a cron schedule.

    Five fields are minute, hour, day, month, weekday; a sixth in front is the second, a seventh at
    the end the year, which has to be ``*``. A field is ``*``, ``a``, ``a-b``, ``a/step``,
    ``a-b/step``, ``*/step`` or several with commas; months and weekdays have names too. Days know
    ``L`` ``L-n`` ``LW`` ``nW``, weekdays ``nL`` ``n#k``. Sunday is 0 or 7; in Quartz's form, which has
    a ``?`` or a year, it is 1 and Saturday 7, and ranges may wrap around. Restricting both days means
    either, unless one begins with ``*``.

    Raises:
        TimingSyntaxError: a field is wrong, or no date ever fits.
    """
    expanded = _MACROS.get(text.strip().lower(), text.strip())
    if expanded.startswith("@"):
        raise TimingSyntaxError(text, f"The name is none of {' '.join(_MACROS)}")
    schedule = CronSchedule(text.strip(), read_fields(text, expanded.split()), zone)
    if schedule.next_after(datetime(2000, 1, 1, tzinfo=UTC)) is None:
        raise TimingSyntaxError(text, "No date ever fits the schedule")
    return schedule


@dataclass(frozen=True, slots=True)
class CronSchedule:
    """Due times on the wall clock of a zone.

    Attributes:
        text: what it was read from.
        fields: the values that fit.
        zone: whose wall clock counts.
    """

    text: str
    fields: Fields
    zone: tzinfo

    def next_after(self, moment: datetime) -> datetime | None:
        """First due time later than the aware ``moment``, in UTC; None when the years ahead have none."""
        start = moment.astimezone(UTC)
        try:
            return self._next_elapsed(start) if self.fields.follows_elapsed_time else self._next_fixed(start)
        except OverflowError:
            return None

    def _next_fixed(self, start: datetime) -> datetime | None:
        wall = self._next_wall(start.astimezone(self.zone).replace(tzinfo=None) + _SECOND)
        while wall is not None:
            due = resolve_wall_time(wall, self.zone)
            if due > start:
                return due
            wall = self._next_wall(wall + _SECOND)
        return None

    def _next_elapsed(self, start: datetime) -> datetime | None:
        first = start + _SECOND
        while True:
            offset = offset_at(first, self.zone)
            wall = self._next_wall((first + offset).replace(tzinfo=None))
            if wall is None:
                return None
            due = wall.replace(tzinfo=UTC) - offset
            if offset_at(due, self.zone) == offset:
                return due
            first = find_transition(first, due, self.zone)

    def _next_wall(self, first: datetime) -> datetime | None:
        """First wall time that fits, ``first`` included when it is a whole second."""
        first = first.replace(microsecond=0, fold=0)
        time = self._next_time(first.hour, first.minute, first.second)
        days = self._days(first.date())
        for day in days:
            if day == first.date() and time is None:
                continue
            hour, minute, second = (
                time if day == first.date() and time else self._next_time(0, 0, 0) or (0, 0, 0)
            )
            return datetime.combine(day, time_of_day(hour, minute, second))
        return None

    def _next_time(self, hour: int, minute: int, second: int) -> tuple[int, int, int] | None:
        fields = self.fields
        if hour in fields.hours:
            if minute in fields.minutes:
                fitting = _first_from(fields.seconds, second)
                if fitting is not None:
                    return hour, minute, fitting
            fitting = _first_from(fields.minutes, minute + 1)
            if fitting is not None:
                return hour, fitting, fields.seconds[0]
        fitting = _first_from(fields.hours, hour + 1)
        return None if fitting is None else (fitting, fields.minutes[0], fields.seconds[0])

    def _days(self, first: date) -> Iterator[date]:
        for year in range(first.year, min(first.year + _YEARS_AHEAD, 9998) + 1):
            for month in self.fields.months:
                if (year, month) < (first.year, first.month):
                    continue
                begin = first.day if (year, month) == (first.year, first.month) else 1
                for day in range(begin, calendar.monthrange(year, month)[1] + 1):
                    moment = date(year, month, day)
                    if self._fits_day(moment):
                        yield moment

    def _fits_day(self, day: date) -> bool:
        fields = self.fields
        in_month = any(rule.fits(day) for rule in fields.days)
        in_week = any(rule.fits(day) for rule in fields.weekdays)
        return (in_month and in_week) if fields.needs_both_days else (in_month or in_week)


def _first_from(values: tuple[int, ...], low: int) -> int | None:
    index = bisect_left(values, low)
    return values[index] if index < len(values) else None
