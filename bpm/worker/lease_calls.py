"""Calls that concern a lease: extending it and giving its task back."""

from __future__ import annotations

import logging
import time
import uuid

from bpm.worker.backoff import Backoff
from bpm.worker.client import EngineClient
from bpm.worker.config import WorkerConfig
from bpm.worker.errors import EngineError, LeaseLost, NotFound
from bpm.worker.lease import Lease
from bpm.worker.repetition import repeat_until_answered

_log = logging.getLogger("bpm.worker")

_LONGEST_GIVE_BACK_S = 3.0


class Extension:
    """One wish to extend a lease, repeated under one Idempotency-Key until it is answered.

    A repeated answer speaks of the first attempt, so the new end is counted from that. A lease that lasts
    longer than the wish is left alone.
    """

    def __init__(self, client: EngineClient, worker_id: str, lease: Lease, duration_ms: int) -> None:
        self._client = client
        self._worker_id = worker_id
        self._lease = lease
        self._duration_ms = duration_ms
        self._key = str(uuid.uuid4())
        self._first_sent: float | None = None

    def attempt(self) -> None:
        """Make one call and write its outcome to the lease.

        Raises:
            LeaseLost: The lease was lost or closed before, or the engine says so now.
            EngineError: Anything else the engine answers; the lease stays as it is.
        """
        lease = self._lease
        duration_s = self._duration_ms / 1000
        with lease.calls:
            if lease.gone.is_set() or lease.closed:
                raise LeaseLost(lease.lost_because or "the handler has ended")
            if lease.confirmed and lease.remaining_s() > duration_s:
                return
            if self._first_sent is None:
                self._first_sent = time.monotonic()
            try:
                extended = self._client.extend_lock(
                    lease.task.task_id, self._worker_id, lease.lease_id, self._duration_ms, self._key
                )
            except (LeaseLost, NotFound) as error:
                lease.lose(str(error))
                raise LeaseLost(error.detail, status=error.status, code=error.code) from error
            lease.renew(extended.lease_id, self._first_sent + duration_s)


def extend_until_answered(client: EngineClient, config: WorkerConfig, lease: Lease, duration_ms: int) -> None:
    """Extend a lease, repeating the call until it is answered or the lease has run out.

    Raises:
        LeaseLost: As the engine says, or because no answer came in time.
        EngineError: The engine refused, or could not be reached; the lease stays as it is.
    """
    extension = Extension(client, config.worker_id, lease, duration_ms)
    repeat_until_answered(
        extension.attempt, backoff=Backoff.of(config), left_s=lease.remaining_s, wait=lease.gone.wait
    )


def give_back(client: EngineClient, config: WorkerConfig, lease: Lease) -> None:
    """Unlock a task that was not started, so that another worker need not wait for the lease's end.

    Tried for at most three seconds; a failure is logged only, because the lease ends by itself.
    """
    key = str(uuid.uuid4())
    end = time.monotonic() + _LONGEST_GIVE_BACK_S
    task_id = lease.task.task_id
    try:
        repeat_until_answered(
            lambda: client.unlock(task_id, config.worker_id, lease.lease_id, key),
            backoff=Backoff.of(config),
            left_s=lambda: min(end - time.monotonic(), lease.remaining_s()),
            wait=time.sleep,
        )
    except EngineError as error:
        _log.warning("task %s could not be given back, its lease runs out: %s", task_id, error)
    else:
        _log.info("task %s given back unworked", task_id)
