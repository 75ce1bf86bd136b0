"""Forks: what completing one of many parallel branches costs, and what the last one costs, which fires the join."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from bpm import engine
from bpm.bench import processes
from bpm.bench.stopwatch import Stopwatch
from bpm.bench.workloads import LEASE_MS, deploy

SINGLE = 200
"""Branches of one instance that are completed one by one and timed; the others are done in batches, untimed."""

_BATCH = 100


@dataclass(frozen=True, slots=True)
class Fork:
    """Costs at one width, in milliseconds: medians over the instances.

    Attributes:
        completing_ms: of completing one branch, neither the last.
        firing_ms: of completing the last branch.
    """

    width: int
    starting_ms: float
    completing_ms: float
    firing_ms: float

    @property
    def firing_us_per_branch(self) -> float:
        """Cost of the firing beyond one completion, per branch that the join consumes."""
        return 1_000 * (self.firing_ms - self.completing_ms) / self.width


def run_forks(widths: Sequence[int], *, repeats: int, note: Callable[[str], None]) -> list[Fork]:
    """Run instances of each width, interleaved; the small ones more often, for the same number of completions."""
    for width in widths:
        deploy(processes.fork(_key(width), width))
        if width <= _BATCH:
            _instance(width)
    rounds: dict[int, list[tuple[list[float], ...]]] = {width: [] for width in widths}
    for repeat in range(repeats):
        for width in widths:
            for _ in range(max(1, SINGLE // width)):
                rounds[width].append(_instance(width))
            note(f"{repeat + 1}/{repeats} fork of {width}")
    return [_fork(width, rounds[width]) for width in widths]


def _fork(width: int, rounds: list[tuple[list[float], ...]]) -> Fork:
    starting, completing, firing = (
        1_000 * median(second for one in part for second in one) for part in zip(*rounds, strict=True)
    )
    return Fork(width, starting, completing, firing)


def _key(width: int) -> str:
    return f"bench-fork-{width}"


def _instance(width: int) -> tuple[list[float], list[float], list[float]]:
    """Run one instance to its end; return the seconds of starting, completing and firing."""
    starting, completing, firing = Stopwatch(), Stopwatch(), Stopwatch()
    key = _key(width)
    with starting.timing():
        engine.start(key)
    tasks: list[dict[str, Any]] = []
    while len(tasks) < width:
        tasks += engine.fetch_and_lock("bench", topics=[key], max_tasks=_BATCH, lock_ms=LEASE_MS)
    *others, last = [
        {"task_id": task["task_id"], "worker": "bench", "lease": task["lease_id"]} for task in tasks
    ]
    half = SINGLE // 2
    for item in others[:half]:
        _complete(item, completing)
    middle, end = others[half:-half], others[half:][-half:]
    for start in range(0, len(middle), _BATCH):
        engine.complete_external_tasks(middle[start : start + _BATCH])
    for item in end:
        _complete(item, completing)
    _complete(last, firing)
    return starting.latencies_s, completing.latencies_s, firing.latencies_s


def _complete(item: dict[str, Any], watch: Stopwatch) -> None:
    with watch.timing():
        engine.complete_external_task(item["task_id"], worker=item["worker"], lease=item["lease"])
