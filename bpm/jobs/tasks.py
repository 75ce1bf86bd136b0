"""What comes through the queue. Tasks carry ids only, and may run late, twice or never."""

from __future__ import annotations

import time
from pathlib import Path

from bpm import engine
from bpm.jobs.cluster import worker_ticker
from bpm.jobs.tick import tick_once
from bpm.shell.configuration import setting
from bpm.shell.heartbeats import QUEUE, beat

RETENTION_S = 15.0
"""How long one task removes ended instances; the next one goes on. Half of what the queue allows a task."""


def tick() -> dict[str, int]:
    """Do one pass without handlers: the safety net under the tickers, and the sign that the queue moves."""
    beat(QUEUE)
    worker_ticker.restart_if_dead()
    return tick_once(run_handlers=False)


def retain() -> int:
    """Remove ended instances whose time is over, for a while; return how many went."""
    folder = setting("RETENTION_FOLDER")
    deadline = time.monotonic() + RETENTION_S
    removed = 0
    for batch in engine.remove_expired(folder=Path(folder) if folder else None, actor="retention"):
        removed += batch.instances
        if time.monotonic() > deadline:
            break
    return removed
