"""Entry of a worker's process; imports nothing of Django before Django is set up."""

from __future__ import annotations

import time
from multiprocessing.queues import Queue
from typing import Any


def enter(name: str, topic: str, batch: int, ready: Any, results: Queue[Any]) -> None:
    """Set up, wait for the others, work, and report: completed, refused, begun, ended (Unix seconds), latencies."""
    import django

    django.setup()
    from bpm.bench.crowd_worker import work

    ready.wait()
    begun = time.time()
    completed, refused, latencies_s = work(name, topic, batch)
    results.put((completed, refused, begun, time.time(), latencies_s))
