"""Lexical forms of FEEL's dates, times and durations; what is none gives None."""

from __future__ import annotations

import re
from typing import Final

from bpm.core.expressions.feel import calendar_days
from bpm.core.expressions.feel.temporal import (
    NANOS,
    NANOS_PER_DAY,
    Date,
    DateTime,
    DaysDuration,
    MonthsDuration,
    Temporal,
    Time,
    find_zone,
)

MAX_OFFSET_SECONDS: Final = 18 * 3_600
_DATE: Final = re.compile(r"(-?(?:[1-9][0-9]{4,8}|[0-9]{4}))-([0-9]{2})-([0-9]{2})", re.ASCII)
_TIME: Final = re.compile(
    r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,30}))?"
    r"(Z|[+-][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?(?:@([A-Za-z0-9_+/-]{1,60}))?",
    re.ASCII,
)
_MONTHS: Final = re.compile(r"(-?)P(?=[0-9])(?:([0-9]{1,12})Y)?(?:([0-9]{1,12})M)?", re.ASCII)
_DAYS: Final = re.compile(
    r"(-?)P(?=[0-9T])(?:([0-9]{1,12})D)?"
    r"(?:T(?=[0-9])(?:([0-9]{1,15})H)?(?:([0-9]{1,15})M)?(?:([0-9]{1,18})(?:\.([0-9]{0,30}))?S)?)?",
    re.ASCII,
)


def make_date(year: int, month: int, day: int) -> Date | None:
    """The date, None when there is none."""
    if abs(year) > calendar_days.MAX_YEAR or not 1 <= month <= 12:
        return None
    return Date(year, month, day) if 1 <= day <= calendar_days.days_in_month(year, month) else None


def parse_date(text: str) -> Date | None:
    """``yyyy-mm-dd``, more digits and a sign allowed."""
    found = _DATE.fullmatch(text)
    return None if found is None else make_date(*(int(part) for part in found.groups()))


def parse_time(text: str) -> Time | None:
    """``hh:mm:ss[.f]`` with ``Z``, an offset or ``@zone``; 24:00:00 is midnight."""
    found = _read_time(text)
    return None if found is None else found[1]


def parse_date_time(text: str) -> DateTime | None:
    """A date, ``T`` and a time, or a date alone for its midnight."""
    day, mark, rest = text.partition("T")
    date = parse_date(day)
    if date is None or not mark:
        return None if date is None else DateTime(date, Time(0))
    found = _read_time(rest)
    if found is None:
        return None
    later = Date.from_day_number(date.day_number() + found[0])
    return None if later is None else DateTime(later, found[1])


def _read_time(text: str) -> tuple[int, Time] | None:
    """Days to carry (for 24:00:00) and the time."""
    found = _TIME.fullmatch(text)
    if found is None or (found.group(5) and found.group(6)):
        return None
    hour, minute, second = (int(part) for part in found.groups()[:3])
    nanos = int((found.group(4) or "0")[:9].ljust(9, "0"))
    if hour > 24 or minute > 59 or second > 59 or (hour == 24 and (minute or second or nanos)):
        return None
    if found.group(6) and find_zone(found.group(6)) is None:
        return None
    offset = _read_offset(found.group(5)) if found.group(5) else None
    if offset is not None and abs(offset) > MAX_OFFSET_SECONDS:
        return None
    days, rest = divmod(((hour * 60 + minute) * 60 + second) * NANOS + nanos, NANOS_PER_DAY)
    return days, Time(rest, offset, found.group(6))


def _read_offset(text: str) -> int:
    if text == "Z":
        return 0
    hours, minutes, *seconds = (int(part) for part in text[1:].split(":"))
    if minutes > 59 or (seconds and seconds[0] > 59):
        return MAX_OFFSET_SECONDS + 1
    size = hours * 3_600 + minutes * 60 + sum(seconds)
    return -size if text[0] == "-" else size


def parse_duration(text: str) -> DaysDuration | MonthsDuration | None:
    """An ISO 8601 duration of years and months, or of days and less."""
    found = _MONTHS.fullmatch(text)
    if found is not None:
        months = int(found.group(2) or 0) * 12 + int(found.group(3) or 0)
        return MonthsDuration(-months if found.group(1) else months)
    found = _DAYS.fullmatch(text)
    if found is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups()[1:5])
    total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    nanos = total * NANOS + int((found.group(6) or "0")[:9].ljust(9, "0"))
    return DaysDuration(-nanos if found.group(1) else nanos)


def parse_temporal(text: str) -> Temporal | None:
    """Whatever ``@"…"`` stands for: date, date and time, time or duration."""
    return (
        parse_date(text)
        or (parse_date_time(text) if "T" in text[1:] and "-" in text[1:] else None)
        or (parse_time(text) or parse_duration(text))
    )
