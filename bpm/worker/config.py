"""How a worker behaves."""

from __future__ import annotations

import os
import secrets
import socket
from dataclasses import dataclass, field

_BOUNDS: dict[str, tuple[int, int]] = {
    "max_tasks": (1, 1_000),
    "concurrency": (1, 1_000),
    "lock_duration_ms": (100, 86_400_000),
    "wait_ms": (0, 30_000),
    "poll_interval_ms": (10, 3_600_000),
    "grace_ms": (0, 3_600_000),
    "backoff_base_ms": (1, 60_000),
    "backoff_cap_ms": (1, 3_600_000),
    "max_run_ms": (100, 31 * 86_400_000),
}


def new_worker_id() -> str:
    """Return host name, process id and four random hex digits: unique per process, and readable."""
    return f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(2)}"


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """Settings of one worker; all times in milliseconds.

    Attributes:
        worker_id: Owner of the leases; 1 to 255 printable characters; unique among running workers.
        max_tasks: Most tasks of one fetch, 1 to 1,000; never more are fetched than handlers are free.
        concurrency: Handlers that run at once, each in a thread of its own; 1 to 1,000.
        lock_duration_ms: Length of a lease, 100 to 86,400,000; renewed at half time while a handler runs.
        wait_ms: Long poll, 0 to 30,000: how long the engine may hold a fetch that finds nothing. An idle
            worker needs up to this time to stop.
        poll_interval_ms: Least time between fetches that find nothing; matters where the engine
            does not hold them.
        grace_ms: How long a drain waits for running handlers; keep it below the supervisor's own limit.
        backoff_base_ms: Upper bound of the first pause after a failed call; doubles each time.
        backoff_cap_ms: Upper bound of all such pauses.
        max_run_ms: A handler that runs longer gets no more renewals, so that one that hangs loses its task;
            None renews without end.

    Raises:
        ValueError: A value out of its bounds, named.
    """

    worker_id: str = field(default_factory=new_worker_id)
    max_tasks: int = 10
    concurrency: int = 4
    lock_duration_ms: int = 30_000
    wait_ms: int = 5_000
    poll_interval_ms: int = 1_000
    grace_ms: int = 25_000
    backoff_base_ms: int = 100
    backoff_cap_ms: int = 30_000
    max_run_ms: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= len(self.worker_id) <= 255:
            raise ValueError("worker_id must have 1 to 255 characters")
        if not self.worker_id.isprintable():
            raise ValueError("worker_id must be printable")
        for name, (least, most) in _BOUNDS.items():
            value = getattr(self, name)
            if value is None and name == "max_run_ms":
                continue
            if not isinstance(value, int) or not least <= value <= most:
                raise ValueError(f"{name} must be a whole number from {least} to {most}, is {value!r}")
