"""The loop: a pass about every second, sooner when something is due sooner or is left to do."""

from __future__ import annotations

import logging
import os
import random
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import close_old_connections, connections

from bpm.jobs.pool import HandlerPool
from bpm.jobs.tick import Pass, run_pass
from bpm.jobs.verifier import Verifier
from bpm.shell.heartbeats import CLEANED_AT_ONCE, beat, clean

PERIOD_S = 1.0
JITTER = 0.1
SHORTEST_PAUSE_S = 0.1
"""Many timers close to each other are fired together rather than each on its own."""
CLEANING_PERIOD_S = 600.0
SAME_ERROR_S = 60.0

_log = logging.getLogger(__name__)
T = TypeVar("T")


class Ticker:
    """Runs passes in one thread until it is stopped or its parent process is gone. No exception ends it.

    Args:
        name: stands on its signs of life.
        pool: where handlers run; the ticker claims for it and renews its leases.
        parent: process id whose child this process must stay; None: it may become anybody's.
    """

    def __init__(self, name: str, pool: HandlerPool, *, parent: int | None = None) -> None:
        self.name = name
        self.pool = pool
        self._parent = parent
        self._stopping = threading.Event()
        self._seen_at = float("-inf")
        self._noted, self._noted_at = "", float("-inf")
        self._clean_at = time.monotonic() + _between(0.0, CLEANING_PERIOD_S)

    def stop(self) -> None:
        """Let the loop end after the pass that it is in."""
        self._stopping.set()
        self.pool.vacated.set()

    @property
    def orphaned(self) -> bool:
        """Whether the parent process is gone."""
        return self._parent is not None and os.getppid() != self._parent

    def run(self) -> None:
        """Tick; returns when stopped or orphaned. Closes this thread's connections."""
        verifier = Verifier(self.name)
        verifier.start()
        try:
            self._tick()
        finally:
            verifier.stop()
            connections.close_all()

    def _tick(self) -> None:
        while not (self._stopping.is_set() or self.orphaned):
            pause_s = self._turn()
            deadline = time.monotonic() + pause_s
            while not self._stopping.is_set() and (left := deadline - time.monotonic()) > 0:
                if self.pool.vacated.wait(left):
                    self.pool.vacated.clear()
                    self._guarded(self.pool.fill)

    def _turn(self) -> float:
        """Do one pass and return the seconds until the next."""
        close_old_connections()
        period_s = PERIOD_S * _between(1 - JITTER, 1 + JITTER)
        done = self._guarded(self._pass)
        if done is None:
            return period_s
        if done.more:
            return 0.0
        # After work, what is due next is not known yet: look again soon.
        next_s = 0.0 if any(done.counts.values()) else done.pause_s
        return period_s if next_s is None else min(period_s, max(SHORTEST_PAUSE_S, next_s))

    def _pass(self) -> Pass:
        self.pool.renew()
        done = run_pass(self.pool)
        present = time.monotonic()
        if present - self._seen_at >= PERIOD_S * (1 - JITTER):
            beat(self.name, lag_ms=done.lag_ms)
            self._seen_at = present
        if present >= self._clean_at:
            full = clean() >= CLEANED_AT_ONCE
            self._clean_at = present + (PERIOD_S if full else CLEANING_PERIOD_S)
        return done

    def _guarded(self, act: Callable[[], T]) -> T | None:
        try:
            return act()
        except Exception as error:  # noqa: BLE001 - the loop outlives every error
            self._note(error)
            close_old_connections()
            return None

    def _note(self, error: Exception) -> None:
        """Log an error; while the same one comes each second, once a minute."""
        what = f"{type(error).__name__}: {error}"[:200]
        present = time.monotonic()
        if what != self._noted or present - self._noted_at > SAME_ERROR_S:
            self._noted, self._noted_at = what, present
            _log.error("the loop %s goes on after an error", self.name, exc_info=error)


def _between(low: float, high: float) -> float:
    return random.uniform(low, high)  # noqa: S311 - spreads load, hides nothing
