"""Waiting for work inside a request (semantics §5)."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from django.db import connection

from api.limits import long_poll_slots
from api.rates import waiting

MAX_WAIT_MS: Final = 30_000
PROBE_S: Final = 0.25
JITTER: Final = 0.2


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

    Raises:
        PollsExhausted: as many requests of this tenant or token wait as may.
    """
    tasks = fetch()
    if tasks or wait_ms <= 0:
        return Polled(tasks, refused=False)
    with waiting(), _slots.taken() as free:
        if not free:
            return Polled([], refused=True)
        return Polled(_wait(fetch, work_waits, time.monotonic() + wait_ms / 1_000), refused=False)


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


class _Slots:
    """How many requests of this process wait."""

    def __init__(self) -> None:
        self._taken = 0
        self._lock = threading.Lock()

    @contextmanager
    def taken(self) -> Iterator[bool]:
        """Hold one slot inside, if one is free; say whether it was."""
        with self._lock:
            free = self._taken < long_poll_slots()
            self._taken += free
        try:
            yield free
        finally:
            with self._lock:
                self._taken -= free


_slots: Final = _Slots()
