"""The fields of a cron schedule: which seconds, minutes, hours, days, months and weekdays fit."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from bpm.core.timing.errors import TimingSyntaxError

_MONTH_NAMES: Final = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_WEEKDAY_NAMES: Final = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_MONTHS: Final = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
_WEEKDAYS: Final = {name: number for number, name in enumerate(_WEEKDAY_NAMES)}
_TERM: Final = re.compile(
    r"(?:(\*)|([0-9]{1,2}|[A-Z]{3})(?:-([0-9]{1,2}|[A-Z]{3}))?)(?:/([0-9]{1,4}))?", re.ASCII
)
_DAY_WORD: Final = re.compile(r"(L)(?:-([0-9]{1,2}))?|(LW)|([0-9]{1,2})W", re.ASCII)
_WEEKDAY_WORD: Final = re.compile(r"([0-7]|[A-Z]{3})(?:(L)|#([1-5]))", re.ASCII)


@dataclass(frozen=True, slots=True)
class DayRule:
    """One way a date may fit the day or the weekday field.

    Attributes:
        kind: ``day`` of the month, ``from_end`` (0 is the last day), ``workday`` nearest to a day,
            ``last_workday``, ``weekday`` (Sunday is 0), ``last`` or ``nth`` weekday of the month.
        values: what fits; for ``nth`` pairs are coded as ``weekday * 10 + n``.
    """

    kind: str
    values: frozenset[int]

    def fits(self, day: date) -> bool:
        """Whether the date fits."""
        last = calendar.monthrange(day.year, day.month)[1]
        weekday = day.isoweekday() % 7
        if self.kind == "day":
            return day.day in self.values
        if self.kind == "weekday":
            return weekday in self.values
        if self.kind == "from_end":
            return last - day.day in self.values
        if self.kind == "last":
            return weekday in self.values and day.day > last - 7
        if self.kind == "nth":
            return weekday * 10 + (day.day + 6) // 7 in self.values
        wanted = last if self.kind == "last_workday" else min(self.values)
        return wanted <= last and day == _nearest_workday(day.replace(day=wanted), last)


def _nearest_workday(day: date, last: int) -> date:
    if day.isoweekday() == 6:
        return day + timedelta(days=-1 if day.day > 1 else 2)
    if day.isoweekday() == 7:
        return day + timedelta(days=1 if day.day < last else -2)
    return day


@dataclass(frozen=True, slots=True)
class Fields:
    """What fits, each ascending.

    Attributes:
        seconds: 0 to 59.
        minutes: 0 to 59.
        hours: 0 to 23.
        months: 1 to 12.
        days: rules of the day field, any of which fits.
        weekdays: rules of the weekday field, any of which fits.
        needs_both_days: whether both day fields have to fit, else one is enough.
        follows_elapsed_time: whether second, minute or hour begins with ``*``.
    """

    seconds: tuple[int, ...]
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    months: tuple[int, ...]
    days: tuple[DayRule, ...]
    weekdays: tuple[DayRule, ...]
    needs_both_days: bool
    follows_elapsed_time: bool


def read_fields(text: str, words: list[str]) -> Fields:
    """Read five, six or seven fields; ``text`` is for errors.

    Raises:
        TimingSyntaxError: a field is wrong.
    """
    if len(words) not in (5, 6, 7):
        raise TimingSyntaxError(text, f"A cron schedule has five to seven fields, not {len(words)}")
    words = [word.upper() for word in words]
    quartz = len(words) == 7 or "?" in words
    if len(words) == 7 and words.pop() != "*":
        raise TimingSyntaxError(text, "The year of a cron schedule has to be '*'")
    second, minute, hour, day, month, weekday = ["0", *words] if len(words) == 5 else words
    if day == weekday == "?" or "?" in (second, minute, hour, month):
        raise TimingSyntaxError(text, "Only one of day and weekday may be '?'")
    day, weekday = day.replace("?", "*"), weekday.replace("?", "*")
    reader = _FieldReader(text, quartz)
    return Fields(
        seconds=reader.read("second", second, 0, 59),
        minutes=reader.read("minute", minute, 0, 59),
        hours=reader.read("hour", hour, 0, 23),
        months=reader.read("month", month, 1, 12, _MONTHS),
        days=reader.read_days(day),
        weekdays=reader.read_weekdays(weekday),
        needs_both_days=day.startswith("*") or weekday.startswith("*"),
        follows_elapsed_time=any(word.startswith("*") for word in (second, minute, hour)),
    )


class _FieldReader:
    def __init__(self, text: str, quartz: bool) -> None:
        self.text = text
        self.quartz = quartz

    def read(
        self, field: str, word: str, low: int, high: int, names: dict[str, int] | None = None
    ) -> tuple[int, ...]:
        values: set[int] = set()
        for term in word.split(","):
            values.update(self.read_term(field, term, low, high, names or {}))
        return tuple(sorted(values))

    def read_term(self, field: str, term: str, low: int, high: int, names: dict[str, int]) -> Iterable[int]:
        found = _TERM.fullmatch(term)
        if found is None:
            raise TimingSyntaxError(self.text, f"The {field} {term!r} of a cron schedule is wrong")
        star, first, last, step = found.groups()
        if step is not None and int(step) == 0:
            raise TimingSyntaxError(self.text, f"The step of the {field} {term!r} is zero")
        begin = low if star else self.read_value(field, first, low, high, names)
        end = high if star or (step and not last) else begin
        if last:
            end = self.read_value(field, last, low, high, names)
        if end < begin:
            if not self.quartz:
                raise TimingSyntaxError(self.text, f"The {field} {term!r} ends before it begins")
            end += high - low + 1
        return ((value - low) % (high - low + 1) + low for value in range(begin, end + 1, int(step or 1)))

    def read_value(self, field: str, word: str, low: int, high: int, names: dict[str, int]) -> int:
        value = names.get(word, -1) if word.isalpha() else int(word)
        if not low <= value <= high:
            raise TimingSyntaxError(self.text, f"The {field} {word!r} is not from {low} to {high}")
        return value

    def read_days(self, word: str) -> tuple[DayRule, ...]:
        rules, plain = [], []
        for term in word.split(","):
            found = _DAY_WORD.fullmatch(term)
            if found is None:
                plain.append(term)
            elif found.group(1):
                rules.append(DayRule("from_end", frozenset({int(found.group(2) or 0)})))
            elif found.group(3):
                rules.append(DayRule("last_workday", frozenset()))
            else:
                day = self.read_value("day", found.group(4), 1, 31, {})
                rules.append(DayRule("workday", frozenset({day})))
        if plain:
            rules.append(DayRule("day", frozenset(self.read("day", ",".join(plain), 1, 31))))
        return tuple(rules)

    def read_weekdays(self, word: str) -> tuple[DayRule, ...]:
        rules, plain = [], []
        for term in word.split(","):
            found = _WEEKDAY_WORD.fullmatch(term)
            if found is None:
                plain.append("7" if term == "L" and self.quartz else term)
            elif found.group(2):
                rules.append(DayRule("last", frozenset({self.read_weekday(found.group(1))})))
            else:
                number = self.read_weekday(found.group(1)) * 10 + int(found.group(3))
                rules.append(DayRule("nth", frozenset({number})))
        if plain:
            low, names = (
                (1, {name: number + 1 for name, number in _WEEKDAYS.items()})
                if self.quartz
                else (0, _WEEKDAYS)
            )
            values = self.read("weekday", ",".join(plain), low, 7, names)
            rules.append(DayRule("weekday", frozenset((value - low) % 7 for value in values)))
        return tuple(rules)

    def read_weekday(self, word: str) -> int:
        if word.isalpha():
            return self.read_value("weekday", word, 0, 6, _WEEKDAYS)
        return (self.read_value("weekday", word, 1, 7, {}) - 1) if self.quartz else int(word) % 7
