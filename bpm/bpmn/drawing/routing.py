"""The way of each edge: horizontal and vertical pieces, the vertical ones between two columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from bpm.bpmn.drawing.columns import Columns
from bpm.bpmn.drawing.shapes import GAP_X, Edge, Point, Shape

_TRACKS: Final = 5
_TRACK: Final = 7.0
_LOOP: Final = 22.0


@dataclass(slots=True)
class Places:
    """Where everything of one inside lies.

    Attributes:
        middle: height of each node's and bend's middle.
        columns: left and right border of each column.
        loops: how many edges already go back above everything.
    """

    shapes: dict[str, Shape]
    boundaries: dict[str, Shape]
    found: Columns
    middle: dict[str, float]
    columns: list[tuple[float, float]]
    loops: int = field(default=0)

    def left_of(self, name: str, box: Shape) -> float:
        """Return the left border of a node's column, the node's own where it is in none."""
        for (left, _), column in zip(self.columns, self.found.columns, strict=True):
            if name in column:
                return left
        return box.x

    def shape(self, name: str) -> Shape:
        """Return a node's shape, boundary events included."""
        return self.shapes.get(name) or self.boundaries[name]


def route(places: Places, number: int, element: str, source: str, target: str) -> Edge:
    """Return the edge with this number in the arrangement."""
    start, end = places.shape(source), places.shape(target)
    chain = places.found.chains.get(number)
    if chain is None:
        return Edge(element, _back(places, start, end))
    shift = (number % _TRACKS - _TRACKS // 2) * _TRACK
    stops = [_leave(places, source, end)]
    borders = [0.0]
    for column, name in _bends(places, chain):
        left, right = places.columns[column]
        stops += [Point(left, places.middle[name]), Point(right, places.middle[name])]
        borders += [left, right]
    stops.append(Point(end.x, _level(stops[-1].y, end)))
    borders.append(places.left_of(target, end))
    if len(stops) == 2 and source not in places.boundaries:
        stops[0] = Point(stops[0].x, _level(stops[1].y, start))
    points = [Point(start.middle_x, start.bottom)] if source in places.boundaries else []
    points.append(stops[0])
    for (one, next_one), border in zip(pairwise(stops), borders[1:], strict=True):
        if one.y != next_one.y and next_one.x - one.x > 2:
            middle = max(border - GAP_X / 2 + shift, one.x + 8)
            points += [Point(middle, one.y), Point(middle, next_one.y)]
        points.append(next_one)
    return Edge(element, _without_steps(points))


def _level(y: float, box: Shape) -> float:
    """Return the height at which an edge that comes at `y` meets the side of a box: there, if it is near the middle."""
    near = box.height / 4 if box.height > 50 else 0.0
    return y if abs(y - box.middle_y) <= near else box.middle_y


def _leave(places: Places, source: str, end: Shape) -> Point:
    if source not in places.boundaries:
        box = places.shape(source)
        return Point(box.right, box.middle_y)
    box = places.boundaries[source]
    return Point(box.middle_x, end.middle_y if end.middle_y > box.bottom + 10 else box.bottom + 16)


def _bends(places: Places, chain: list[str]) -> list[tuple[int, str]]:
    """Return the bends between source and target with the columns in which they lie."""
    return [(int(name.rpartition(".")[2]), name) for name in chain[1:-1]]


def _back(places: Places, start: Shape, end: Shape) -> list[Point]:
    """Return the way of an edge that closes a cycle: above everything, back, and down into the target."""
    top = min(shape.y for shape in places.shapes.values()) - _LOOP - 12.0 * places.loops
    places.loops += 1
    if start is end:
        return [
            Point(start.right, start.middle_y),
            Point(start.right + 20, start.middle_y),
            Point(start.right + 20, top),
            Point(start.middle_x, top),
            Point(start.middle_x, start.y),
        ]
    if start.element in places.boundaries:
        below = max(shape.bottom for shape in places.shapes.values()) + _LOOP + 12.0 * places.loops
        return [
            Point(start.middle_x, start.bottom),
            Point(start.middle_x, below),
            Point(end.middle_x, below),
            Point(end.middle_x, end.bottom),
        ]
    return [
        Point(start.middle_x, start.y),
        Point(start.middle_x, top),
        Point(end.middle_x, top),
        Point(end.middle_x, end.y),
    ]


def _without_steps(points: list[Point]) -> list[Point]:
    """Drop points that repeat or lie on a straight line between their neighbours."""
    kept: list[Point] = []
    for point in points:
        if kept and kept[-1] == point:
            continue
        if len(kept) > 1 and (kept[-2].x == kept[-1].x == point.x or kept[-2].y == kept[-1].y == point.y):
            kept[-1] = point
        else:
            kept.append(point)
    return kept if len(kept) > 1 else points[:2]
