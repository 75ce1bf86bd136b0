"""The proleptic Gregorian calendar with a year 0, for years far beyond ``datetime``'s."""

from __future__ import annotations

from typing import Final

MAX_YEAR: Final = 999_999_999
_DAYS_PER_ERA: Final = 146_097
_EPOCH_SHIFT: Final = 719_468


def is_leap_year(year: int) -> bool:
    """Whether February has 29 days."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in_month(year: int, month: int) -> int:
    """Number of days of the month, 1 to 12."""
    if month == 2:
        return 29 if is_leap_year(year) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def to_day_number(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01; years count from March, so that the leap day is the last."""
    shifted = year - (month <= 2)
    era, year_of_era = divmod(shifted, 400)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * _DAYS_PER_ERA + day_of_era - _EPOCH_SHIFT


def from_day_number(number: int) -> tuple[int, int, int]:
    """Year, month and day of the days since 1970-01-01."""
    era, day_of_era = divmod(number + _EPOCH_SHIFT, _DAYS_PER_ERA)
    leap_days = day_of_era // 1_460 - day_of_era // 36_524 + day_of_era // 146_096
    year_of_era = (day_of_era - leap_days) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return era * 400 + year_of_era + (month <= 2), month, day_of_year - (153 * shifted + 2) // 5 + 1


def add_months(year: int, month: int, day: int, months: int) -> tuple[int, int, int]:
    """The same day so many months later, the last one of the month if it has no such day."""
    later_year, later_month = divmod(year * 12 + month - 1 + months, 12)
    return later_year, later_month + 1, min(day, days_in_month(later_year, later_month + 1))
