"""Waiting for work inside a request (semantics §5)."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from django.db import connection

from api.limits import long_poll_slots

MAX_WAIT_MS: Final = 30_000
PROBE_S: Final = 0.25
JITTER: Final = 0.2

_waiting = 0
_count = threading.Lock()


class Polled(NamedTuple):
    """What a long poll found.

    Attributes:
        refused: it did not wait, because as many requests wait as may.
    """

    tasks: list[dict[str, Any]]
    refused: bool


def poll(fetch: Callable[[], list[dict[str, Any]]], work_waits: Callable[[], bool], wait_ms: int) -> Polled:
    """Return what `fetch` returns, waiting for it to be something.

    Between probes no database connection is held. A probe is one existence query; `fetch` is called at once, and
    again when a probe says that there is something.

    Args:
        wait_ms: longest waiting time in milliseconds; 0 does not wait.
    """
    tasks = fetch()
    if tasks or wait_ms <= 0:
        return Polled(tasks, refused=False)
    if not _take_slot():
        return Polled([], refused=True)
    try:
        return Polled(_wait(fetch, work_waits, time.monotonic() + wait_ms / 1_000), refused=False)
    finally:
        _give_slot_back()


def _wait(
    fetch: Callable[[], list[dict[str, Any]]], work_waits: Callable[[], bool], deadline: float
) -> list[dict[str, Any]]:
    while True:
        pause = PROBE_S * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - spreads load, guards nothing
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            return []
        _give_connection_back()
        time.sleep(min(pause, remaining))
        if work_waits() and (tasks := fetch()):
            return tasks


def _give_connection_back() -> None:
    # Inside a caller's transaction the connection is not ours to close.
    if not connection.in_atomic_block:
        connection.close()


def _take_slot() -> bool:
    global _waiting
    with _count:
        if _waiting >= long_poll_slots():
            return False
        _waiting += 1
        return True


def _give_slot_back() -> None:
    global _waiting
    with _count:
        _waiting -= 1
