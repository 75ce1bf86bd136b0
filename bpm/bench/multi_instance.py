"""Multi-instance activities: what one item costs among few and among many."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from bpm import engine
from bpm.bench import processes
from bpm.bench.stopwatch import Stopwatch
from bpm.bench.workloads import LEASE_MS, deploy

ITEMS = 1_000
"""Items of one round; instances with fewer are run more often."""

_BATCH = 100


@dataclass(frozen=True, slots=True)
class MultiInstance:
    """Costs of one item, medians over the instances: starting, fetching and completing it, by hundreds.

    Attributes:
        items: parallel external tasks of one activity.
        cpu_us: of this process.
    """

    items: int
    item_us: float
    cpu_us: float


def run_multi_instance(
    counts: Sequence[int], *, repeats: int, note: Callable[[str], None]
) -> list[MultiInstance]:
    """Run instances with each number of items, interleaved."""
    for count in counts:
        deploy(processes.multi_instance(_key(count), count))
    _instance(min(counts))
    rounds: dict[int, list[Stopwatch]] = {count: [] for count in counts}
    for repeat in range(repeats):
        for count in counts:
            for _ in range(max(1, ITEMS // count)):
                rounds[count].append(_instance(count))
            note(f"{repeat + 1}/{repeats} multi-instance of {count}")
    return [_found(count, rounds[count]) for count in counts]


def _found(count: int, rounds: list[Stopwatch]) -> MultiInstance:
    wall, cpu = (
        1_000_000 * median(part) / count
        for part in zip(*((watch.seconds, watch.cpu_s) for watch in rounds), strict=True)
    )
    return MultiInstance(count, wall, cpu)


def _key(count: int) -> str:
    return f"bench-multi-{count}"


def _instance(count: int) -> Stopwatch:
    """Run one instance to its end."""
    watch, key = Stopwatch(), _key(count)
    with watch.charging():
        _run(key, count, watch)
    return watch


def _run(key: str, count: int, watch: Stopwatch) -> None:
    with watch.timing(0):
        engine.start(key)
    done, until = 0, time.monotonic() + 900
    while done < count:
        with watch.timing(0):
            tasks = engine.fetch_and_lock("bench", topics=[key], max_tasks=_BATCH, lock_ms=LEASE_MS)
        items = [{"task_id": task["task_id"], "worker": "bench", "lease": task["lease_id"]} for task in tasks]
        with watch.timing(len(items)):
            outcomes = engine.complete_external_tasks(items)
        done += sum(not isinstance(one, engine.EngineError) for one in outcomes)
        assert time.monotonic() < until, f"{done} of {count} items are done"
