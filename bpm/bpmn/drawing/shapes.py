"""What a drawing is made of. All lengths are in pixels, y grows downwards."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from bpm.bpmn.tags import EVENTS, GATEWAYS, SUBPROCESSES

GAP_X: Final = 64.0
"""Between two columns, where the vertical parts of edges lie."""
GAP_Y: Final = 34.0
"""Between two rows; the names of events and gateways stand in it."""
MARGIN: Final = 30.0
"""Inside a subprocess, a lane or a pool, on each side."""
TITLE: Final = 30.0
"""Width of a pool's or lane's title."""
_SIZES: Final = {"event": (36.0, 36.0), "gateway": (50.0, 50.0), "activity": (100.0, 80.0)}


class Point(NamedTuple):
    """One bend or end of an edge."""

    x: float
    y: float


@dataclass(slots=True)
class Edge:
    """A sequence flow, association or message flow between two shapes."""

    element: str
    points: list[Point]


@dataclass(slots=True)
class Shape:
    """One box; `x` and `y` are its upper left corner.

    Attributes:
        element: id of what it shows.
        expanded: whether it is a subprocess that shows its inside; None for all others.
        horizontal: for pools and lanes.
    """

    element: str
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0
    expanded: bool | None = None
    horizontal: bool = False

    @property
    def middle_x(self) -> float:
        """Its centre."""
        return self.x + self.width / 2

    @property
    def middle_y(self) -> float:
        """Its centre."""
        return self.y + self.height / 2

    @property
    def right(self) -> float:
        """Its right border."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Its lower border."""
        return self.y + self.height


@dataclass(slots=True)
class Picture:
    """Shapes and edges that belong together, with the size of all of it; the upper left corner is 0, 0."""

    shapes: list[Shape] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0

    def move(self, x: float, y: float) -> None:
        """Move everything."""
        for shape in self.shapes:
            shape.x += x
            shape.y += y
        for edge in self.edges:
            edge.points = [Point(point.x + x, point.y + y) for point in edge.points]

    def take(self, other: Picture) -> None:
        """Add everything of another picture where it is."""
        self.shapes.extend(other.shapes)
        self.edges.extend(other.edges)


def size_of(tag: str) -> tuple[float, float]:
    """Return the width and height of a flow node's shape, as far as its inside does not decide it."""
    if tag in EVENTS:
        return _SIZES["event"]
    return _SIZES["gateway"] if tag in GATEWAYS else _SIZES["activity"]


def is_subprocess(xml: Any) -> bool:
    """Return whether an lxml element has an inside."""
    return local(xml) in SUBPROCESSES


def local(xml: Any) -> str:
    """Return an lxml element's name without its namespace; empty for comments and the like."""
    return xml.tag.rpartition("}")[2] if isinstance(xml.tag, str) else ""
