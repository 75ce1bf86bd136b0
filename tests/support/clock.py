"""A clock that stands still until a test moves it."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 1, tzinfo=UTC)
TICK = timedelta(milliseconds=1)


class Clock:
    """Virtual time, aware and UTC.

    Each command takes one millisecond, the finest time that ids tell: so the order of ids is the order of creation.
    """

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def tick(self) -> datetime:
        """Let one millisecond pass and return the new time."""
        self.now += TICK
        return self.now

    def advance(self, span: timedelta) -> None:
        """Let time pass; nothing fires by itself."""
        self.now += span


def next_millisecond() -> None:
    """Let real time pass until ids made from now on come after all that were made before."""
    time.sleep(0.002)
