"""The drawing of one process or subprocess; its own subprocesses are drawn first, then put into their boxes."""

from __future__ import annotations

from typing import Any, Final

from bpm.bpmn.drawing.columns import Columns, arrange
from bpm.bpmn.drawing.routing import Places, route
from bpm.bpmn.drawing.rows import middles
from bpm.bpmn.drawing.scope import Scope, read_scope
from bpm.bpmn.drawing.shapes import GAP_X, GAP_Y, MARGIN, TITLE, Picture, Shape, is_subprocess, local, size_of
from bpm.bpmn.drawing.things import place_things

_TOP: Final = 20.0
"""Above the inside of a subprocess, for its name."""
_BOUNDARY_STEP: Final = 46.0
_SINK: Final = 84.0
"""How much lower than its activity lies what a boundary event leads to."""


def draw_inside(xml: Any) -> Picture:
    """Return the drawing of what is inside, its upper left corner at 0, 0, without margins.

    Args:
        xml: lxml element of a process or subprocess; every element in it has an id.
    """
    return _Inside(read_scope(xml)).draw()


class _Inside:
    """One inside while it is drawn."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.insides = {name: draw_inside(node) for name, node in scope.nodes.items() if is_subprocess(node)}
        self.shapes = {name: self._shape(name, node) for name, node in scope.nodes.items()}

    def draw(self) -> Picture:
        scope, shapes = self.scope, self.shapes
        edges = [*scope.flows, *scope.links]
        pairs = [(scope.hosts.get(start, start), scope.hosts.get(end, end)) for _, start, end in edges]
        joined = {end for pair in pairs for end in pair}
        loose = [name for name in scope.nodes if name not in joined and joined and not scope.lanes]
        bands = {node: number for number, held in enumerate(scope.lanes.values()) for node in held}
        found = arrange([name for name in scope.nodes if name not in loose], pairs, bands)
        self._place_columns(found)
        middle, lanes = self._place_rows(found)
        self._place_loose(loose)
        for name, inside in self.insides.items():
            inside.move(shapes[name].x + MARGIN, shapes[name].y + MARGIN + _TOP)
        places = Places(shapes, self._boundaries(), found, middle, self._column_edges(found))
        picture = Picture([*lanes, *shapes.values()])
        for inside in self.insides.values():
            picture.take(inside)
        picture.shapes.extend(places.boundaries.values())
        picture.edges.extend(route(places, number, *edge) for number, edge in enumerate(edges))
        place_things(scope, places, picture)
        return _at_origin(picture)

    def _shape(self, name: str, xml: Any) -> Shape:
        inside = self.insides.get(name)
        if inside is None:
            return Shape(name, *size_of(local(xml)))
        width = max(
            inside.width + 2 * MARGIN, 140.0, _BOUNDARY_STEP * len(self.scope.boundaries.get(name, ())) + 40
        )
        return Shape(name, width, max(inside.height + 2 * MARGIN + _TOP, 100.0), expanded=True)

    def _place_columns(self, found: Columns) -> None:
        x = 0.0
        for column in found.columns:
            width = max((self.shapes[name].width for name in column if name in self.shapes), default=0.0)
            for name in column:
                if name in self.shapes:
                    self.shapes[name].x = x + (width - self.shapes[name].width) / 2
            x += width + GAP_X

    def _column_edges(self, found: Columns) -> list[tuple[float, float]]:
        """Return where each column begins and ends."""
        boxes = [[self.shapes[name] for name in column if name in self.shapes] for column in found.columns]
        return [(min(box.x for box in column), max(box.right for box in column)) for column in boxes]

    def _place_rows(self, found: Columns) -> tuple[dict[str, float], list[Shape]]:
        """Place all rows, lane by lane; return each name's middle, bends included, and the lanes' shapes."""
        heights = {name: shape.height for name, shape in self.shapes.items()}
        for host, events in self.scope.boundaries.items():
            heights[host] += 36.0 if events else 0.0
        right = max((shape.right for shape in self.shapes.values()), default=0.0)
        lanes, middle, y = [], {}, 0.0
        for band in sorted({*found.bands.values(), *range(len(self.scope.lanes) or 1)}):
            part = found.of_band(band) if self.scope.lanes else found
            places = middles(part, heights, self._sinks())
            high = max((place + heights.get(name, 12.0) / 2 for name, place in places.items()), default=40.0)
            margin = MARGIN if self.scope.lanes else 0.0
            middle.update({name: place + y + margin for name, place in places.items()})
            if self.scope.lanes:
                names = list(self.scope.lanes)
                if band < len(names):
                    box = Shape(
                        names[band], right + 2 * MARGIN + TITLE, high + 2 * margin, -MARGIN - TITLE, y
                    )
                    box.horizontal = True
                    lanes.append(box)
            y += high + 2 * margin
        for name, shape in self.shapes.items():
            if name in middle:
                shape.y = middle[name] - heights[name] / 2
        return middle, lanes

    def _sinks(self) -> dict[str, float]:
        events = self.scope.hosts
        return {
            end: self.shapes[events[start]].height / 2 + _SINK
            for _, start, end in [*self.scope.flows, *self.scope.links]
            if start in events and end in self.shapes
        }

    def _place_loose(self, loose: list[str]) -> None:
        """Put what no flow joins (event subprocesses, handlers of ad-hoc work) into a row below the rest."""
        placed = [shape for name, shape in self.shapes.items() if name not in loose]
        x, y = 0.0, max((shape.bottom for shape in placed), default=-2 * GAP_Y) + 2 * GAP_Y
        for name in loose:
            self.shapes[name].x, self.shapes[name].y = x, y
            x += self.shapes[name].width + GAP_X

    def _boundaries(self) -> dict[str, Shape]:
        found = {}
        for host, events in self.scope.boundaries.items():
            box = self.shapes[host]
            step = min(_BOUNDARY_STEP, max((box.width - 36.0) / len(events), 20.0))
            for number, event in enumerate(events):
                x = box.right - 18.0 - 36.0 - step * (len(events) - 1 - number)
                found[event] = Shape(event, 36.0, 36.0, x, box.bottom - 18.0)
        return found


def _at_origin(picture: Picture) -> Picture:
    points = [point for edge in picture.edges for point in edge.points]
    lefts = [shape.x for shape in picture.shapes] + [point.x for point in points]
    tops = [shape.y for shape in picture.shapes] + [point.y for point in points]
    if lefts:
        picture.move(-min(lefts), -min(tops))
        picture.width = max([shape.right for shape in picture.shapes] + [p.x - min(lefts) for p in points])
        picture.height = max([shape.bottom for shape in picture.shapes] + [p.y - min(tops) for p in points])
    return picture
