"""The database's clock, run on from its last reading, for commands that need not read anything else.

It is never trusted: a write that was decided by it lands only if the database's own clock agrees (semantics §11).
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Final

MAX_AGE_S: Final = 1.0
"""How long a reading is run on; in that time two clocks drift apart by less than a statement takes."""


class RunningClock:
    """One database's clock, as this process last read it."""

    def __init__(self) -> None:
        self._read: tuple[datetime, float] | None = None

    def note(self, now: datetime) -> None:
        """Take a reading, unless an earlier one that still counts says more: answers take time to come."""
        running = self.now()
        if running is None or running < now:
            self._read = (now, time.monotonic())

    def now(self) -> datetime | None:
        """Return the present instant, aware, UTC; None where it was not read lately."""
        read = self._read
        fresh = read is not None and time.monotonic() - read[1] < MAX_AGE_S
        return self.run_on() if fresh else None

    def run_on(self) -> datetime | None:
        """Return the present instant however old the reading is; None without any."""
        read = self._read
        return read[0] + timedelta(seconds=time.monotonic() - read[1]) if read is not None else None

    def forget(self) -> None:
        """Let the next command read it."""
        self._read = None


running_clock = RunningClock()
