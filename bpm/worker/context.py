"""What a handler knows about its lease while it works."""

from __future__ import annotations

import threading
from collections.abc import Callable

from bpm.worker.errors import LeaseLost
from bpm.worker.lease import Lease


class TaskContext:
    """The state of the lease during one run of a handler; safe to use from threads of the handler's own.

    The worker renews the lease by itself; a handler needs this only to stop early or to wait.

    Args:
        lease: Of the task at hand.
        extend: Extends it by a call to the engine; takes milliseconds.
        draining: Set when the worker is asked to stop.
    """

    def __init__(self, lease: Lease, extend: Callable[[int], None], draining: threading.Event) -> None:
        self._lease = lease
        self._extend = extend
        self._draining = draining

    @property
    def lease_lost(self) -> bool:
        """Whether the task belongs to somebody else now; the result of this run will be dropped."""
        return self._lease.gone.is_set()

    @property
    def lease_lost_event(self) -> threading.Event:
        """Set when the lease is lost; to be waited for, not to be set."""
        return self._lease.gone

    @property
    def draining(self) -> bool:
        """Whether the worker has been asked to stop: a long handler may fail early with a retry."""
        return self._draining.is_set()

    @property
    def deadline(self) -> float:
        """When the lease ends unless it is renewed, in seconds of `time.monotonic()`; an estimate."""
        return self._lease.deadline

    @property
    def remaining_ms(self) -> int:
        """Milliseconds until `deadline`, never negative."""
        return max(0, round(self._lease.remaining_s() * 1000))

    def extend(self, lock_duration_ms: int) -> None:
        """Let the lease last at least `lock_duration_ms` from now; for a stretch in which renewals may be late.

        Raises:
            LeaseLost: It is gone already.
            EngineError: The engine refused, or could not be reached while the lease lasted.
        """
        self._extend(lock_duration_ms)

    def raise_if_lost(self) -> None:
        """End the handler when the task is no longer its own.

        Raises:
            LeaseLost: With the reason.
        """
        if self.lease_lost:
            raise LeaseLost(self._lease.lost_because)

    def sleep(self, seconds: float) -> None:
        """Wait, but no longer than the task belongs to this worker.

        Raises:
            LeaseLost: As soon as the lease is lost.
        """
        self._lease.gone.wait(seconds)
        self.raise_if_lost()
