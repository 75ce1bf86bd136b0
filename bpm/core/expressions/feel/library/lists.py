"""Functions of lists."""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key
from typing import Any

from bpm.core.expressions.arithmetic import Number, read_number
from bpm.core.expressions.feel.comparison import are_equal, compare
from bpm.core.expressions.feel.functions import Builtin, FeelFunction
from bpm.core.expressions.feel.library.registry import feel_function
from bpm.core.expressions.frame import Frame

_MAX_DEPTH = 100


def _find_position(items: list[Any], position: Number) -> int | None:
    """0-based index of a position counted from 1, or from the end when negative; its fraction is cut off."""
    index = int(position)
    if not 1 <= abs(index) <= len(items):
        return None
    return index - 1 if index > 0 else len(items) + index


@feel_function("list contains", "list: list, element: any")
def list_contains(frame: Frame, items: list[Any], element: Any) -> bool:
    """Whether an item equals the element; null equals null."""
    return any(are_equal(item, element, frame.charge) for item in items)


@feel_function("sublist", "list: list, start position: number, length?: number")
def sublist(frame: Frame, items: list[Any], start: Number, length: Number | None) -> list[Any] | None:
    """Items from a position on, all or so many."""
    first = _find_position(items, start)
    if first is None or (length is not None and (length < 0 or first + length > len(items))):
        return None
    return items[first:] if length is None else items[first : first + int(length)]


@feel_function("append", "list: list, item*: any")
def append(frame: Frame, items: list[Any], added: list[Any]) -> list[Any]:
    """List with the items at its end."""
    return [*items, *added]


@feel_function("concatenate", "list*: any")
def concatenate(frame: Frame, lists: list[Any]) -> list[Any] | None:
    """The lists one after the other."""
    return None if None in lists else _chain(lists)


def _chain(lists: list[Any]) -> list[Any]:
    result: list[Any] = []
    for items in lists:
        result += items if isinstance(items, list) else [items]
    return result


@feel_function("insert before", "list: list, position: number, newItem: any")
def insert_before(frame: Frame, items: list[Any], position: Number, item: Any) -> list[Any] | None:
    """List with an item put before a position."""
    index = _find_position(items, position)
    return None if index is None else [*items[:index], item, *items[index:]]


@feel_function("remove", "list: list, position: number")
def remove(frame: Frame, items: list[Any], position: Number) -> list[Any] | None:
    """List without the item at a position."""
    index = _find_position(items, position)
    return None if index is None else [*items[:index], *items[index + 1 :]]


@feel_function("list replace", "list: list, position: number, newItem: any")
def list_replace(frame: Frame, items: list[Any], position: Number, item: Any) -> list[Any] | None:
    """List with the item at a position replaced."""
    index = _find_position(items, position)
    return None if index is None else [*items[:index], item, *items[index + 1 :]]


@feel_function("list replace", "list: list, match: function, newItem: any")
def list_replace_matches(
    frame: Frame, items: list[Any], match: FeelFunction | Builtin, new: Any
) -> list[Any] | None:
    """List with every item replaced for which ``match(item, newItem)`` is true."""
    results = [match.call(frame, [item, new]) for item in items]
    if not all(isinstance(result, bool) for result in results):
        return None
    return [new if result else item for item, result in zip(items, results, strict=True)]


@feel_function("reverse", "list: list")
def reverse(frame: Frame, items: list[Any]) -> list[Any]:
    """List from its end to its beginning."""
    return items[::-1]


@feel_function("index of", "list: list, match: any")
def index_of(frame: Frame, items: list[Any], match: Any) -> list[int]:
    """Positions of the items that equal the match."""
    return [number for number, item in enumerate(items, 1) if are_equal(item, match, frame.charge)]


@feel_function("union", "list*: any")
def union(frame: Frame, lists: list[Any]) -> list[Any]:
    """The lists one after the other, without duplicates."""
    return distinct_values(frame, _chain(lists))


@feel_function("distinct values", "list: list")
def distinct_values(frame: Frame, items: list[Any]) -> list[Any]:
    """List without duplicates."""
    result: list[Any] = []
    for item in items:
        frame.charge(len(result) // 8)
        if not any(are_equal(item, other, frame.charge) for other in result):
            result.append(item)
    return result


@feel_function("duplicate values", "list: list")
def duplicate_values(frame: Frame, items: list[Any]) -> list[Any]:
    """Items that stand more than once in the list, each once."""
    result: list[Any] = []
    for index, item in enumerate(items):
        frame.charge(len(items) // 8)
        again = any(are_equal(item, other, frame.charge) for other in items[index + 1 :])
        if again and not any(are_equal(item, other, frame.charge) for other in result):
            result.append(item)
    return result


@feel_function("flatten", "list: list")
def flatten(frame: Frame, items: list[Any]) -> list[Any]:
    """List with the items of the lists inside it, however deep."""
    result: list[Any] = []
    _flatten(frame, items, result, 0)
    return result


def _flatten(frame: Frame, items: list[Any], result: list[Any], depth: int) -> None:
    frame.charge(len(items))
    for item in items:
        if isinstance(item, list) and depth < _MAX_DEPTH:
            _flatten(frame, item, result, depth + 1)
        else:
            result.append(item)


@feel_function("sort", "list: list, precedes?: function")
def sort(frame: Frame, items: list[Any], precedes: FeelFunction | Builtin | None) -> list[Any] | None:
    """List in order, by a function that tells whether one item precedes another."""
    if precedes is None:
        if any(compare(items[0], item) is None for item in items):
            return None
        frame.charge(len(items))
        return sorted(items, key=cmp_to_key(lambda left, right: compare(left, right) or 0))
    return sorted(items, key=cmp_to_key(_order_by(frame, precedes)))


def _order_by(frame: Frame, precedes: FeelFunction | Builtin) -> Callable[[Any, Any], int]:
    def order(left: Any, right: Any) -> int:
        if precedes.call(frame, [left, right]) is True:
            return -1
        return 1 if precedes.call(frame, [right, left]) is True else 0

    return order


@feel_function("partition", "list: list, size: number")
def partition(frame: Frame, items: list[Any], size: Number) -> list[list[Any]] | None:
    """List cut into lists of so many items."""
    step = int(read_number(size) or 0)
    return [items[start : start + step] for start in range(0, len(items), step)] if step > 0 else None
