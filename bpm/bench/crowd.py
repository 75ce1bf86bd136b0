"""A crowd of workers: processes that fetch and complete external tasks until none is left."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.queues import Queue
from typing import Any

from django.db import connections

from bpm import engine
from bpm.bench import processes
from bpm.bench.crowd_worker import enter
from bpm.bench.stopwatch import percentile_ms
from bpm.bench.workloads import deploy

_STARTS = 100


@dataclass(frozen=True, slots=True)
class Crowd:
    """One run of a crowd.

    Attributes:
        shape: `instances` (one task each) or `one instance` (all tasks in it).
        batch: tasks of one fetch.
        seconds: from the first fetch to the last completion.
        refused: completions that were refused; 0, or a task was handed out twice.
        latencies_s: of every call, fetching and completing.
    """

    shape: str
    batch: int
    tasks: int
    workers: int
    seconds: float
    refused: int
    latencies_s: list[float]

    @property
    def rate(self) -> float:
        """Tasks per second, all workers together."""
        return self.tasks / self.seconds

    def percentile_ms(self, share: float) -> float:
        """Return a percentile of the calls."""
        return percentile_ms(self.latencies_s, share)


def run_crowd(shape: str, *, tasks: int, workers: int, batch: int, note: Callable[[str], None]) -> Crowd:
    """Create the tasks, let the workers go at the same time, and wait until every task is completed once."""
    key = f"bench-crowd-{shape.replace(' ', '-')}-{tasks}-{batch}"
    if shape == "instances":
        deploy(processes.external(key))
        for start in range(0, tasks, _STARTS):
            engine.start_many([engine.Start(process=key)] * min(_STARTS, tasks - start))
    else:
        deploy(processes.fork(key, tasks))
        engine.start(key)
    note(f"{tasks} tasks of {shape} are waiting for {workers} workers, {batch} a fetch")
    done = _compete(key, workers, batch)
    completed = sum(count for count, *_ in done)
    assert completed == tasks, f"{completed} completions of {tasks} tasks"
    begun, ended = min(one[2] for one in done), max(one[3] for one in done)
    latencies = [latency for one in done for latency in one[4]]
    return Crowd(shape, batch, tasks, workers, ended - begun, sum(one[1] for one in done), latencies)


def _compete(topic: str, workers: int, batch: int) -> list[Any]:
    # A session cannot be shared, so none may be open when the processes split off.
    connections.close_all()
    context = multiprocessing.get_context("fork")
    ready = context.Barrier(workers)
    results: Queue[Any] = context.Queue()
    names = [f"worker-{number}" for number in range(workers)]
    crowd = [context.Process(target=enter, args=(name, topic, batch, ready, results)) for name in names]
    for process in crowd:
        process.start()
    done = [results.get(timeout=900) for _ in crowd]
    for process in crowd:
        process.join()
    return done
