"""However many collide on one instance: what a handler has done is not done again because of it (semantics §5, §11)."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from bpm import engine, handlers
from bpm.core.errors import Busy
from bpm.jobs.pool import HandlerPool
from bpm.models import ExternalTask, HistoryEvent, Incident, Job, ProcessInstance
from tests.support.racing import race
from tests.support.tree_model import tree_xml

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]

_POOLS, _THREADS, _WORKERS, _ITEMS = 2, 3, 4, 40


@pytest.fixture
def done() -> Iterator[Counter[Any]]:
    """Count what the handler `effect` did, by item or else by node; several threads of one process note it."""
    counted: Counter[Any] = Counter()
    lock = threading.Lock()

    @handlers.service("effect")
    def effect(work: handlers.Work) -> None:
        with lock:
            counted[work.variables.get("item", work.node_id)] += 1

    yield counted
    handlers.unregister("service", "effect")


def _status() -> str:
    return ProcessInstance.objects.values_list("status", flat=True).get()


def _pool(number: int) -> Callable[[], None]:
    def run() -> None:
        pool = HandlerPool(f"pool-{number}", threads=_THREADS, lease_ms=60_000)
        try:
            while _status() == "RUNNING":
                pool.fill()
                pool.vacated.wait(0.01)
        finally:
            pool.drain(60)

    return run


def _worker(number: int) -> Callable[[], None]:
    def run() -> None:
        while _status() == "RUNNING":
            with suppress(Busy):
                for task in engine.fetch_and_lock(f"w{number}", topics=["t"], max_tasks=3, lock_ms=60_000):
                    _complete(task, f"w{number}")

    return run


def _complete(task: dict[str, Any], worker: str) -> None:
    while True:
        with suppress(Busy):
            engine.complete_external_task(task["task_id"], worker=worker, lease=task["lease_id"])
            return


def _assert_once(done: Counter[Any], number: int) -> None:
    assert len(done) == number
    assert set(done.values()) == {1}
    assert set(Job.objects.values_list("status", "attempts", "crashes")) == {("COMPLETED", 1, 0)}
    assert not Incident.objects.exists()
    failed = ("JobFailed", "ExternalTaskFailed", "TokenRecovered", "TokenFailed")
    assert not HistoryEvent.objects.filter(event_type__in=failed).exists()


def _deploy(text: str) -> None:
    """Deploy a model of which each plain task is one for the handler."""
    plain = rb'<task id="(\w+)"></task>'
    engine.deploy(
        [("p.bpmn", re.sub(plain, rb'<serviceTask id="\1" camunda:class="effect"/>', tree_xml(text)))]
    )


def test_pools_and_workers_at_one_multi_instance_do_everything_once(done: Counter[Any]) -> None:
    _deploy("""
        start s -> each
        sub each items="${list}" item=item -> e
          start is -> h
          task h -> x
          external x topic=t -> ie
          end ie
        end e
    """)
    engine.start("p", variables={"list": list(range(_ITEMS))})
    outcomes = race([*map(_pool, range(_POOLS)), *map(_worker, range(_WORKERS))])
    assert outcomes == [None] * (_POOLS + _WORKERS)
    assert _status() == "COMPLETED"
    _assert_once(done, _ITEMS)
    assert set(ExternalTask.objects.values_list("status", "lease", "failures")) == {("COMPLETED", 1, 0)}


def test_conflicts_at_a_join_repeat_no_handler(done: Counter[Any]) -> None:
    names = [f"h{number}" for number in range(10)]
    lines = ["start s -> f", f"par f -> {', '.join(names)}", *(f"task {name} -> j" for name in names)]
    _deploy("\n".join([*lines, "par j -> u", "user u -> e", "end e"]))
    instance = str(engine.start("p")["instance_id"])
    over = threading.Event()

    def conflict() -> None:
        number = 0
        while not over.is_set():
            number += 1
            with suppress(Busy):
                engine.set_variables(instance, variables={"n": number})

    def wait() -> None:
        try:
            pool = HandlerPool("pool", threads=6, lease_ms=60_000)
            while not HistoryEvent.objects.filter(event_type="JoinFired").exists():
                pool.fill()
                pool.vacated.wait(0.01)
            pool.drain(60)
        finally:
            over.set()

    assert race([conflict, conflict, wait]) == [None] * 3
    _assert_once(done, len(names))
    assert HistoryEvent.objects.filter(event_type="JoinFired").count() == 1
