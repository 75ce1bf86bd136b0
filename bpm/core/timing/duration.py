"""ISO 8601 durations whose months and days stay what the calendar makes of them (semantics §6)."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from bpm.core.timing.errors import TimingSyntaxError, check_length
from bpm.core.timing.wall_clock import resolve_wall_time

_QUANTITY: Final = r"(?:([0-9]{1,10}(?:[.,][0-9]{1,20})?)%s)?"
_DURATION: Final = re.compile(
    r"([+-]?)P(?=[0-9T])"
    + "".join(_QUANTITY % unit for unit in "YMWD")
    + r"(?:T(?=[0-9])"
    + "".join(_QUANTITY % unit for unit in "HMS")
    + ")?",
    re.ASCII,
)
_UNIT_SECONDS: Final = (604_800, 86_400, 3_600, 60, 1)


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time that keeps what the calendar decides.

    Attributes:
        months: years and months, counted in months; may be negative.
        days: weeks and days, counted in days, of the wall clock.
        elapsed: hours and less, and fractions of weeks and days.
    """

    months: int
    days: int
    elapsed: timedelta

    def add_to(self, moment: datetime) -> datetime:
        """Moment that much later, in the zone of ``moment``.

        The months come first (a day the month has not becomes its last), then the days, then the
        elapsed time.

        Args:
            moment: aware; the calendar is that of its zone.

        Raises:
            TimingSyntaxError: the result is outside the years 1 to 9999.
            ValueError: ``moment`` is not aware.
        """
        zone = moment.tzinfo
        if zone is None:
            raise ValueError("The moment has no zone")
        try:
            if not self.months and not self.days:
                return (moment.astimezone(UTC) + self.elapsed).astimezone(zone)
            wall = _add_months(moment.replace(tzinfo=None), self.months) + timedelta(days=self.days)
            return (resolve_wall_time(wall, zone) + self.elapsed).astimezone(zone)
        except (OverflowError, ValueError):
            raise TimingSyntaxError(self.to_iso(), "The date is outside the years 1 to 9999") from None

    def times(self, factor: int) -> Duration:
        """The duration multiplied.

        Raises:
            TimingSyntaxError: it becomes too long.
        """
        try:
            return Duration(self.months * factor, self.days * factor, self.elapsed * factor)
        except OverflowError:
            raise TimingSyntaxError(self.to_iso(), "The duration becomes too long") from None

    def is_positive(self) -> bool:
        """Whether adding it gives a later moment, whatever the moment is."""
        return (self.months, self.days, self.elapsed) > (0, 0, timedelta(0)) and (
            min(self.months, self.days) >= 0 and self.elapsed >= timedelta(0)
        )

    def to_iso(self) -> str:
        """ISO 8601 text, such as ``P1Y2M3DT4H5M6.5S``; equal durations have equal text."""
        sign = "-" if (self.months, self.days, self.elapsed) < (0, 0, timedelta(0)) else ""
        years, months = divmod(abs(self.months), 12)
        total_seconds = Decimal(abs(self.elapsed) // timedelta(microseconds=1)).scaleb(-6)
        total_minutes, seconds = divmod(total_seconds, 60)
        hours, minutes = divmod(int(total_minutes), 60)
        date = _join_parts([(years, "Y"), (months, "M"), (abs(self.days), "D")])
        time = _join_parts([(hours, "H"), (minutes, "M"), (seconds, "S")])
        return f"{sign}P{date}{'T' * bool(time)}{time}" if date or time else "PT0S"


def _join_parts(parts: list[tuple[int | Decimal, str]]) -> str:
    return "".join(f"{Decimal(count).normalize():f}{unit}" for count, unit in parts if count)


def parse_duration(text: str) -> Duration:
    """Read an ISO 8601 duration: ``P1Y2M3W4DT5H6M7.5S``, each part optional, sign in front allowed.

    Any part may have a fraction as long as years and months give whole months; weeks may stand
    with other parts. Seconds are rounded to microseconds.

    Raises:
        TimingSyntaxError: the text is no duration; ``P`` and ``PT`` alone are none.
    """
    stripped = check_length(text)
    found = _DURATION.fullmatch(stripped)
    if found is None:
        raise TimingSyntaxError(text, "This is no ISO 8601 duration such as PT10M or P1Y2M3DT4H")
    sign = -1 if found.group(1) == "-" else 1
    years, months, *rest = (Decimal((part or "0").replace(",", ".")) for part in found.groups()[1:])
    total_months = years * 12 + months
    if total_months != int(total_months):
        raise TimingSyntaxError(text, "A fraction of a month has no length")
    days, seconds = 0, Decimal(0)
    for count, size in zip(rest, _UNIT_SECONDS, strict=True):
        whole_days = int(count * size // 86_400) if size >= 86_400 else 0
        days += whole_days
        seconds += count * size - whole_days * 86_400
    micros = int((seconds * 1_000_000).to_integral_value(ROUND_HALF_UP))
    try:
        return Duration(sign * int(total_months), sign * days, timedelta(microseconds=sign * micros))
    except OverflowError:
        raise TimingSyntaxError(text, "The duration is too long") from None


def _add_months(moment: datetime, months: int) -> datetime:
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise OverflowError
    return moment.replace(
        year=year, month=month + 1, day=min(moment.day, calendar.monthrange(year, month + 1)[1])
    )
