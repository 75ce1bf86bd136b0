"""Coercion, equality and order of values as the unified expression language defines them."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from bpm.core.expressions import arithmetic
from bpm.core.expressions.arithmetic import Number, Operation
from bpm.core.expressions.errors import EvaluationFailed
from bpm.core.expressions.frame import bound_text
from bpm.core.expressions.json_value import describe_type, format_value


def to_boolean(value: Any) -> bool:
    """Boolean of a value; null and text other than ``true`` are false.

    Raises:
        EvaluationFailed: the value is a number, a list or a map.
    """
    if value is True or value is False:
        return bool(value)
    if value is None:
        return False
    if isinstance(value, str):
        return value.strip().lower() == "true"
    raise EvaluationFailed(f"A {describe_type(value)} is no boolean")


def to_number(value: Any) -> Number:
    """Number of a value; null and empty text are 0, other text is read as a numeral.

    Raises:
        EvaluationFailed: the value is no number and no numeral.
    """
    number = arithmetic.read_number(value)
    if number is not None:
        return number
    if value is None or value == "":
        return 0
    if isinstance(value, str):
        number = arithmetic.parse_number(value.strip())
        if number is not None:
            return number
        raise EvaluationFailed(f"The text {value[:80]!r} is no number")
    raise EvaluationFailed(f"A {describe_type(value)} is no number")


def to_text(value: Any) -> str:
    """Text of a value; null is empty, lists and maps are JSON."""
    return bound_text("" if value is None else format_value(value))


def is_empty(value: Any) -> bool:
    """Whether a value is null or an empty text, list or map."""
    return value is None or (isinstance(value, str | list | dict) and not value)


def are_equal(left: Any, right: Any) -> bool:
    """Equality after coercion: to numbers if one is a number, then booleans, then texts.

    Raises:
        EvaluationFailed: one side has no value of the type of the other.
    """
    if left is None or right is None:
        return left is right
    if is_number(left) or is_number(right):
        return to_number(left) == to_number(right)
    if isinstance(left, bool) or isinstance(right, bool):
        return to_boolean(left) == to_boolean(right)
    if isinstance(left, str) or isinstance(right, str):
        return to_text(left) == to_text(right)
    return are_same(left, right)


def are_same(left: Any, right: Any) -> bool:
    """Equality without coercion, item by item; 1 and 1.0 are the same, 1 and true are not."""
    if is_number(left) and is_number(right):
        return arithmetic.read_number(left) == arithmetic.read_number(right)
    if type(left) is not type(right):
        return False
    if isinstance(left, list):
        return len(left) == len(right) and all(map(are_same, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(are_same(item, right[key]) for key, item in left.items())
    return bool(left == right)


def compare(left: Any, right: Any, operator: Callable[[Any, Any], bool]) -> bool:
    """Order after coercion; false when a side is null.

    Raises:
        EvaluationFailed: the values have no order.
    """
    if left is None or right is None:
        return False
    if is_number(left) or is_number(right):
        return operator(to_number(left), to_number(right))
    if isinstance(left, str) or isinstance(right, str):
        return operator(to_text(left), to_text(right))
    raise EvaluationFailed(f"A {describe_type(left)} and a {describe_type(right)} have no order")


def calculate(left: Any, right: Any, operation: Operation, symbol: str) -> Number:
    """Arithmetic after coercion to numbers.

    Raises:
        EvaluationFailed: a side is no number, or the result has no value.
    """
    result = operation(to_number(left), to_number(right))
    if result is None:
        divided = symbol in ("/", "%") and not to_number(right)
        raise EvaluationFailed("Division by zero" if divided else f"The result of {symbol!r} is too big")
    return result


def is_number(value: Any) -> bool:
    """Whether a value is a number; a boolean is none."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)
