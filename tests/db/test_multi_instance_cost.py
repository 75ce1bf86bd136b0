"""An item of a multi-instance activity costs as much among many as among few.

What is counted is work, not time: calls of functions, which no load of the machine changes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest

from bpm import engine
from bpm.bench import processes
from bpm.models import ProcessInstance

FEW, MANY, BATCH = 20, 400, 10
MOST = 1.5

pytestmark = pytest.mark.django_db(transaction=True)


def calls(operation: Callable[[], object]) -> int:
    number = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal number
        number += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        operation()
    finally:
        sys.setprofile(before)
    return number


def fetch(key: str, number: int) -> list[dict[str, Any]]:
    tasks = engine.fetch_and_lock("w", topics=[key], max_tasks=number, lock_ms=600_000)
    assert len(tasks) == number
    return [{"task_id": task["task_id"], "worker": "w", "lease": task["lease_id"]} for task in tasks]


def complete(items: list[dict[str, Any]]) -> None:
    assert not any(isinstance(one, engine.EngineError) for one in engine.complete_external_tasks(items))


def costs_per_item(count: int) -> dict[str, float]:
    """Return the calls for each item: started, fetched, completed as one of many, and as one of the last."""
    key = f"multi-{count}"
    engine.deploy([("multi.bpmn", processes.multi_instance(key, count))])
    engine.start(key)
    for _ in range(count // BATCH):
        complete(fetch(key, BATCH))
    starting = calls(partial(engine.start, key)) / count
    items: list[dict[str, Any]] = []
    fetching = calls(lambda: items.extend(fetch(key, BATCH))) / BATCH
    completing = calls(partial(complete, items)) / BATCH
    for _ in range(count // BATCH - 2):
        complete(fetch(key, BATCH))
    ending = calls(partial(complete, fetch(key, BATCH))) / BATCH
    assert set(ProcessInstance.objects.values_list("status", flat=True)) == {"COMPLETED"}
    return {"starting": starting, "fetching": fetching, "completing": completing, "ending": ending}


def test_an_item_costs_as_much_among_many_as_among_few() -> None:
    few, many = costs_per_item(FEW), costs_per_item(MANY)
    factors = {name: many[name] / few[name] for name in few}
    assert max(factors.values()) <= MOST, factors
