"""One worker of a crowd."""

from __future__ import annotations

import time
from multiprocessing.queues import Queue
from typing import Any

from django.db import connection

from bpm import engine
from bpm.bench.stopwatch import Stopwatch
from bpm.bench.workloads import LEASE_MS
from bpm.core.errors import Busy

GIVES_UP_S = 30.0
"""How long it may be told that an instance is busy before it gives up."""


def enter(name: str, topic: str, batch: int, ready: Any, results: Queue[Any]) -> None:
    """Work in a process of its own once all are ready, and report.

    The report: completed, refused, begun, ended (Unix seconds), seconds of each call.
    """
    connection.ensure_connection()
    ready.wait()
    begun = time.time()
    completed, refused, latencies_s = work(name, topic, batch)
    results.put((completed, refused, begun, time.time(), latencies_s))


def work(name: str, topic: str, batch: int) -> tuple[int, int, list[float]]:
    """Fetch and complete until nothing waits.

    Returns:
        Tasks completed, completions refused, seconds of each call.
    """
    watch, completed, refused = Stopwatch(), 0, 0
    while True:
        tasks = _fetch(name, topic, batch, watch)
        if not tasks:
            return completed, refused, watch.latencies_s
        outcomes = _complete(name, tasks, watch)
        refusals = sum(isinstance(outcome, engine.EngineError) for outcome in outcomes)
        completed += len(outcomes) - refusals
        refused += refusals


def _fetch(name: str, topic: str, batch: int, watch: Stopwatch) -> list[engine.Answer]:
    until = time.monotonic() + GIVES_UP_S
    while True:
        try:
            with watch.timing():
                return engine.fetch_and_lock(name, topics=[topic], max_tasks=batch, lock_ms=LEASE_MS)
        except Busy:
            if time.monotonic() > until:
                raise


def _complete(
    name: str, tasks: list[engine.Answer], watch: Stopwatch
) -> list[engine.Answer | engine.EngineError]:
    left = [{"task_id": task["task_id"], "worker": name, "lease": task["lease_id"]} for task in tasks]
    done: list[engine.Answer | engine.EngineError] = []
    until = time.monotonic() + GIVES_UP_S
    while left and time.monotonic() < until:
        with watch.timing():
            outcomes = engine.complete_external_tasks(left)
        done += [outcome for outcome in outcomes if not isinstance(outcome, Busy)]
        left = [item for item, outcome in zip(left, outcomes, strict=True) if isinstance(outcome, Busy)]
    return done
