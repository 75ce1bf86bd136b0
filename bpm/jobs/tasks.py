"""What comes through the queue. Tasks carry ids only, and may run late, twice or never."""

from __future__ import annotations

from bpm.jobs.cluster import worker_ticker
from bpm.jobs.tick import tick_once
from bpm.shell.heartbeats import QUEUE, beat


def tick() -> dict[str, int]:
    """Do one pass without handlers: the safety net under the tickers, and the sign that the queue moves."""
    beat(QUEUE)
    worker_ticker.restart_if_dead()
    return tick_once(run_handlers=False)
