"""FEEL values as text, as the function ``string`` gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bpm.core.expressions.arithmetic import format_number, read_number
from bpm.core.expressions.bounds import TEXT_PER_STEP
from bpm.core.expressions.feel.functions import Builtin, FeelFunction
from bpm.core.expressions.feel.ranges import Range

_MAX_DEPTH = 100


def format_feel(value: Any, charge: Callable[[int], None]) -> str:
    """Text of a value; texts inside lists and contexts stand in quotes.

    Args:
        value: anything but null.
        charge: pays for each value inside.

    Raises:
        EvaluationFailed: the budget is used up.
    """
    return value if isinstance(value, str) else "".join(_pieces(value, charge, 0))


def _pieces(value: Any, charge: Callable[[int], None], depth: int) -> Iterator[str]:
    charge(1 + (len(value) // TEXT_PER_STEP if isinstance(value, str) else 0))
    number = read_number(value)
    if depth > _MAX_DEPTH:
        yield "…"
    elif value is None:
        yield "null"
    elif isinstance(value, bool):
        yield "true" if value else "false"
    elif number is not None:
        yield format_number(number)
    elif isinstance(value, str):
        yield '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    elif isinstance(value, list):
        yield from _join("[", [((), item) for item in value], "]", charge, depth)
    elif isinstance(value, dict):
        yield from _join("{", [((f"{key}: ",), item) for key, item in value.items()], "}", charge, depth)
    elif isinstance(value, Range):
        yield from _format_range(value, charge, depth)
    elif isinstance(value, FeelFunction):
        yield f"function({', '.join(value.parameters)})"
    else:
        yield value.name if isinstance(value, Builtin) else str(value)


def _join(
    opening: str,
    items: list[tuple[tuple[str, ...], Any]],
    closing: str,
    charge: Callable[[int], None],
    depth: int,
) -> Iterator[str]:
    yield opening
    for index, (label, item) in enumerate(items):
        if index:
            yield ", "
        yield from label
        yield from _pieces(item, charge, depth + 1)
    yield closing


def _format_range(value: Range, charge: Callable[[int], None], depth: int) -> Iterator[str]:
    if value.form != "..":
        yield f"{value.form} "
        yield from _pieces(value.end if value.start is None else value.start, charge, depth + 1)
        return
    yield "[" if value.includes_start else "("
    yield from _pieces(value.start, charge, depth + 1)
    yield ".."
    yield from _pieces(value.end, charge, depth + 1)
    yield "]" if value.includes_end else ")"
