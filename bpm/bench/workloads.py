"""The steady workloads: each round does some operations on fresh instances and leaves them ended.

Only engine calls are timed. What a caller does between them (looking a task up) is not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from bpm import engine
from bpm.bench import processes
from bpm.bench.stopwatch import Stopwatch
from bpm.models import UserTask

LEASE_MS = 3_600_000
_STORED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """One steady workload.

    Attributes:
        unit: what its operations are.
        commands: engine commands of one operation.
        target: least share of the floor, in operations per floor command; None where none is promised.
        round: do some operations.
    """

    name: str
    unit: str
    commands: int
    target: float | None = None
    source: bytes
    round: Callable[[Stopwatch], None]


def steady(batch: int) -> Sequence[Workload]:
    """Return the workloads.

    Args:
        batch: commands of one batch.
    """
    many = "bench-many"
    single = Workload(
        name="complete-one",
        unit="commands",
        commands=1,
        target=0.25,
        source=processes.external(f"{many}-single"),
        round=partial(complete_batch, f"{many}-single", batch, single=True),
    )
    return (*_promised(), *_long(), single, *_batches(many, batch))


def _promised() -> Sequence[Workload]:
    """Return the short processes, whose share of the floor is promised."""
    start_end, external, user = "bench-start-end", "bench-external", "bench-user"
    return (
        Workload(
            name="start-end",
            unit="instances",
            commands=1,
            target=0.25,
            source=processes.path(start_end),
            round=partial(_start, start_end),
        ),
        Workload(
            name="external",
            unit="instances",
            commands=3,
            target=0.11,
            source=processes.external(external),
            round=partial(complete_externals, external),
        ),
        Workload(
            name="user",
            unit="instances",
            commands=2,
            target=0.13,
            source=processes.user(user),
            round=partial(_user, user),
        ),
    )


def _long() -> Sequence[Workload]:
    """Return the processes in which one command passes many nodes."""
    path, loop = "bench-path-20", "bench-loop-1000"
    return (
        Workload(
            name="path-20",
            unit="instances",
            commands=1,
            source=processes.pass_through(path, 20),
            round=partial(_start, path),
        ),
        Workload(
            name="loop-1000",
            unit="instances",
            commands=1,
            source=processes.loop(loop, 1_000),
            round=partial(_start, loop, variables={"n": 0}, times=1),
        ),
    )


def _batches(key: str, batch: int) -> Sequence[Workload]:
    kinds = {"start": _batch_starts, "fetch": _batch_fetches, "complete": complete_batch}
    return [
        Workload(
            name=f"batch-{kind}",
            unit="commands",
            commands=1,
            target=2.0,
            source=processes.external(f"{key}-{kind}"),
            round=partial(work, f"{key}-{kind}", batch),
        )
        for kind, work in kinds.items()
    ]


def deploy(source: bytes) -> None:
    """Deploy one of the processes."""
    engine.deploy([("bench.bpmn", source)])


def _start(key: str, watch: Stopwatch, variables: dict[str, Any] | None = None, times: int = 20) -> None:
    with watch.charging():
        for _ in range(times):
            with watch.timing():
                engine.start(key, variables=variables)


def complete_externals(key: str, watch: Stopwatch) -> None:
    """Start, fetch and complete ten instances with an external task each, one by one."""
    with watch.charging():
        for _ in range(10):
            with watch.timing():
                engine.start(key)
                (task,) = engine.fetch_and_lock("bench", topics=[key], max_tasks=1, lock_ms=LEASE_MS)
                engine.complete_external_task(task["task_id"], worker="bench", lease=task["lease_id"])


def _user(key: str, watch: Stopwatch) -> None:
    started = []
    with watch.charging():
        for _ in range(10):
            with watch.timing(0):
                started.append(engine.start(key)["instance_id"])
    tasks = [str(task) for task in UserTask.objects.filter(instance__in=started).values_list("id", flat=True)]
    with watch.charging():
        for task in tasks:
            with watch.timing():
                engine.complete_task(task)


def _batch_starts(key: str, batch: int, watch: Stopwatch) -> None:
    starts = [engine.Start(process=key)] * batch
    with watch.charging(), watch.timing(batch):
        engine.start_many(starts)


def _batch_fetches(key: str, batch: int, watch: Stopwatch) -> None:
    engine.start_many([engine.Start(process=key)] * batch)
    with watch.charging(), watch.timing(batch):
        tasks = engine.fetch_and_lock("bench", topics=[key], max_tasks=batch, lock_ms=LEASE_MS)
    assert len(tasks) == batch


def complete_batch(key: str, batch: int, watch: Stopwatch, *, single: bool = False) -> None:
    """Start and fetch a batch untimed, then complete it at once, or one by one."""
    engine.start_many([engine.Start(process=key)] * batch)
    tasks = engine.fetch_and_lock("bench", topics=[key], max_tasks=batch, lock_ms=LEASE_MS)
    items = [{"task_id": task["task_id"], "worker": "bench", "lease": task["lease_id"]} for task in tasks]
    if not single:
        with watch.charging(), watch.timing(batch):
            outcomes = engine.complete_external_tasks(items)
        assert not any(isinstance(one, engine.EngineError) for one in outcomes)
        return
    with watch.charging():
        for item in items:
            with watch.timing():
                engine.complete_external_task(item["task_id"], worker="bench", lease=item["lease"])


def store_ended(key: str, ended: int, note: Callable[[str], None]) -> None:
    """Store so many instances of a process that each have completed an external task."""
    for start in range(0, ended, _STORED):
        complete_batch(key, min(_STORED, ended - start), Stopwatch())
        if start % 10_000 == 0:
            note(f"{start} of {ended} ended instances are stored")
