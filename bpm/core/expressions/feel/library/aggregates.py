"""Functions that make one value of many: counting, sums, statistics, all and any."""

from __future__ import annotations

from typing import Any

from bpm.core.expressions import arithmetic
from bpm.core.expressions.arithmetic import CONTEXT, Number, read_number
from bpm.core.expressions.feel.comparison import compare
from bpm.core.expressions.feel.library.registry import feel_function
from bpm.core.expressions.frame import Frame


def read_numbers(items: list[Any]) -> list[Number] | None:
    """The numbers of a list, None when there is anything else."""
    numbers = [read_number(item) for item in items]
    return None if None in numbers else [number for number in numbers if number is not None]


@feel_function("count", "list: list")
def count(frame: Frame, items: list[Any]) -> int:
    """Number of items."""
    return len(items)


def _extreme(items: list[Any], wanted: int) -> Any:
    best = items[0] if items else None
    if best is None or compare(best, best) is None:
        return None
    for item in items:
        order = compare(item, best)
        if order is None:
            return None
        if order == wanted:
            best = item
    return best


@feel_function("min", "c*: any")
@feel_function("min", "list: list")
def minimum(frame: Frame, items: list[Any]) -> Any:
    """Smallest item."""
    return _extreme(items, -1)


@feel_function("max", "c*: any")
@feel_function("max", "list: list")
def maximum(frame: Frame, items: list[Any]) -> Any:
    """Greatest item."""
    return _extreme(items, 1)


@feel_function("sum", "n*: any")
@feel_function("sum", "list: list")
def total(frame: Frame, items: list[Any]) -> Number | None:
    """Sum of the numbers, null of none."""
    numbers = read_numbers(items)
    return _sum(numbers) if numbers else None


def _sum(numbers: list[Number]) -> Number | None:
    result: Number | None = 0
    for number in numbers:
        result = None if result is None else arithmetic.add(result, number)
    return result


@feel_function("product", "n*: any")
@feel_function("product", "list: list")
def product(frame: Frame, items: list[Any]) -> Number | None:
    """Product of the numbers, null of none."""
    numbers = read_numbers(items)
    if not numbers:
        return None
    result: Number | None = 1
    for number in numbers:
        result = None if result is None else arithmetic.multiply(result, number)
    return result


@feel_function("mean", "n*: any")
@feel_function("mean", "list: list")
def mean(frame: Frame, items: list[Any]) -> Number | None:
    """Arithmetic mean, null of none."""
    numbers = read_numbers(items)
    return _mean(numbers) if numbers else None


def _mean(numbers: list[Number]) -> Number | None:
    whole = _sum(numbers)
    return None if whole is None else arithmetic.divide(whole, len(numbers))


@feel_function("median", "n*: any")
@feel_function("median", "list: list")
def median(frame: Frame, items: list[Any]) -> Number | None:
    """Middle number, or the mean of the two in the middle; null of none."""
    numbers = sorted(read_numbers(items) or [])
    if not numbers:
        return None
    half = len(numbers) // 2
    return numbers[half] if len(numbers) % 2 else _mean(numbers[half - 1 : half + 1])


@feel_function("stddev", "n*: any")
@feel_function("stddev", "list: list")
def standard_deviation(frame: Frame, items: list[Any]) -> Number | None:
    """Standard deviation of a sample, null of fewer than two numbers."""
    numbers = read_numbers(items) or []
    middle = _mean(numbers) if len(numbers) > 1 else None
    if middle is None:
        return None
    deviations = [arithmetic.subtract(number, middle) or 0 for number in numbers]
    squares = _sum([arithmetic.multiply(value, value) or 0 for value in deviations])
    variance = None if squares is None else arithmetic.divide(squares, len(numbers) - 1)
    return None if variance is None else arithmetic.settle(CONTEXT.sqrt(variance))


@feel_function("mode", "n*: any")
@feel_function("mode", "list: list")
def mode(frame: Frame, items: list[Any]) -> list[Number] | None:
    """Most frequent numbers, ascending."""
    numbers = read_numbers(items)
    if numbers is None:
        return None
    counts: dict[Number, int] = {}
    for number in numbers:
        counts[number] = counts.get(number, 0) + 1
    highest = max(counts.values(), default=0)
    return sorted(number for number, times in counts.items() if times == highest)


def _combine(items: list[Any], decisive: bool) -> bool | None:
    if any(item is decisive for item in items):
        return decisive
    return not decisive if all(item is (not decisive) for item in items) else None


@feel_function("all", "b*: any")
@feel_function("all", "list: list")
def all_true(frame: Frame, items: list[Any]) -> bool | None:
    """Whether every item is true; null when that cannot be told."""
    return _combine(items, False)


@feel_function("any", "b*: any")
@feel_function("any", "list: list")
def any_true(frame: Frame, items: list[Any]) -> bool | None:
    """Whether some item is true; null when that cannot be told."""
    return _combine(items, True)
