"""Sums, differences and products of FEEL's dates, times and durations; None where there is none."""

from __future__ import annotations

from typing import Any

from bpm.core.expressions import arithmetic
from bpm.core.expressions.arithmetic import Number
from bpm.core.expressions.feel import calendar_days
from bpm.core.expressions.feel.temporal import (
    NANOS,
    NANOS_PER_DAY,
    Date,
    DateTime,
    DaysDuration,
    MonthsDuration,
    Time,
    zone_offset_at,
)
from bpm.core.expressions.feel.temporal_parser import make_date

Duration = DaysDuration | MonthsDuration
_MAX_MONTHS = calendar_days.MAX_YEAR * 12 * 2
_MAX_NANOS = calendar_days.MAX_YEAR * 366 * 2 * NANOS_PER_DAY


def add(left: Any, right: Any) -> Any:
    """A duration with a duration of its kind, or with a date, time or date and time, either way."""
    if not isinstance(right, Duration):
        left, right = right, left
    if not isinstance(right, Duration):
        return None
    if isinstance(left, Duration):
        return _add_durations(left, right, 1)
    return _shift(left, right, 1)


def subtract(left: Any, right: Any) -> Any:
    """Anything minus a duration, or the days and time duration between two of a kind."""
    if isinstance(right, Duration):
        return _add_durations(left, right, -1) if isinstance(left, Duration) else _shift(left, right, -1)
    if isinstance(left, Time) and isinstance(right, Time):
        return _between(time_key(left), time_key(right))
    if isinstance(left, Date | DateTime) and isinstance(right, Date | DateTime):
        return _between(moment_key(left), moment_key(right))
    return None


def multiply(duration: Duration, factor: Number) -> Duration | None:
    """The duration so many times; a part of a month or nanosecond is cut off."""
    size = duration.months if isinstance(duration, MonthsDuration) else duration.nanos
    return _make(type(duration), arithmetic.multiply(size, factor))


def divide(duration: Duration, divisor: Any) -> Duration | Number | None:
    """The duration divided by a number, or by a duration of its kind."""
    size = duration.months if isinstance(duration, MonthsDuration) else duration.nanos
    if isinstance(divisor, MonthsDuration) and isinstance(duration, MonthsDuration):
        return arithmetic.divide(size, divisor.months)
    if isinstance(divisor, DaysDuration) and isinstance(duration, DaysDuration):
        return arithmetic.divide(size, divisor.nanos)
    number = arithmetic.read_number(divisor)
    return None if number is None else _make(type(duration), arithmetic.divide(size, number))


def negate(duration: Duration) -> Duration:
    """The duration backwards."""
    if isinstance(duration, MonthsDuration):
        return MonthsDuration(-duration.months)
    return DaysDuration(-duration.nanos)


def moment_key(value: Date | DateTime) -> tuple[bool, int]:
    """Whether it is local, and its nanoseconds; a date is its midnight in UTC."""
    if isinstance(value, Date):
        return False, value.day_number() * NANOS_PER_DAY
    instant = value.instant()
    return (True, value.wall()) if instant is None else (False, instant)


def time_key(value: Time) -> tuple[bool, int]:
    """Whether it is local, and its nanoseconds; the offset of a zone is that of 2000-01-01."""
    offset = value.offset_on(10_957)
    return (True, value.nanos) if offset is None else (False, value.nanos - offset * NANOS)


def _between(left: tuple[bool, int], right: tuple[bool, int]) -> DaysDuration | None:
    return DaysDuration(left[1] - right[1]) if left[0] == right[0] else None


def _make(kind: type[Duration], size: Number | None) -> Duration | None:
    whole = None if size is None else int(size)
    if whole is None:
        return None
    if kind is MonthsDuration:
        return MonthsDuration(whole) if abs(whole) <= _MAX_MONTHS else None
    return DaysDuration(whole) if abs(whole) <= _MAX_NANOS else None


def _add_durations(left: Duration, right: Duration, sign: int) -> Duration | None:
    if isinstance(left, MonthsDuration) and isinstance(right, MonthsDuration):
        return _make(MonthsDuration, left.months + sign * right.months)
    if isinstance(left, DaysDuration) and isinstance(right, DaysDuration):
        return _make(DaysDuration, left.nanos + sign * right.nanos)
    return None


def _shift(value: Any, duration: Duration, sign: int) -> Date | Time | DateTime | None:
    if isinstance(duration, MonthsDuration):
        return _shift_months(value, sign * duration.months)
    nanos = sign * duration.nanos
    if isinstance(value, Date):
        return Date.from_day_number(value.day_number() + nanos // NANOS_PER_DAY)
    if isinstance(value, Time):
        return Time((value.nanos + nanos) % NANOS_PER_DAY, value.offset, value.zone)
    if not isinstance(value, DateTime):
        return None
    zone, instant = value.time.zone, value.instant()
    if zone is None or instant is None:
        return DateTime.from_wall(value.wall() + nanos, value.time.offset, zone)
    later = instant + nanos
    return DateTime.from_wall(later + zone_offset_at(zone, later) * NANOS, None, zone)


def _shift_months(value: Any, months: int) -> Date | DateTime | None:
    if isinstance(value, Date):
        return make_date(*calendar_days.add_months(value.year, value.month, value.day, months))
    if not isinstance(value, DateTime):
        return None
    date = _shift_months(value.date, months)
    return DateTime(date, value.time) if isinstance(date, Date) else None
