"""Equality and order of FEEL values; None where types differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bpm.core.expressions.arithmetic import read_number
from bpm.core.expressions.feel.temporal import (
    NANOS,
    Date,
    DateTime,
    DaysDuration,
    MonthsDuration,
    Time,
)
from bpm.core.expressions.feel.temporal_arithmetic import moment_key, time_key

Charge = Callable[[int], None]


def equals(left: Any, right: Any, charge: Charge | None = None) -> bool | None:
    """Equality; null equals only null, values of different types give None.

    Times and dates with time are equal when they are within the same second, as FEEL has it.

    Args:
        left: any FEEL value.
        right: any FEEL value.
        charge: pays for the items of lists and contexts.
    """
    if left is None or right is None:
        return left is right
    kind = type_of(left)
    if kind != type_of(right):
        return None
    if kind in ("list", "context"):
        if charge is not None:
            charge(len(left))
        return _equal_items(left, right, charge)
    if kind == "range":
        return bool(left.is_same(right))
    if kind in ("time", "date and time"):
        return _equal_seconds(left, right)
    if kind == "number":
        return read_number(left) == read_number(right)
    return bool(left == right)


def _equal_items(left: Any, right: Any, charge: Charge | None) -> bool:
    if left is right:
        return True
    if isinstance(left, list):
        pairs = zip(left, right, strict=False)
        return len(left) == len(right) and all(are_equal(*pair, charge) for pair in pairs)
    return left.keys() == right.keys() and all(
        are_equal(item, right[key], charge) for key, item in left.items()
    )


def are_equal(left: Any, right: Any, charge: Charge | None = None) -> bool:
    """Whether the values are equal; different types are not."""
    return equals(left, right, charge) is True


def _equal_seconds(left: Any, right: Any) -> bool | None:
    first, second = order_key(left), order_key(right)
    if first is None or second is None or first[0] != second[0]:
        return None
    return bool(first[1] // NANOS == second[1] // NANOS)


def type_of(value: Any) -> str:
    """Name of the value's type in FEEL."""
    if value is None:
        return "Null"
    if isinstance(value, bool):
        return "boolean"
    if read_number(value) is not None:
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list):
        return "list"
    if isinstance(value, dict):
        return "context"
    return str(getattr(value, "type_name", "Any"))


def order_key(value: Any) -> tuple[str, Any] | None:
    """Kind and sortable key of an ordered value, None when it has no order."""
    if isinstance(value, str):
        return "string", value
    if isinstance(value, Date):
        return "date", value.day_number()
    if isinstance(value, DateTime):
        local, nanos = moment_key(value)
        return ("local date and time" if local else "date and time"), nanos
    if isinstance(value, Time):
        local, nanos = time_key(value)
        return ("local time" if local else "time"), nanos
    if isinstance(value, DaysDuration):
        return "days and time duration", value.nanos
    if isinstance(value, MonthsDuration):
        return "years and months duration", value.months
    number = read_number(value)
    return None if number is None else ("number", number)


def compare(left: Any, right: Any) -> int | None:
    """-1, 0 or 1 as ``left`` is less, equal or greater; None when they have no order."""
    first, second = order_key(left), order_key(right)
    if first is None or second is None or first[0] != second[0]:
        return None
    return int(first[1] > second[1]) - int(first[1] < second[1])
