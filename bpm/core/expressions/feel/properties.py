"""Properties of FEEL values: entries of contexts, parts of dates, times, durations and ranges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

from bpm.core.expressions.arithmetic import CONTEXT, Number
from bpm.core.expressions.feel.ranges import Range
from bpm.core.expressions.feel.temporal import NANOS, Date, DateTime, DaysDuration, MonthsDuration, Time
from bpm.core.expressions.frame import Frame


def get_property(frame: Frame, value: Any, name: str) -> Any:
    """The property, null when there is none; of a list, the list of its items' properties."""
    if isinstance(value, dict):
        return value.get(name)
    if isinstance(value, list):
        frame.charge(len(value))
        return [get_property(frame, item, name) for item in value]
    readers = _PROPERTIES.get(type(value))
    reader = None if readers is None else readers.get(name)
    return None if reader is None else reader(value)


def to_seconds(nanos: int) -> Number:
    """Seconds with their fraction."""
    whole, rest = divmod(nanos, NANOS)
    return CONTEXT.divide(Decimal(nanos), Decimal(NANOS)) if rest else whole


def _signed(value: DaysDuration, part: int) -> Number:
    size = value.parts()[part]
    amount = to_seconds(size) if part == 3 else size
    return -amount if value.nanos < 0 else amount


def _offset(value: Time | DateTime) -> DaysDuration | None:
    seconds = value.offset() if isinstance(value, DateTime) else value.offset_on(10_957)
    return None if seconds is None else DaysDuration(seconds * NANOS)


def _months(value: MonthsDuration) -> int:
    months = abs(value.months) % 12
    return -months if value.months < 0 else months


def _years(value: MonthsDuration) -> int:
    years = abs(value.months) // 12
    return -years if value.months < 0 else years


Readers = Mapping[str, Callable[[Any], Any]]
_DATE: Final[Readers] = {
    "year": lambda value: value.year,
    "month": lambda value: value.month,
    "day": lambda value: value.day,
    "weekday": lambda value: value.weekday(),
}
_TIME: Final[Readers] = {
    "hour": lambda value: value.nanos // (3_600 * NANOS),
    "minute": lambda value: value.nanos // (60 * NANOS) % 60,
    "second": lambda value: to_seconds(value.nanos % (60 * NANOS)),
    "time offset": _offset,
    "timezone": lambda value: value.zone,
}


def _of_part(part: str, reader: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: reader(getattr(value, part))


_PROPERTIES: Final[Mapping[type, Readers]] = {
    Date: _DATE,
    Time: _TIME,
    DateTime: {
        **{name: _of_part("date", reader) for name, reader in _DATE.items()},
        **{name: _of_part("time", reader) for name, reader in _TIME.items()},
        "time offset": _offset,
    },
    DaysDuration: {
        "days": lambda value: _signed(value, 0),
        "hours": lambda value: _signed(value, 1),
        "minutes": lambda value: _signed(value, 2),
        "seconds": lambda value: _signed(value, 3),
    },
    MonthsDuration: {"years": _years, "months": _months},
    Range: {
        "start": lambda value: value.start,
        "end": lambda value: value.end,
        "start included": lambda value: value.includes_start,
        "end included": lambda value: value.includes_end,
    },
}
