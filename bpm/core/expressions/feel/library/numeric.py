"""Functions of numbers."""

from __future__ import annotations

from decimal import (
    ROUND_CEILING,
    ROUND_DOWN,
    ROUND_FLOOR,
    ROUND_HALF_DOWN,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    ROUND_UP,
    Context,
    Decimal,
)
from typing import Final

from bpm.core.expressions import arithmetic
from bpm.core.expressions.arithmetic import CONTEXT, Number
from bpm.core.expressions.feel.library.registry import feel_function
from bpm.core.expressions.feel.temporal import DaysDuration, MonthsDuration
from bpm.core.expressions.frame import Frame

_WIDE: Final = Context(prec=12_500, Emin=-6143, Emax=6144, traps=[])
_MIN_SCALE: Final = -6_111
_MAX_SCALE: Final = 6_176


def _round(value: Number, scale: Number, rounding: str) -> Number | None:
    places = int(scale)
    if not _MIN_SCALE <= places <= _MAX_SCALE:
        return None
    if type(value) is int and places >= 0:
        return value
    decimal = Decimal(value)
    if -decimal.as_tuple().exponent <= places:  # type: ignore[operator]
        return decimal
    return arithmetic.settle(decimal.quantize(Decimal(1).scaleb(-places), rounding, _WIDE))


@feel_function("decimal", "n: number, scale: number")
def decimal(frame: Frame, value: Number, scale: Number) -> Number | None:
    """Number rounded half to even to so many decimal places."""
    return _round(value, scale, ROUND_HALF_EVEN)


@feel_function("floor", "n: number, scale?: number")
def floor(frame: Frame, value: Number, scale: Number | None) -> Number | None:
    """Greatest number of so many decimal places that is not greater."""
    return _round(value, scale or 0, ROUND_FLOOR)


@feel_function("ceiling", "n: number, scale?: number")
def ceiling(frame: Frame, value: Number, scale: Number | None) -> Number | None:
    """Smallest number of so many decimal places that is not smaller."""
    return _round(value, scale or 0, ROUND_CEILING)


@feel_function("round up", "n: number, scale: number")
def round_up(frame: Frame, value: Number, scale: Number) -> Number | None:
    """Number rounded away from zero."""
    return _round(value, scale, ROUND_UP)


@feel_function("round down", "n: number, scale: number")
def round_down(frame: Frame, value: Number, scale: Number) -> Number | None:
    """Number rounded to zero."""
    return _round(value, scale, ROUND_DOWN)


@feel_function("round half up", "n: number, scale: number")
def round_half_up(frame: Frame, value: Number, scale: Number) -> Number | None:
    """Number rounded, a half away from zero."""
    return _round(value, scale, ROUND_HALF_UP)


@feel_function("round half down", "n: number, scale: number")
def round_half_down(frame: Frame, value: Number, scale: Number) -> Number | None:
    """Number rounded, a half to zero."""
    return _round(value, scale, ROUND_HALF_DOWN)


@feel_function("abs", "n: number")
def absolute(frame: Frame, value: Number) -> Number:
    """Number without its sign."""
    return arithmetic.negate(value) if value < 0 else value


@feel_function("abs", "n: days and time duration")
def absolute_days(frame: Frame, value: DaysDuration) -> DaysDuration:
    """Duration without its sign."""
    return DaysDuration(abs(value.nanos))


@feel_function("abs", "n: years and months duration")
def absolute_months(frame: Frame, value: MonthsDuration) -> MonthsDuration:
    """Duration without its sign."""
    return MonthsDuration(abs(value.months))


@feel_function("modulo", "dividend: number, divisor: number")
def modulo(frame: Frame, dividend: Number, divisor: Number) -> Number | None:
    """Remainder with the sign of the divisor."""
    return arithmetic.floor_modulo(dividend, divisor)


@feel_function("sqrt", "number: number")
def sqrt(frame: Frame, value: Number) -> Number | None:
    """Square root, null of a negative number."""
    return arithmetic.settle(CONTEXT.sqrt(value)) if value >= 0 else None


@feel_function("log", "number: number")
def log(frame: Frame, value: Number) -> Number | None:
    """Natural logarithm, null of a number that is not positive."""
    return arithmetic.settle(CONTEXT.ln(value)) if value > 0 else None


@feel_function("exp", "number: number")
def exp(frame: Frame, value: Number) -> Number | None:
    """Power of Euler's number."""
    return arithmetic.settle(CONTEXT.exp(value))


@feel_function("odd", "number: number")
def odd(frame: Frame, value: Number) -> bool:
    """Whether the number is whole and odd."""
    return arithmetic.floor_modulo(value, 2) == 1


@feel_function("even", "number: number")
def even(frame: Frame, value: Number) -> bool:
    """Whether the number is whole and even."""
    return arithmetic.floor_modulo(value, 2) == 0
