"""Functions of ranges and points: before, after, meets, overlaps, includes and their inverses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bpm.core.expressions.feel.comparison import compare
from bpm.core.expressions.feel.library.registry import feel_function
from bpm.core.expressions.feel.ranges import Range
from bpm.core.expressions.frame import Frame

Test = Callable[[Range, Range], bool | None]


def as_range(value: Any) -> Range:
    """The range itself, or the one that holds only the point."""
    return value if isinstance(value, Range) else Range(value, value, True, True)


def _before(first: Range, second: Range) -> bool | None:
    order = compare(first.end, second.start)
    if order is None:
        return None
    return order < 0 or (order == 0 and not (first.includes_end and second.includes_start))


def _meets(first: Range, second: Range) -> bool | None:
    order = compare(first.end, second.start)
    return None if order is None else order == 0 and first.includes_end and second.includes_start


def _overlaps(first: Range, second: Range) -> bool | None:
    before, after = _before(first, second), _before(second, first)
    return None if before is None or after is None else not before and not after


def _overlaps_before(first: Range, second: Range) -> bool | None:
    overlap, start, end = (
        _overlaps(first, second),
        compare(first.start, second.start),
        compare(first.end, second.end),
    )
    if overlap is None or start is None or end is None:
        return None
    starts_before = start < 0 or (start == 0 and first.includes_start and not second.includes_start)
    ends_before = end < 0 or (end == 0 and (not first.includes_end or second.includes_end))
    return overlap and starts_before and ends_before


def _starts(first: Range, second: Range) -> bool | None:
    start, end = compare(first.start, second.start), compare(first.end, second.end)
    if start is None or end is None:
        return None
    ends_within = end < 0 or (end == 0 and (not first.includes_end or second.includes_end))
    return start == 0 and first.includes_start == second.includes_start and ends_within


def _finishes(first: Range, second: Range) -> bool | None:
    start, end = compare(first.start, second.start), compare(first.end, second.end)
    if start is None or end is None:
        return None
    starts_within = start > 0 or (start == 0 and (not first.includes_start or second.includes_start))
    return end == 0 and first.includes_end == second.includes_end and starts_within


def _includes(first: Range, second: Range) -> bool | None:
    start, end = compare(first.start, second.start), compare(first.end, second.end)
    if start is None or end is None:
        return None
    starts_within = start < 0 or (start == 0 and (first.includes_start or not second.includes_start))
    ends_within = end > 0 or (end == 0 and (first.includes_end or not second.includes_end))
    return starts_within and ends_within


def _coincides(first: Range, second: Range) -> bool | None:
    start, end = compare(first.start, second.start), compare(first.end, second.end)
    if start is None or end is None:
        return None
    alike = first.includes_start == second.includes_start and first.includes_end == second.includes_end
    return start == 0 and end == 0 and alike


def _swap(test: Test) -> Test:
    return lambda first, second: test(second, first)


_RANGE = "range"
_SIGNATURES: tuple[tuple[str, Test, tuple[str, ...]], ...] = (
    ("before", _before, ("point1 point2", "point range", "range point", "range1 range2")),
    ("after", _swap(_before), ("point1 point2", "point range", "range point", "range1 range2")),
    ("meets", _meets, ("range1 range2",)),
    ("met by", _swap(_meets), ("range1 range2",)),
    ("overlaps", _overlaps, ("range1 range2",)),
    ("overlaps before", _overlaps_before, ("range1 range2",)),
    ("overlaps after", _swap(_overlaps_before), ("range1 range2",)),
    ("finishes", _finishes, ("point range", "range1 range2")),
    ("finished by", _swap(_finishes), ("range point", "range1 range2")),
    ("includes", _includes, ("range point", "range1 range2")),
    ("during", _swap(_includes), ("point range", "range1 range2")),
    ("starts", _starts, ("point range", "range1 range2")),
    ("started by", _swap(_starts), ("range point", "range1 range2")),
    ("coincides", _coincides, ("point1 point2", "range1 range2")),
)


def _declare(name: str, test: Test, words: str) -> None:
    first, second = words.split()
    wants_range = [word.startswith("range") for word in (first, second)]

    def body(_frame: Frame, one: Any, other: Any) -> bool | None:
        given = [isinstance(value, Range) for value in (one, other)]
        return test(as_range(one), as_range(other)) if given == wants_range else None

    kinds = [_RANGE if wanted else _POINT_KINDS for wanted in wants_range]
    feel_function(name, f"{first}: {kinds[0]}, {second}: {kinds[1]}")(body)


_POINT_KINDS = "number|string|date|time|date and time|days and time duration|years and months duration"

for _name, _test, _shapes in _SIGNATURES:
    for _shape in _shapes:
        _declare(_name, _test, _shape)


@feel_function("range", "from: string")
def parse_range(frame: Frame, text: str) -> Range | None:
    """Range a text of literals stands for, such as ``[1..5)``, or ``(..5]`` without a start."""
    from bpm.core.expressions.feel.range_text import read_range

    return read_range(frame, text)
