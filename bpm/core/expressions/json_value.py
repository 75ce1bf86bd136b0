"""Results of expressions as JSON values, and the names and texts of such values."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from bpm.core.expressions.arithmetic import format_number
from bpm.core.expressions.bounds import MAX_ITEMS, MAX_NUMERAL_LENGTH, MAX_RESULT_DEPTH
from bpm.core.expressions.errors import EvaluationFailed


def to_json_value(result: object) -> object:
    """The result of an evaluation as a value that JSON can hold.

    Dates, times and durations become ISO 8601 text, a decimal without fraction an int, any other
    decimal stays a ``Decimal``; lists and maps are converted item by item.

    Raises:
        EvaluationFailed: the value is infinite, not a number, a function, or no value of an
            expression at all, a key of a map is no text, or it is too big or nested too deep.
    """
    return _convert(result, [MAX_ITEMS], 0)


def _convert(value: object, left: list[int], depth: int) -> object:
    """``left`` holds the number of values that may still follow."""
    left[0] -= 1
    if left[0] < 0 or depth > MAX_RESULT_DEPTH:
        raise EvaluationFailed("The result is too big or nested too deep for a JSON value")
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, list):
        return [_convert(item, left, depth + 1) for item in value]
    if isinstance(value, dict):
        return {_check_key(key): _convert(item, left, depth + 1) for key, item in value.items()}
    if isinstance(value, float | Decimal):
        return _settle_decimal(value)
    to_iso = getattr(value, "to_iso", None)
    if to_iso is not None:
        return to_iso()
    raise EvaluationFailed(f"A {describe_type(value)} is no JSON value")


def _settle_decimal(number: float | Decimal) -> int | Decimal:
    value = Decimal(repr(number)) if isinstance(number, float) else number
    if not value.is_finite():
        raise EvaluationFailed(f"The number {value} is no JSON value")
    if value == value.to_integral_value() and value.adjusted() < MAX_NUMERAL_LENGTH:
        return int(value)
    return value


def _check_key(key: object) -> str:
    if not isinstance(key, str):
        raise EvaluationFailed(f"The key {key!r} of a map is no text")
    return key


def describe_type(value: Any) -> str:
    """Name of the value's type for messages: ``number``, ``text``, ``list``, ``null`` and so on."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float | Decimal):
        return "number"
    for kind, name in ((str, "text"), (list, "list"), (dict, "map")):
        if isinstance(value, kind):
            return name
    return str(getattr(value, "type_name", type(value).__name__))


def format_value(value: Any) -> str:
    """Text of a value: numerals plain, booleans ``true`` and ``false``, lists and maps as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | Decimal):
        return format_number(value)
    converted = to_json_value(value)
    if isinstance(converted, str):
        return converted
    return write_json(converted)


def write_json(value: Any) -> str:
    """JSON text of a JSON value; a decimal is written with all its digits."""
    if isinstance(value, list):
        return "[" + ", ".join(map(write_json, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{write_json(key)}: {write_json(item)}" for key, item in value.items()) + "}"
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return format_number(value)
    return json.dumps(value, ensure_ascii=False)
