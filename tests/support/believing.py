"""Instances of which decisions are remembered, and believed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bpm import engine
from bpm.models import UserTask, Variable
from bpm.shell.remembering.memory import memory
from bpm.shell.verifying import verify_instances
from tests.support.kept import forget_all, kept_differences
from tests.support.model import parse_model
from tests.support.model_xml import write_xml
from tests.support.stored import read_state

NEVER = 1_000_000_000


@contextmanager
def believing() -> Iterator[None]:
    """Begin with nothing known, and believe what is remembered."""
    memory.clear()
    forget_all()
    memory.doubted = NEVER
    yield
    memory.clear()


def deploy(model: str, key: str = "p") -> None:
    engine.deploy([(f"{key}.bpmn", write_xml(parse_model(model, key)))])


def start(**variables: Any) -> str:
    return str(engine.start("p", variables=variables)["instance_id"])


def used(act: Any) -> int:
    """Return how many decisions of a call were known."""
    before = memory.used.total()
    act()
    return memory.used.total() - before


def sound(*instances: str) -> None:
    for instance in instances:
        state = read_state(instance)
        assert state is not None
        assert kept_differences(state) == []
    assert [finding for found in verify_instances(instances) for finding in found.findings] == []


def open_task(instance: str) -> str:
    return str(UserTask.objects.get(instance__id=instance, status="OPEN").pk)


def lease(topic: str = "x", lock_ms: int = 60_000) -> dict[str, Any]:
    """Fetch a task by the worker `w`."""
    (leased,) = engine.fetch_and_lock("w", topics=[topic], max_tasks=1, lock_ms=lock_ms)
    return leased


def leave_work(topic: str = "x", **variables: Any) -> str:
    """Fetch a task and complete it; return its instance."""
    leased = lease(topic)
    engine.complete_external_task(
        leased["task_id"], worker="w", lease=leased["lease_id"], variables=variables
    )
    return str(leased["instance_id"])


def known_work(lock_ms: int = 60_000) -> dict[str, Any]:
    """Let it be known how work on topic `x` is started, leased and completed; return a lease of one more."""
    deploy("start s -> a\nexternal a topic=x -> e\nend e")
    for _ in range(3):
        start()
        leave_work()
    start()
    return lease(lock_ms=lock_ms)


def values(instance: str) -> dict[str, str]:
    return dict(Variable.objects.filter(instance__id=instance).values_list("name", "value"))
