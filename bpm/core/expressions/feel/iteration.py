"""What a ``for`` goes through: lists, single values, and ranges of whole numbers or dates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from bpm.core.expressions.arithmetic import read_number
from bpm.core.expressions.feel.comparison import compare
from bpm.core.expressions.feel.ranges import Range
from bpm.core.expressions.feel.temporal import Date
from bpm.core.expressions.frame import Frame


def iterate(frame: Frame, first: Any, last: tuple[Any] | None) -> Iterable[Any] | None:
    """Items of ``first``, or from ``first`` to ``last`` upwards or downwards; None when there are none.

    Args:
        frame: pays for the items.
        first: a list, a range, any single value; or where counting begins.
        last: where counting ends, None when ``first`` is the whole domain.
    """
    if last is not None:
        return _count(first, last[0])
    if isinstance(first, Range):
        return _count_range(first)
    if isinstance(first, list):
        frame.charge(len(first))
        return first
    return None if first is None else [first]


def _count_range(span: Range) -> Iterable[Any] | None:
    if span.form != "..":
        return None
    items = _count(span.start, span.end)
    if items is None or (compare(span.start, span.end) or 0) > 0:
        return None
    return _without_ends(items, span)


def _without_ends(items: Iterable[Any], span: Range) -> Iterator[Any]:
    for item in items:
        at_start, at_end = item == span.start, item == span.end
        if (at_start and not span.includes_start) or (at_end and not span.includes_end):
            continue
        yield item


def _count(first: Any, last: Any) -> Iterable[Any] | None:
    if isinstance(first, Date) and isinstance(last, Date):
        numbers = _steps(first.day_number(), last.day_number())
        return (Date.from_day_number(number) for number in numbers)
    begin, end = read_number(first), read_number(last)
    if begin is None or end is None or begin != int(begin) or end != int(end):
        return None
    return _steps(int(begin), int(end))


def _steps(first: int, last: int) -> range:
    return range(first, last + 1) if first <= last else range(first, last - 1, -1)
