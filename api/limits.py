"""Limits of the REST interface, from the `BPM` setting, with defaults."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings

from bpm.access.caller import present_caller

MEBIBYTE: Final = 1_048_576
_DEFAULTS: Final[dict[str, Any]] = {
    "MAX_BODY_BYTES": 5 * MEBIBYTE,
    "WEB_THREADS": 8,
    "OPEN_ON_LOOPBACK": False,
}


def _limit(name: str) -> Any:
    return getattr(settings, "BPM", {}).get(name, _DEFAULTS[name])


def max_body_bytes() -> int:
    """Return the size of the largest request body that is read from the present caller, in bytes."""
    caller = present_caller()
    own = caller.least("max_body_bytes") if caller is not None else None
    whole = int(_limit("MAX_BODY_BYTES"))
    return whole if own is None else min(own, whole)


def long_poll_slots() -> int:
    """Return how many requests of one process may wait for tasks at a time: half of its threads."""
    return int(_limit("WEB_THREADS")) // 2


def is_open_on_loopback() -> bool:
    """Return whether requests of this machine itself need no credentials; for demos only."""
    return bool(_limit("OPEN_ON_LOOPBACK"))
