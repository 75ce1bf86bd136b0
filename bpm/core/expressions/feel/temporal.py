"""Dates, times and durations of FEEL: immutable values with nanoseconds and years to ±999,999,999."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import ClassVar, Final
from zoneinfo import ZoneInfo

from bpm.core.expressions.feel import calendar_days

NANOS: Final = 1_000_000_000
NANOS_PER_DAY: Final = 86_400 * NANOS
_NANOS_PER_HOUR: Final = 3_600 * NANOS
_NANOS_PER_MINUTE: Final = 60 * NANOS


@dataclass(frozen=True, slots=True)
class Date:
    """A calendar date."""

    type_name: ClassVar[str] = "date"
    year: int
    month: int
    day: int

    @classmethod
    def from_day_number(cls, number: int) -> Date | None:
        """Date of the days since 1970-01-01; None outside the years FEEL has."""
        year, month, day = calendar_days.from_day_number(number)
        return cls(year, month, day) if abs(year) <= calendar_days.MAX_YEAR else None

    def at_midnight(self) -> DateTime:
        """The date with its first moment, in UTC."""
        return DateTime(self, Time(0, 0))

    def day_number(self) -> int:
        """Days since 1970-01-01."""
        return calendar_days.to_day_number(self.year, self.month, self.day)

    def weekday(self) -> int:
        """Monday is 1, Sunday 7."""
        return (self.day_number() + 3) % 7 + 1

    def day_of_year(self) -> int:
        """The first of January is 1."""
        return self.day_number() - calendar_days.to_day_number(self.year, 1, 1) + 1

    def to_iso(self) -> str:
        """ISO 8601 text; at least four digits of the year."""
        sign = "-" if self.year < 0 else ""
        return f"{sign}{abs(self.year):04d}-{self.month:02d}-{self.day:02d}"

    def __str__(self) -> str:
        return self.to_iso()


@dataclass(frozen=True, slots=True)
class Time:
    """A time of day, local or with an offset or a zone.

    Attributes:
        nanos: nanoseconds since midnight, less than a day.
        offset: seconds east of UTC, None without; None with a zone.
        zone: name of a zone, None without.
    """

    type_name: ClassVar[str] = "time"
    nanos: int
    offset: int | None = None
    zone: str | None = None

    def is_local(self) -> bool:
        """Whether it has neither offset nor zone."""
        return self.offset is None and self.zone is None

    def offset_on(self, day_number: int) -> int | None:
        """Seconds east of UTC on a day, by the wall clock; None when local."""
        if self.zone is None:
            return self.offset
        return zone_offset(self.zone, day_number * NANOS_PER_DAY + self.nanos)

    def to_iso(self) -> str:
        """ISO 8601 text; a zone follows after ``@``."""
        seconds, fraction = divmod(self.nanos, NANOS)
        digits = f".{fraction:09d}".rstrip("0") if fraction else ""
        text = f"{seconds // 3_600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{digits}"
        if self.zone is not None:
            return f"{text}@{self.zone}"
        return text if self.offset is None else text + format_offset(self.offset)

    def __str__(self) -> str:
        return self.to_iso()


@dataclass(frozen=True, slots=True)
class DateTime:
    """A date with a time of day."""

    type_name: ClassVar[str] = "date and time"
    date: Date
    time: Time

    @classmethod
    def from_wall(cls, wall: int, offset: int | None, zone: str | None) -> DateTime | None:
        """Date and time of nanoseconds since 1970-01-01 on the wall clock; None when out of bounds."""
        day, nanos = divmod(wall, NANOS_PER_DAY)
        date = Date.from_day_number(day)
        return None if date is None else cls(date, Time(nanos, offset, zone))

    def wall(self) -> int:
        """Nanoseconds since 1970-01-01 on the wall clock."""
        return self.date.day_number() * NANOS_PER_DAY + self.time.nanos

    def offset(self) -> int | None:
        """Seconds east of UTC, None when local."""
        return self.time.offset_on(self.date.day_number())

    def instant(self) -> int | None:
        """Nanoseconds since 1970-01-01 in UTC, None when local."""
        offset = self.offset()
        return None if offset is None else self.wall() - offset * NANOS

    def to_iso(self) -> str:
        """ISO 8601 text; a zone follows after ``@``."""
        return f"{self.date.to_iso()}T{self.time.to_iso()}"

    def __str__(self) -> str:
        return self.to_iso()


@dataclass(frozen=True, slots=True)
class DaysDuration:
    """A days and time duration, in nanoseconds."""

    type_name: ClassVar[str] = "days and time duration"
    nanos: int

    def parts(self) -> tuple[int, int, int, int]:
        """Days, hours, minutes and nanoseconds without the sign."""
        days, rest = divmod(abs(self.nanos), NANOS_PER_DAY)
        hours, rest = divmod(rest, _NANOS_PER_HOUR)
        minutes, nanos = divmod(rest, _NANOS_PER_MINUTE)
        return days, hours, minutes, nanos

    def to_iso(self) -> str:
        """ISO 8601 text, such as ``-P1DT2H3M4.5S``."""
        days, hours, minutes, nanos = self.parts()
        seconds, fraction = divmod(nanos, NANOS)
        digits = f".{fraction:09d}".rstrip("0") if fraction else ""
        time = f"{hours}H" * bool(hours) + f"{minutes}M" * bool(minutes) + f"{seconds}{digits}S" * bool(nanos)
        text = f"{days}D" * bool(days) + f"T{time}" * bool(time)
        return f"{'-' * (self.nanos < 0)}P{text}" if text else "PT0S"

    def __str__(self) -> str:
        return self.to_iso()


@dataclass(frozen=True, slots=True)
class MonthsDuration:
    """A years and months duration, in months."""

    type_name: ClassVar[str] = "years and months duration"
    months: int

    def to_iso(self) -> str:
        """ISO 8601 text, such as ``-P1Y2M``."""
        years, months = divmod(abs(self.months), 12)
        text = f"{years}Y" * bool(years) + f"{months}M" * bool(months)
        return f"{'-' * (self.months < 0)}P{text or '0M'}"

    def __str__(self) -> str:
        return self.to_iso()


Temporal = Date | Time | DateTime | DaysDuration | MonthsDuration


def format_offset(offset: int) -> str:
    """``Z`` or ``±hh:mm``, with seconds if there are any."""
    if not offset:
        return "Z"
    size = abs(offset)
    seconds = f":{size % 60:02d}" if size % 60 else ""
    return f"{'-' if offset < 0 else '+'}{size // 3_600:02d}:{size // 60 % 60:02d}{seconds}"


@lru_cache(maxsize=64)
def find_zone(name: str) -> tzinfo | None:
    """The zone of that name; None when it is unknown."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None


def zone_offset(name: str, wall: int) -> int:
    """Seconds east of UTC at nanoseconds since 1970-01-01 on the zone's wall clock."""
    return _read_offset(name, wall // NANOS, wall=True)


def zone_offset_at(name: str, instant: int) -> int:
    """Seconds east of UTC at nanoseconds since 1970-01-01 in UTC."""
    return _read_offset(name, instant // NANOS, wall=False)


def _read_offset(name: str, seconds: int, *, wall: bool) -> int:
    zone = find_zone(name) or UTC
    within = max(-62_000_000_000, min(seconds, 250_000_000_000))
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=within)
    local = moment.replace(tzinfo=zone) if wall else moment.astimezone(zone)
    return int((local.utcoffset() or timedelta(0)).total_seconds())
