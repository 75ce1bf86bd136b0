"""How long the machine stood still: what a bound on seconds must allow for on top of what it proves."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

_BEAT_S = 0.02
_STALL_S = 0.05
"""By less than this a beat is late on a machine that only has much to do."""


class Stalls:
    """Seconds by which a thread came late that does nothing but sleep and ask the database for nothing."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._over = threading.Event()

    def run(self) -> None:
        """Add up how late beats come, until `stop`."""
        try:
            while not self._over.is_set():
                began = time.monotonic()
                time.sleep(_BEAT_S)
                with connection.cursor() as cursor:
                    cursor.execute("SELECT 1")
                late_s = time.monotonic() - began - _BEAT_S
                self.seconds += late_s if late_s > _STALL_S else 0.0
        finally:
            connection.close()

    def stop(self) -> None:
        """Let the thread end with its beat."""
        self._over.set()


@contextmanager
def stalling() -> Iterator[Stalls]:
    """Watch for stalls while the block runs: of this process, of the whole machine, of the database server."""
    found = Stalls()
    thread = threading.Thread(target=found.run)
    thread.start()
    try:
        yield found
    finally:
        found.stop()
        thread.join()
