"""Threads that run handlers, each with its own database connections."""

from __future__ import annotations

import logging
import queue
import threading
import time

from django.db import close_old_connections, connections

from bpm import engine, handlers
from bpm.engine import ClaimedJob
from bpm.jobs.attempt import run_attempt

_log = logging.getLogger(__name__)


class HandlerPool:
    """A bounded number of attempts at the same time.

    `fill` and `renew` are for one thread, the ticker's; a claimed job begins at once, so nothing waits under a lease.

    Args:
        owner: stands on the jobs that run here; unique per process.
        threads: attempts at the same time, 0 for none.
        lease_ms: how long a job stays here without renewal.
    """

    def __init__(self, owner: str, *, threads: int, lease_ms: int) -> None:
        self.owner = owner
        self.vacated = threading.Event()
        self._threads = threads
        self._lease_ms = lease_ms
        self._waiting: queue.SimpleQueue[ClaimedJob | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._running: dict[str, float] = {}
        self._started: list[threading.Thread] = []
        self._closed = False

    @property
    def free(self) -> int:
        """Threads that have nothing to do."""
        return 0 if self._closed else self._threads - len(self._running)

    @property
    def running(self) -> int:
        """Attempts that have not been reported."""
        return len(self._running)

    @property
    def names(self) -> list[str]:
        """Handlers that can run here now: none while all threads are busy."""
        return handlers.names() if self.free > 0 else []

    def fill(self) -> int:
        """Claim due jobs for the free threads and begin them; return how many."""
        claimed = engine.claim_jobs(self.owner, limit=self.free, lease_ms=self._lease_ms) if self.free else []
        for job in claimed:
            with self._lock:
                self._running[job.work.job_id] = time.monotonic()
            self._waiting.put(job)
        while len(self._started) < min(len(self._running), self._threads):
            thread = threading.Thread(
                target=self._work, name=f"bpm-handler-{len(self._started)}", daemon=True
            )
            self._started.append(thread)
            thread.start()
        return len(claimed)

    def renew(self) -> None:
        """Renew leases of which a third is over. A job that is no longer ours runs on; its result will be refused."""
        present = time.monotonic()
        with self._lock:
            old = [job for job, at in self._running.items() if present - at > self._lease_ms / 3_000]
        renewed = engine.renew_jobs(self.owner, old, lease_ms=self._lease_ms)
        with self._lock:
            for job in renewed & self._running.keys():
                self._running[job] = present

    def drain(self, grace_s: float) -> bool:
        """Claim nothing more, wait for what runs, and end the threads.

        Leases are renewed meanwhile. What still runs after the grace time is left to its lease.

        Returns:
            Whether everything was finished.
        """
        self._closed = True
        deadline = time.monotonic() + grace_s
        while self._running and time.monotonic() < deadline:
            self.vacated.wait(min(0.2, self._lease_ms / 10_000))
            self.vacated.clear()
            self._renew_or_log()
        for _ in self._started:
            self._waiting.put(None)
        for thread in self._started:
            thread.join(max(0.0, deadline - time.monotonic()) if self._running else 1.0)
        return not self._running

    def _renew_or_log(self) -> None:
        try:
            self.renew()
        except Exception:  # noqa: BLE001 - the handlers are waited for all the same
            _log.exception("leases of running jobs could not be renewed")

    def _work(self) -> None:
        while (job := self._waiting.get()) is not None:
            close_old_connections()
            try:
                run_attempt(job)
            finally:
                with self._lock:
                    self._running.pop(job.work.job_id, None)
                close_old_connections()
                self.vacated.set()
        connections.close_all()
