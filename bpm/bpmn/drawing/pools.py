"""The drawing of a process with the pools beside it and the message flows between them; or of it alone."""

from __future__ import annotations

from typing import Any, Final

from bpm.bpmn.drawing.inside import draw_inside
from bpm.bpmn.drawing.shapes import MARGIN, TITLE, Edge, Picture, Point, Shape, local
from bpm.bpmn.namespaces import local_part

_POOLS_APART: Final = 50.0
_EMPTY_POOL: Final = (600.0, 60.0)


def draw_file(root: Any, key: str) -> tuple[str, Picture]:
    """Return the id of what the plane shows, and the drawing.

    That is the collaboration in which the process `key` has a pool, else the process alone.
    """
    processes = {child.get("id"): child for child in root if local(child) == "process"}
    for collaboration in (child for child in root if local(child) == "collaboration"):
        pools = [child for child in collaboration if local(child) == "participant"]
        if any(_process_of(pool) == key for pool in pools):
            return collaboration.get("id", ""), _draw_pools(collaboration, pools, processes)
    picture = draw_inside(processes[key])
    picture.move(MARGIN, MARGIN)
    return key, picture


def _process_of(pool: Any) -> str:
    return local_part(pool.get("processRef", ""))


def _draw_pools(collaboration: Any, pools: list[Any], processes: dict[str, Any]) -> Picture:
    picture = Picture()
    boxes: list[Shape] = []
    y = 0.0
    for pool in pools:
        box, inside = _draw_pool(pool, processes.pop(_process_of(pool), None), y)
        boxes.append(box)
        picture.shapes.append(box)
        picture.take(inside)
        y = box.bottom + _POOLS_APART
    _widen(picture, boxes)
    _flows_between(collaboration, picture, boxes)
    return picture


def _draw_pool(pool: Any, process: Any | None, y: float) -> tuple[Shape, Picture]:
    name = pool.get("id", "")
    if process is None:
        return Shape(name, *_EMPTY_POOL, 0.0, y, horizontal=True), Picture()
    inside = draw_inside(process)
    lanes = any(shape.horizontal for shape in inside.shapes)
    margin = 0.0 if lanes else MARGIN
    box = Shape(name, inside.width + 2 * margin + TITLE, max(inside.height + 2 * margin, 60.0), 0.0, y)
    box.horizontal = True
    inside.move(TITLE + margin, y + margin)
    return box, inside


def _widen(picture: Picture, boxes: list[Shape]) -> None:
    """Let all pools, and their lanes, end at the same right border."""
    right = max(box.right for box in boxes)
    for shape in picture.shapes:
        if shape.horizontal:
            shape.width = right - shape.x


def _flows_between(collaboration: Any, picture: Picture, pools: list[Shape]) -> None:
    shapes = {shape.element: shape for shape in picture.shapes}
    for number, flow in enumerate(child for child in collaboration if local(child) == "messageFlow"):
        start, end = (shapes.get(local_part(flow.get(name, ""))) for name in ("sourceRef", "targetRef"))
        if start is not None and end is not None:
            turn = _gap_above(pools, start, end) - 5.0 * (number % 4)
            picture.edges.append(Edge(flow.get("id", ""), _between(start, end, turn)))


def _gap_above(pools: list[Shape], *ends: Shape) -> float:
    """Return a height in the gap above the pool in which the lower end is."""
    lower = max(end.y for end in ends)
    return max((pool.y for pool in pools if pool.y <= lower), default=lower) - 15.0


def _between(start: Shape, end: Shape, turn: float) -> list[Point]:
    """Return a way that leaves one shape and enters the other at their borders, and turns at a height."""
    pools = [shape.horizontal for shape in (start, end)]
    x, to_x = start.middle_x, end.middle_x
    if pools[0] and not pools[1]:
        x = to_x
    elif pools[1] and not pools[0]:
        to_x = x
    down = end.y >= start.bottom
    first = Point(x, start.bottom if down else start.y)
    last = Point(to_x, end.y if down else end.bottom)
    if x == to_x:
        return [first, last]
    return [first, Point(x, turn), Point(to_x, turn), last]
