"""A ticker in each worker process of a django-q2 cluster.

The queue may be stuck and the workers idle: the tickers go on, because truth is in the tables.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from multiprocessing.util import Finalize
from typing import Any

from bpm.jobs.limits import handler_threads, job_lease_ms
from bpm.jobs.pool import HandlerPool
from bpm.jobs.tick import process_name
from bpm.jobs.ticker import Ticker

GRACE_S = 20.0
"""How long a worker that ends waits for its handlers; what runs longer is attempted again when its lease is over."""

_log = logging.getLogger(__name__)


class WorkerTicker:
    """The ticker of this process, with its thread."""

    def __init__(self) -> None:
        self._ticker: Ticker | None = None
        self._thread: threading.Thread | None = None

    def start(self, **_signal: Any) -> None:
        """Start the thread; nothing happens where it runs already. Receives `post_spawn`."""
        if self._thread is not None and self._thread.is_alive():
            return
        name = process_name()
        pool = HandlerPool(name, threads=handler_threads(), lease_ms=job_lease_ms())
        self._ticker = Ticker(name, pool, parent=os.getppid())
        self._thread = threading.Thread(
            target=self._run, args=(self._ticker,), name="bpm-ticker", daemon=True
        )
        self._thread.start()
        # Runs when the worker was told to end; the threads are daemons, so nothing else waits for handlers.
        Finalize(None, self.stop, exitpriority=100)

    def restart_if_dead(self) -> bool:
        """Start the thread again where it was started in this process and is gone; return whether it was."""
        if self._thread is None or self._thread.is_alive():
            return False
        _log.error("the ticker of this worker was gone; starting it again")
        self.start()
        return True

    def stop(self) -> None:
        """Stop ticking and let handlers finish, within the grace time."""
        if self._ticker is None or self._thread is None:
            return
        self._ticker.stop()
        self._thread.join(GRACE_S)
        if not self._ticker.pool.drain(GRACE_S):
            _log.warning("%d handlers are left to their leases", self._ticker.pool.running)

    def _run(self, ticker: Ticker) -> None:
        ticker.run()
        if ticker.orphaned:
            # Nobody watches this process any more, and it would wait for tasks for ever.
            _log.error("the cluster's guard is gone; this worker ends")
            ticker.pool.drain(GRACE_S)
            os.kill(os.getpid(), signal.SIGTERM)


worker_ticker = WorkerTicker()
