"""The threads that run handlers, and the count of those that are free."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable

from bpm.worker.lease import Lease

_log = logging.getLogger("bpm.worker")


class Slots:
    """A fixed number of threads; they live as long as the worker, so handlers may keep one connection each.

    Tasks are fetched for reserved slots only, so that none waits in memory while its lease runs.

    Args:
        count: Threads.
        work: Does everything for one leased task; runs in one of the threads.
    """

    def __init__(self, count: int, work: Callable[[Lease], None]) -> None:
        self._work = work
        self._free = count
        self._occupied = 0
        self._open = True
        self._changed = threading.Condition()
        self._submitted: queue.SimpleQueue[Lease | None] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._serve, name=f"bpm-handler-{number}", daemon=True)
            for number in range(1, count + 1)
        ]

    def start(self) -> None:
        """Start the threads."""
        for thread in self._threads:
            thread.start()

    def reserve(self, limit: int) -> int:
        """Wait for a free slot and reserve up to `limit`; 0 when no more work is wanted."""
        with self._changed:
            self._changed.wait_for(lambda: self._free > 0 or not self._open)
            if not self._open:
                return 0
            reserved = min(limit, self._free)
            self._free -= reserved
            return reserved

    def give_back(self, count: int) -> None:
        """Free slots that were reserved and not used."""
        with self._changed:
            self._free += count
            self._changed.notify_all()

    def submit(self, lease: Lease) -> None:
        """Use one reserved slot."""
        with self._changed:
            self._occupied += 1
        self._submitted.put(lease)

    def close(self) -> None:
        """Let no more slots be reserved."""
        with self._changed:
            self._open = False
            self._changed.notify_all()

    def wait_until_idle(self, seconds: float) -> bool:
        """Wait until nothing runs; False when that takes longer."""
        with self._changed:
            return self._changed.wait_for(lambda: self._occupied == 0, max(0.0, seconds))

    def end_threads(self) -> None:
        """Let idle threads end now and busy ones after their task; returns at once."""
        for _ in self._threads:
            self._submitted.put(None)

    def _serve(self) -> None:
        while (lease := self._submitted.get()) is not None:
            try:
                self._work(lease)
            except Exception:  # noqa: BLE001  one task must not take its thread along
                _log.exception("task %s was dropped by a fault of the worker", lease.task.task_id)
            finally:
                with self._changed:
                    self._occupied -= 1
                    self._free += 1
                    self._changed.notify_all()
