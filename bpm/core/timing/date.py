"""ISO 8601 dates as instants (semantics §6)."""

from __future__ import annotations

import calendar
import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from decimal import ROUND_HALF_UP, Decimal
from typing import Final
from zoneinfo import ZoneInfo

from bpm.core.timing.errors import TimingSyntaxError, check_length
from bpm.core.timing.wall_clock import resolve_wall_time

_DATE: Final = re.compile(
    r"(?P<year>[0-9]{4})"
    r"(?:-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2}))?|(?P<month2>[0-9]{2})(?P<day2>[0-9]{2})"
    r"|-?W(?P<week>[0-9]{2})(?:-?(?P<weekday>[1-7]))?|-?(?P<ordinal>[0-9]{3}))?"
    r"(?:[Tt ](?P<hour>[0-9]{2})(?::?(?P<minute>[0-9]{2})"
    r"(?::?(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,20}))?)?)?"
    r"(?P<offset>[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?(?:@(?P<zone>[A-Za-z0-9_+/-]{1,60})|\[(?P<zone2>[A-Za-z0-9_+/-]{1,60})\])?)?",
    re.ASCII,
)


def parse_date(text: str, zone: tzinfo) -> datetime:
    """Read an ISO 8601 date or date and time.

    Extended and basic format, calendar, week and ordinal dates, reduced precision (what is missing
    is the smallest), ``24:00``, offset ``Z`` or ``±hh[:mm]``, and a zone name in brackets or after ``@``.

    Args:
        text: the date.
        zone: where text without zone is meant.

    Returns:
        The instant in UTC.

    Raises:
        TimingSyntaxError: the text is no date, or there is no such date.
    """
    found = _DATE.fullmatch(check_length(text))
    if found is None:
        raise TimingSyntaxError(text, "This is no ISO 8601 date such as 2026-01-31T12:00:00Z")
    parts = found.groupdict()
    try:
        wall = _read_day(parts) + _read_time(parts)
        if parts["offset"]:
            return (wall - _read_offset(parts["offset"])).replace(tzinfo=UTC)
        name = parts["zone"] or parts["zone2"]
        return resolve_wall_time(wall, ZoneInfo(name) if name else zone)
    except (ValueError, OverflowError, KeyError, OSError) as error:
        raise TimingSyntaxError(text, f"There is no such date: {error}") from None


def _read_day(parts: dict[str, str | None]) -> datetime:
    year = int(parts["year"] or 0)
    if parts["week"]:
        return datetime.fromisocalendar(year, int(parts["week"]), int(parts["weekday"] or 1))
    if parts["ordinal"]:
        number = int(parts["ordinal"])
        if not 1 <= number <= 365 + calendar.isleap(year):
            raise ValueError(f"the year {year} has no day {number}")
        return datetime.fromordinal(date(year, 1, 1).toordinal() + number - 1)
    month, day = parts["month"] or parts["month2"] or 1, parts["day"] or parts["day2"] or 1
    return datetime.combine(date(year, int(month), int(day)), time())


def _read_time(parts: dict[str, str | None]) -> timedelta:
    hour, minute, second = (int(parts[name] or 0) for name in ("hour", "minute", "second"))
    fraction = Decimal(f"0.{parts['fraction'] or 0}")
    micros = int((fraction * 1_000_000).to_integral_value(ROUND_HALF_UP))
    if hour > 24 or minute > 59 or second > 59 or (hour == 24 and (minute or second or micros)):
        raise ValueError("the time of day does not exist")
    return timedelta(hours=hour, minutes=minute, seconds=second, microseconds=micros)


def _read_offset(text: str) -> timedelta:
    if text in "Zz":
        return timedelta(0)
    digits = text[1:].replace(":", "")
    hours, minutes = int(digits[:2]), int(digits[2:] or 0)
    if hours > 23 or minutes > 59:
        raise ValueError("the offset does not exist")
    return timedelta(hours=hours, minutes=minutes) * (-1 if text[0] == "-" else 1)
