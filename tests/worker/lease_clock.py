"""The time by which a worker counts its leases, moved by hand: no pause of the machine makes it lose one."""

from __future__ import annotations

import time
from typing import Final

from bpm.worker import TaskContext, Worker
from tests.support.children import eventually

MODULES: Final = ("lease", "lease_calls", "lease_keeper")
"""Of `bpm.worker`, those that read it."""


class LeaseClock:
    """Stands where these modules have `time`; it does not go by itself."""

    sleep = staticmethod(time.sleep)

    def __init__(self) -> None:
        self._now = time.monotonic()

    def monotonic(self) -> float:
        """Return the seconds as `time.monotonic` does."""
        return self._now

    def advance(self, worker: Worker, seconds: float) -> None:
        """Let time pass, and the worker look at its leases."""
        changed = worker._keeper._changed
        with changed:
            self._now += seconds
            changed.notify_all()

    def renewed(self, worker: Worker, context: TaskContext, seconds: float) -> float:
        """Let time pass; return by how much that has moved the lease's end, as soon as it has."""
        end = context.deadline
        self.advance(worker, seconds)
        eventually(lambda: context.deadline > end, 60, "a renewal")
        return context.deadline - end
