"""How high each node lies: as near as can be to its neighbours without overlapping in its column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Final

from bpm.bpmn.drawing.columns import Columns
from bpm.bpmn.drawing.shapes import GAP_Y

_SWEEPS: Final = 9
"""Odd: the last one goes forward, so that what follows lies level with what it follows."""
_BEND: Final = 12.0


def middles(found: Columns, heights: Mapping[str, float], sinks: Mapping[str, float]) -> dict[str, float]:
    """Return the height of each name's middle; the smallest upper border is at 0.

    Args:
        heights: of nodes; bends take little.
        sinks: target to how much lower than its source it wants to lie, for what leaves a boundary event.
    """
    before, after = found.neighbours()
    high = {name: heights.get(name, _BEND) for column in found.columns for name in column}
    middle = {name: place for column in found.columns for name, place in _stacked(column, high).items()}
    for sweep in range(_SWEEPS):
        back = sweep % 2 == 1
        for column in found.columns[::-1] if back else found.columns:
            wanted = [_wanted(name, after if back else before, middle, sinks, back) for name in column]
            middle.update(zip(column, separate(wanted, [high[name] for name in column]), strict=True))
    top = min((middle[name] - high[name] / 2 for name in middle), default=0.0)
    return {name: place - top for name, place in middle.items()}


def _stacked(column: Sequence[str], high: Mapping[str, float]) -> dict[str, float]:
    found, y = {}, 0.0
    for name in column:
        found[name] = y + high[name] / 2
        y += high[name] + GAP_Y
    return {name: place - y / 2 for name, place in found.items()}


def _wanted(
    name: str,
    neighbours: Mapping[str, list[str]],
    middle: Mapping[str, float],
    sinks: Mapping[str, float],
    back: bool,
) -> float:
    near = neighbours.get(name)
    if not near:
        return middle[name]
    if back:
        return median(middle[one] - sinks.get(one, 0.0) for one in near)
    return median(middle[one] for one in near) + sinks.get(name, 0.0)


def separate(wanted: Sequence[float], heights: Sequence[float]) -> list[float]:
    """Return the places nearest to those wanted (least squares) that keep order and distance."""
    offsets, at = [], 0.0
    for number, height in enumerate(heights):
        if number:
            at += (heights[number - 1] + height) / 2 + GAP_Y
        offsets.append(at)
    # Pool adjacent violators: blocks that would overlap move together, to the mean of what they want.
    blocks: list[tuple[float, int]] = []
    for want, offset in zip(wanted, offsets, strict=True):
        total, count = want - offset, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / count:
            earlier, many = blocks.pop()
            total, count = total + earlier, count + many
        blocks.append((total, count))
    levels = [total / count for total, count in blocks for _ in range(count)]
    return [level + offset for level, offset in zip(levels, offsets, strict=True)]
