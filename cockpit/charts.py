"""Charts as figures that a template draws as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bpm.queries.bounded import Bounded
from bpm.queries.throughput import HourRow

WIDTH: Final = 720
HEIGHT: Final = 140
_FOOT: Final = 18
_HEAD: Final = 14


@dataclass(frozen=True, slots=True)
class Bar:
    """One hour: two bars side by side, in the chart's own units."""

    at: datetime
    started: Bounded
    ended: Bounded
    x: float
    width: float
    started_y: float
    started_height: float
    ended_y: float
    ended_height: float
    label: bool

    @property
    def ended_x(self) -> float:
        """Left border of the second bar."""
        return round(self.x + self.width * 1.05, 1)


@dataclass(frozen=True, slots=True)
class HoursChart:
    """Instances started and ended per hour. `top`: what the highest bar stands for; `base`: y of the ground line."""

    bars: tuple[Bar, ...]
    top: int
    more: bool
    width: int = WIDTH
    height: int = HEIGHT
    base: int = HEIGHT - _FOOT
    foot: int = HEIGHT - 4


def hours_chart(hours: tuple[HourRow, ...]) -> HoursChart:
    """Return the bars of hours, the oldest first."""
    top = max((max(hour.started.count, hour.ended.count) for hour in hours), default=0)
    step = WIDTH / max(len(hours), 1)
    room = HEIGHT - _FOOT - _HEAD

    def bar(number: int, hour: HourRow) -> Bar:
        started, ended = (room * count.count / top if top else 0.0 for count in (hour.started, hour.ended))
        base = HEIGHT - _FOOT
        return Bar(
            hour.from_at, hour.started, hour.ended, round(number * step + step * 0.12, 1), round(step * 0.36, 1),
            round(base - started, 1), round(started, 1), round(base - ended, 1), round(ended, 1), number % 4 == 0,
        )  # fmt: skip

    more = any(hour.started.more or hour.ended.more for hour in hours)
    return HoursChart(tuple(bar(number, hour) for number, hour in enumerate(hours)), top, more)
