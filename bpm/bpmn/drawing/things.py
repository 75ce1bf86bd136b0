"""Data and annotations: below everything, near what they belong to."""

from __future__ import annotations

from typing import Final

from bpm.bpmn.drawing.routing import Places
from bpm.bpmn.drawing.scope import Scope
from bpm.bpmn.drawing.shapes import Edge, Picture, Point, Shape, local

_SIZES: Final = {
    "dataObjectReference": (36.0, 50.0),
    "dataStoreReference": (50.0, 50.0),
    "textAnnotation": (140.0, 50.0),
}
_BELOW: Final = 50.0
_APART: Final = 40.0


def place_things(scope: Scope, places: Places, picture: Picture) -> None:
    """Add the shapes of data and annotations, and the edges that tie them to nodes."""
    if not scope.things:
        return
    owner = {
        thing: other
        for _, *ends in scope.ties
        for thing, other in (ends, ends[::-1])
        if thing in scope.things
    }
    below = max((shape.bottom for shape in picture.shapes), default=0.0) + _BELOW
    shapes: dict[str, Shape] = {}
    at = 0.0
    for name, xml in sorted(scope.things.items(), key=lambda item: _wish(owner.get(item[0]), places)):
        width, height = _SIZES[local(xml)]
        x = max(at, _wish(owner.get(name), places) - width / 2)
        shapes[name] = Shape(name, width, height, x, below)
        at = x + width + _APART
    picture.shapes.extend(shapes.values())
    for name, source, target in scope.ties:
        ends = [shapes.get(end) or places.shape(end) for end in (source, target)]
        upper, lower = sorted(ends, key=lambda shape: shape.y)
        points = [Point(upper.middle_x, upper.bottom), Point(lower.middle_x, lower.y)]
        picture.edges.append(Edge(name, points if upper is ends[0] else points[::-1]))


def _wish(owner: str | None, places: Places) -> float:
    if owner is None or (owner not in places.shapes and owner not in places.boundaries):
        return 0.0
    return places.shape(owner).middle_x
