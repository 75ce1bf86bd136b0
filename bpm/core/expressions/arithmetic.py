"""Exact arithmetic of both dialects: integers of any size, decimals of 34 digits.

A number is an ``int`` (never a ``bool``) or a ``Decimal``; a ``float`` from a variable counts as the
decimal it is written as. Operations of two integers are exact up to MAX_INTEGER_BITS, everything
else is rounded half to even to 34 digits. What has no finite result is None.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any, Final

from bpm.core.expressions.bounds import MAX_INTEGER_BITS, MAX_NUMERAL_LENGTH

Number = int | Decimal

CONTEXT: Final = Context(prec=34, rounding=ROUND_HALF_EVEN, Emin=-6143, Emax=6144, traps=[])
_LIMIT: Final = 1 << MAX_INTEGER_BITS
_NUMERAL: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?", re.ASCII)


def read_number(value: Any) -> Number | None:
    """The value as a number, None if it is none (a boolean, NaN and infinity are none)."""
    kind = type(value)
    if kind is int or (kind is Decimal and value.is_finite()):
        return value  # type: ignore[no-any-return]
    if kind is float and math.isfinite(value):
        return Decimal(repr(value))
    return None


def parse_number(text: str) -> Number | None:
    """The number a text is the numeral of, None if it is none; ``1`` is an int, ``1.0`` a Decimal."""
    if len(text) > MAX_NUMERAL_LENGTH or not _NUMERAL.fullmatch(text):
        return None
    try:
        return int(text)
    except ValueError:
        return settle(CONTEXT.create_decimal(text))


def settle(result: Decimal) -> Decimal | None:
    """The decimal, None when it is infinite or not a number."""
    return result if result.is_finite() else None


def bound_integer(result: int) -> Number | None:
    """The integer itself, or its 34-digit decimal when it is beyond the bound."""
    if -_LIMIT < result < _LIMIT:
        return result
    return settle(CONTEXT.create_decimal(result))


def add(left: Number, right: Number) -> Number | None:
    """Sum."""
    if type(left) is int and type(right) is int:
        return bound_integer(left + right)
    return settle(CONTEXT.add(left, right))


def subtract(left: Number, right: Number) -> Number | None:
    """Difference."""
    if type(left) is int and type(right) is int:
        return bound_integer(left - right)
    return settle(CONTEXT.subtract(left, right))


def multiply(left: Number, right: Number) -> Number | None:
    """Product."""
    if type(left) is int and type(right) is int:
        return bound_integer(left * right)
    return settle(CONTEXT.multiply(left, right))


def divide(left: Number, right: Number) -> Number | None:
    """Quotient, an int when both are and nothing remains; None for a zero divisor."""
    if not right:
        return None
    if type(left) is int and type(right) is int and left % right == 0:
        return left // right
    return settle(CONTEXT.divide(left, right))


def remainder(left: Number, right: Number) -> Number | None:
    """Remainder with the sign of the dividend; None for a zero divisor."""
    if not right:
        return None
    if type(left) is int and type(right) is int:
        rest = abs(left) % abs(right)
        return -rest if left < 0 else rest
    return settle(CONTEXT.remainder(left, right))


def floor_modulo(left: Number, right: Number) -> Number | None:
    """Remainder with the sign of the divisor; None for a zero divisor."""
    if not right:
        return None
    if type(left) is int and type(right) is int:
        return left % right
    whole = CONTEXT.divide(left, right).to_integral_value(rounding="ROUND_FLOOR")
    return settle(CONTEXT.subtract(left, CONTEXT.multiply(right, whole)))


def power(base: Number, exponent: Number) -> Number | None:
    """Power; exact for integers while the result is within the bound, else rounded."""
    if type(base) is int and type(exponent) is int and 0 <= exponent <= MAX_INTEGER_BITS:
        least_bits = (base.bit_length() - 1) * exponent
        if least_bits <= MAX_INTEGER_BITS:
            return bound_integer(base**exponent)
    if not base and not exponent:
        return 1
    return settle(CONTEXT.power(CONTEXT.create_decimal(base), CONTEXT.create_decimal(exponent)))


def negate(value: Number) -> Number:
    """The number with the other sign."""
    return -value if type(value) is int else CONTEXT.minus(value)


def format_number(value: Number) -> str:
    """Plain numeral without exponent; a very large or small decimal keeps its exponent."""
    decimal = Decimal(value)
    if type(value) is int:
        return f"{decimal:f}"
    return f"{decimal:f}" if -MAX_NUMERAL_LENGTH < decimal.adjusted() < MAX_NUMERAL_LENGTH else str(decimal)


Operation = Callable[[Number, Number], Number | None]
