"""Functions of dates, times and durations."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from bpm.core.expressions.arithmetic import Number
from bpm.core.expressions.errors import EvaluationFailed
from bpm.core.expressions.feel import temporal_parser
from bpm.core.expressions.feel.comparison import order_key, type_of
from bpm.core.expressions.feel.library.registry import feel_function
from bpm.core.expressions.feel.temporal import (
    NANOS,
    NANOS_PER_DAY,
    Date,
    DateTime,
    DaysDuration,
    MonthsDuration,
    Time,
    find_zone,
)
from bpm.core.expressions.frame import Frame


@feel_function("date", "from: string")
def parse_date(frame: Frame, text: str) -> Date | None:
    """Date a text stands for."""
    return temporal_parser.parse_date(text)


@feel_function("date", "from: date|date and time")
def date_of(frame: Frame, value: Date | DateTime) -> Date:
    """Date of a date and time."""
    return value.date if isinstance(value, DateTime) else value


@feel_function("date", "year: number, month: number, day: number")
def make_date(frame: Frame, year: Number, month: Number, day: Number) -> Date | None:
    """Date of its parts."""
    return temporal_parser.make_date(int(year), int(month), int(day))


@feel_function("time", "from: string")
def parse_time(frame: Frame, text: str) -> Time | None:
    """Time a text stands for."""
    return temporal_parser.parse_time(text)


@feel_function("time", "from: time|date|date and time")
def time_of(frame: Frame, value: Time | Date | DateTime) -> Time:
    """Time of a date and time; of a date, its midnight in UTC."""
    if isinstance(value, DateTime):
        return value.time
    return Time(0, 0) if isinstance(value, Date) else value


@feel_function("time", "hour: number, minute: number, second: number, offset?: days and time duration?")
def make_time(
    frame: Frame, hour: Number, minute: Number, second: Number, offset: DaysDuration | None
) -> Time | None:
    """Time of its parts."""
    if not (0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60):
        return None
    seconds = None if offset is None else offset.nanos // NANOS
    if seconds is not None and abs(seconds) > temporal_parser.MAX_OFFSET_SECONDS:
        return None
    return Time((int(hour) * 3_600 + int(minute) * 60) * NANOS + int(second * NANOS), seconds)


@feel_function("date and time", "from: string")
def parse_date_time(frame: Frame, text: str) -> DateTime | None:
    """Date and time a text stands for."""
    return temporal_parser.parse_date_time(text)


@feel_function("date and time", "from: date and time|date")
def date_time_of(frame: Frame, value: Date | DateTime) -> DateTime:
    """The date and time itself; of a date, its midnight in UTC."""
    return value.at_midnight() if isinstance(value, Date) else value


@feel_function("date and time", "date: date|date and time, time: time")
def join_date_time(frame: Frame, date: Date | DateTime, time: Time) -> DateTime:
    """A date with a time."""
    return DateTime(date.date if isinstance(date, DateTime) else date, time)


@feel_function("date and time", "date: date and time, timezone: string")
def move_to_zone(frame: Frame, value: DateTime, zone: str) -> DateTime | None:
    """The same date and time in a zone."""
    return DateTime(value.date, Time(value.time.nanos, None, zone)) if find_zone(zone) else None


@feel_function(
    "date and time",
    "year: number, month: number, day: number, hour: number, minute: number, second: number,"
    "offset?: days and time duration?",
)
def make_date_time(
    frame: Frame,
    year: Number,
    month: Number,
    day: Number,
    hour: Number,
    minute: Number,
    second: Number,
    offset: Any,
) -> DateTime | None:
    """Date and time of its parts."""
    date, time = make_date(frame, year, month, day), make_time(frame, hour, minute, second, offset)
    return None if date is None or time is None else DateTime(date, time)


@feel_function("duration", "from: string")
def parse_duration(frame: Frame, text: str) -> DaysDuration | MonthsDuration | None:
    """Duration a text stands for."""
    return temporal_parser.parse_duration(text)


@feel_function("years and months duration", "from: date|date and time, to: date|date and time")
def months_between(frame: Frame, first: Date | DateTime, last: Date | DateTime) -> MonthsDuration:
    """Whole months between two dates; the times of day do not count."""
    begin, end = date_of(frame, first), date_of(frame, last)
    months = (end.year - begin.year) * 12 + end.month - begin.month
    if months > 0 and end.day < begin.day:
        months -= 1
    elif months < 0 and end.day > begin.day:
        months += 1
    return MonthsDuration(months)


@feel_function("day of year", "date: date|date and time")
def day_of_year(frame: Frame, value: Date | DateTime) -> int:
    """Number of the day in its year, from 1."""
    return date_of(frame, value).day_of_year()


@feel_function("day of week", "date: date|date and time")
def day_of_week(frame: Frame, value: Date | DateTime) -> str:
    """English name of the weekday."""
    names = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    return names[date_of(frame, value).weekday() - 1]


@feel_function("month of year", "date: date|date and time")
def month_of_year(frame: Frame, value: Date | DateTime) -> str:
    """English name of the month."""
    return _MONTHS[date_of(frame, value).month - 1]


_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


@feel_function("week of year", "date: date|date and time")
def week_of_year(frame: Frame, value: Date | DateTime) -> int | None:
    """Number of the week of ISO 8601."""
    date = date_of(frame, value)
    thursday = Date.from_day_number(date.day_number() + 4 - date.weekday())
    return None if thursday is None else (thursday.day_of_year() + 6) // 7


@feel_function("last day of month", "date: date|date and time")
def last_day_of_month(frame: Frame, value: Date | DateTime) -> Date | None:
    """Last date of the month."""
    date = date_of(frame, value)
    return next(
        filter(None, (temporal_parser.make_date(date.year, date.month, day) for day in (31, 30, 29, 28))),
        None,
    )


@feel_function("is", "value1: any, value2: any")
def is_same(frame: Frame, first: Any, second: Any) -> bool:
    """Whether two values are the same in type and every part."""
    if type_of(first) != type_of(second):
        return False
    if isinstance(first, Time | DateTime):
        return order_key(first) == order_key(second) and _offset(first) == _offset(second)
    return bool(first == second)


def _offset(value: Time | DateTime) -> Any:
    time = value.time if isinstance(value, DateTime) else value
    return time.zone if time.zone is not None else time.offset


@feel_function("now")
def now(frame: Frame) -> DateTime | None:
    """The time of the command that evaluates, in UTC."""
    moment: Any = getattr(frame.scope, "now", None)
    if not isinstance(moment, datetime) or moment.tzinfo is None:
        raise EvaluationFailed("There is no clock here to tell the time")
    elapsed = moment.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    nanos = elapsed.days * NANOS_PER_DAY + elapsed.seconds * NANOS + elapsed.microseconds * 1_000
    return DateTime.from_wall(nanos, 0, None)


@feel_function("today")
def today(frame: Frame) -> Date | None:
    """The date of ``now()``."""
    moment = now(frame)
    return None if moment is None else moment.date
