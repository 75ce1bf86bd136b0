"""A worker's hold on one task, as far as the worker itself can know it."""

from __future__ import annotations

import threading
import time

from bpm.worker.external_task import ExternalTask

_LONGEST_CLOSE_S = 1.0


class Lease:
    """The lease of one task, shared by the handler's thread and the threads that renew it.

    Its end is an estimate on the worker's monotonic clock, counted from what the worker saw itself, so it
    needs no synchronised clocks; the engine has the last word (409).

    Attributes:
        task: As it was fetched.
        lock_duration_ms: How long it was leased for, and for how long it is renewed.
        lease_id: The current fencing number.
        confirmed: False when the task came in the answer to a repeated fetch: such an answer may be an old
            one, so the lease must be extended before work starts.
        calls: Held during each extension, so that a report never overtakes one.
        closed: Set when the handler has ended; the lease is not extended any more.
        gone: Set as soon as the lease is lost; never cleared.
    """

    def __init__(self, task: ExternalTask, lock_duration_ms: int, *, confirmed: bool = True) -> None:
        self.task = task
        self.lock_duration_ms = lock_duration_ms
        self.lease_id = task.lease_id
        self.confirmed = confirmed
        self.calls = threading.Lock()
        self.closed = False
        self.gone = threading.Event()
        self.lost_because = ""
        self._deadline = time.monotonic() + lock_duration_ms / 1000
        self._state = threading.Lock()

    @property
    def deadline(self) -> float:
        """When the lease ends, in seconds of `time.monotonic()`."""
        return self._deadline

    def remaining_s(self) -> float:
        """Return the seconds left; negative after the end."""
        return self._deadline - time.monotonic()

    def lose(self, reason: str) -> None:
        """Mark the lease as lost; the first reason stays."""
        with self._state:
            if not self.gone.is_set():
                self.lost_because = reason
                self.gone.set()

    def close(self) -> None:
        """Allow no more extensions, and wait for one that is running, but at most a second.

        Its answer may carry a new lease id; a call that hangs must not eat up the time for the report.
        """
        self.closed = True
        if self.calls.acquire(timeout=_LONGEST_CLOSE_S):
            self.calls.release()

    def renew(self, lease_id: int, deadline: float) -> None:
        """Take over what a successful extension said."""
        with self._state:
            self.lease_id = lease_id
            self.confirmed = True
            self._deadline = deadline
