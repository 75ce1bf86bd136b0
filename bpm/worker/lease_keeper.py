"""Renews the leases of running handlers, and notices when one has run out."""

from __future__ import annotations

import logging
import math
import threading
import time
from dataclasses import dataclass

from bpm.worker.backoff import Backoff
from bpm.worker.client import EngineClient
from bpm.worker.config import WorkerConfig
from bpm.worker.errors import EngineError, EngineUnavailable, LeaseLost
from bpm.worker.lease import Lease
from bpm.worker.lease_calls import Extension

_log = logging.getLogger("bpm.worker")


@dataclass(slots=True)
class _Watch:
    """One watched lease. No renewal starts before `not_before` (monotonic seconds; infinite: none at all)."""

    lease: Lease
    renew_until: float
    backoff: Backoff
    not_before: float = 0.0
    extension: Extension | None = None


class LeaseKeeper:
    """One thread that looks after all leases; each renewal is a short-lived thread of its own.

    So a call that hangs delays no other renewal, and no lease is taken for valid after its end because
    somebody else's call was slow.
    """

    def __init__(self, client: EngineClient, config: WorkerConfig) -> None:
        self._client = client
        self._config = config
        self._watched: dict[Lease, _Watch] = {}
        self._changed = threading.Condition()
        self._stopped = False
        self._thread = threading.Thread(target=self._look_after, name="bpm-leases", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, reason: str) -> None:
        """Stop renewing; leases still watched are lost for that reason."""
        with self._changed:
            for lease in self._watched:
                lease.lose(reason)
            self._stopped = True
            self._changed.notify()
        self._thread.join()

    def watch(self, lease: Lease) -> None:
        """Renew the lease from now on."""
        max_run_ms = self._config.max_run_ms
        until = math.inf if max_run_ms is None else time.monotonic() + max_run_ms / 1000
        with self._changed:
            self._watched[lease] = _Watch(lease, until, Backoff.of(self._config))
            self._changed.notify()

    def release(self, lease: Lease) -> None:
        """Renew it no longer; waits a little for a renewal that is running."""
        with self._changed:
            self._watched.pop(lease, None)
        lease.close()

    def _look_after(self) -> None:
        with self._changed:
            while not self._stopped:
                now = time.monotonic()
                wake_at = min(
                    (self._attend(watch, now) for watch in list(self._watched.values())), default=math.inf
                )
                self._changed.wait(None if wake_at == math.inf else max(0.0, wake_at - now))

    def _attend(self, watch: _Watch, now: float) -> float:
        """Do what is due for one lease; return when to look again."""
        lease = watch.lease
        if lease.gone.is_set() or now >= lease.deadline:
            lease.lose("the lease ran out before it could be renewed")
            _log.warning("lease of task %s lost: %s", lease.task.task_id, lease.lost_because)
            del self._watched[lease]
            return math.inf
        due = max(watch.not_before, lease.deadline - lease.lock_duration_ms / 2000)
        if now >= due:
            watch.not_before = due = math.inf
            if now >= watch.renew_until:
                _log.warning("task %s runs longer than allowed; its lease runs out", lease.task.task_id)
            else:
                threading.Thread(target=self._renew, args=(watch,), name="bpm-renewal", daemon=True).start()
        return min(due, lease.deadline)

    def _renew(self, watch: _Watch) -> None:
        lease = watch.lease
        watch.extension = watch.extension or Extension(
            self._client, self._config.worker_id, lease, lease.lock_duration_ms
        )
        not_before = math.inf
        try:
            watch.extension.attempt()
        except LeaseLost:
            pass
        except EngineUnavailable as error:
            _log.warning("lease of task %s not renewed yet: %s", lease.task.task_id, error)
            not_before = time.monotonic() + watch.backoff.next_s(error.retry_after_s)
        except EngineError as error:
            _log.error("lease of task %s will not be renewed: %s", lease.task.task_id, error)
        else:
            watch.extension = None
            watch.backoff = Backoff.of(self._config)
            not_before = 0.0
        with self._changed:
            watch.not_before = not_before
            self._changed.notify()
