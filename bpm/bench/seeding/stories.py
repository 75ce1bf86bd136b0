"""The few instances that are run for real: every kind of ended and running instance that a page may meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from bpm import engine
from bpm.bench.processes import path
from bpm.bench.seeding.order import ORDER
from bpm.models import UserTask

KEYS: Final = ("seed-short", "seed-external", "seed-order")


@dataclass(frozen=True, slots=True)
class Story:
    """How to make one instance, and how many of a hundred copies are of its kind."""

    name: str
    weight: int
    make: Callable[[], str]


def deploy() -> None:
    """Deploy what the stories run; unchanged files make no new version."""
    task = '<serviceTask id="{id}" name="Do the work" camunda:type="external" camunda:topic="seed-work"/>'
    script = '<serviceTask id="{id}" camunda:expression="${{n + 1}}" camunda:resultVariable="m"/>'
    files = [
        ("short.bpmn", path(KEYS[0], script)),
        ("external.bpmn", path(KEYS[1], task)),
        ("order.bpmn", ORDER),
    ]
    engine.deploy(files, name="seed", actor="seed")


def ended() -> Sequence[Story]:
    """Return the kinds of ended instances."""
    return (
        Story("short", 70, lambda: _start(KEYS[0])),
        Story("external", 15, _external),
        Story("order", 12, lambda: _order("review", "pack", "work")),
        Story("cancelled", 3, _cancelled),
    )


def running() -> Sequence[Story]:
    """Return the kinds of running instances."""
    return (
        Story("external ready", 40, lambda: _start(KEYS[1])),
        Story("order forked", 30, _order),
        Story("order joining", 26, lambda: _order("review")),
        Story("failed", 3, _failed),
        Story("suspended", 1, _suspended),
    )


def _start(key: str) -> str:
    variables: dict[str, Any] = {"n": 1, "customer": {"name": "Grace", "city": "Arlington"}, "urgent": False}
    answer = engine.start(key, business_key=key.upper(), variables=variables, actor="seed")
    return str(answer["instance_id"])


def _work(instance: str, *, fail: bool = False) -> None:
    # Other instances' tasks may wait in the same topic: those that were not wanted are given back.
    for task in engine.fetch_and_lock(
        "seed", topics=["seed-work"], max_tasks=100, lock_ms=60_000, actor="seed"
    ):
        if task["instance_id"] != instance:
            engine.unlock_external_task(task["task_id"], worker="seed", actor="seed")
        elif fail:
            engine.fail_external_task(
                task["task_id"], worker="seed", error="Out of paper", retries=0, actor="seed"
            )
        else:
            engine.complete_external_task(
                task["task_id"], worker="seed", variables={"done": True}, actor="seed"
            )


def _external() -> str:
    instance = _start(KEYS[1])
    _work(instance)
    return instance


def _order(*done: str) -> str:
    instance = _start(KEYS[2])
    for node in done:
        if node == "work":
            _work(instance)
            continue
        task = UserTask.objects.get(instance=UUID(instance), node=node, status="OPEN")
        engine.complete_task(str(task.id), variables={node: True}, actor="seed")
    return instance


def _cancelled() -> str:
    instance = _order("review")
    engine.cancel(instance, actor="seed")
    return instance


def _failed() -> str:
    instance = _start(KEYS[1])
    _work(instance, fail=True)
    return instance


def _suspended() -> str:
    instance = _order("pack")
    engine.suspend(instance, actor="seed")
    return instance
