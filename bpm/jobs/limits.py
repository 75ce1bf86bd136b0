"""Settings of the loops, from the `BPM` setting, with defaults."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings

_DEFAULTS: Final[dict[str, Any]] = {
    "HANDLER_THREADS": 4,
    "JOB_LEASE_MS": 30_000,
    "VERIFY_SHARE_PERCENT": 5,
}


def _limit(name: str) -> Any:
    return getattr(settings, "BPM", {}).get(name, _DEFAULTS[name])


def handler_threads() -> int:
    """Return how many handlers one process runs at a time; 0 leaves them to other processes."""
    return int(_limit("HANDLER_THREADS"))


def job_lease_ms() -> int:
    """Return how long a job stays with a process that gives no sign of life, in milliseconds."""
    return int(_limit("JOB_LEASE_MS"))


def verify_share_percent() -> int:
    """Return how much of one thread's time the background verification may take, in percent; 0: none."""
    return int(_limit("VERIFY_SHARE_PERCENT"))
