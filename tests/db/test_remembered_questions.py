"""What a remembered decision depends on: what is different is decided anew (semantics §10)."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from bpm import engine, handlers
from bpm.core.errors import LeaseConflict
from bpm.models import ExternalTask, Timer, UserTask
from tests.support.believing import (
    believing,
    deploy,
    known_work,
    leave_work,
    open_task,
    sound,
    start,
    used,
    values,
)
from tests.support.loop_models import process, service

pytestmark = [
    pytest.mark.postgresql,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("timely"),
]


@pytest.fixture(autouse=True)
def _empty() -> Iterator[None]:
    """Begin with nothing known, and believe what is remembered."""
    with believing():
        yield


def test_which_of_two_tasks_is_completed_decides() -> None:
    deploy("start s -> f\npar f -> a, b\nuser a -> j\nuser b -> j\npar j -> e\nend e")

    def complete(instance: str, node: str) -> None:
        engine.complete_task(str(UserTask.objects.get(instance__id=instance, node=node).pk))

    for order in ("ab", "ba", "ab", "ba"):
        instance = start()
        for number, node in enumerate(order, 1):
            complete(instance, node)
            done = UserTask.objects.filter(instance__id=instance, status="COMPLETED")
            assert sorted(done.values_list("node", flat=True)) == sorted(order[:number])
        sound(instance)


def test_who_completes_a_task_decides() -> None:
    leased = known_work()
    for worker, number in (("v", leased["lease_id"]), ("w", leased["lease_id"] + 1)):
        with pytest.raises(LeaseConflict):
            engine.complete_external_task(leased["task_id"], worker=worker, lease=number)
    engine.complete_external_task(leased["task_id"], worker="w", lease=leased["lease_id"])
    sound(str(leased["instance_id"]))


def test_which_results_there_are_decides() -> None:
    deploy("start s -> a\nuser a -> b\nuser b -> e\nend e")
    for results in ({"x": 1}, {"x": 2}, {"y": 3}, {"y": 4}, {}, {"x": 5, "y": 6}, {"y": 7, "x": 8}):
        instance = start()
        engine.complete_task(open_task(instance), variables=results)
        assert values(instance) == {name: str(value) for name, value in results.items()}
        sound(instance)


def test_whether_a_lease_has_run_out_decides() -> None:
    leased = known_work(lock_ms=1)
    time.sleep(0.05)
    with pytest.raises(LeaseConflict):
        engine.complete_external_task(leased["task_id"], worker="w", lease=leased["lease_id"])
    leave_work()
    sound(str(leased["instance_id"]))


def test_a_value_that_decides_is_looked_at_each_time() -> None:
    deploy(
        "start s -> a\nuser a -> x\nxor x -> big [n > 10], small [else]\nuser big -> e\nuser small -> e\nend e"
    )
    for number in (5, 50, 7, 70):
        instance = start()
        task = open_task(instance)
        engine.complete_task(task, variables={"n": number})
        node = UserTask.objects.get(instance__id=instance, status="OPEN").node
        assert node == ("big" if number > 10 else "small")
        sound(instance)


def test_an_expression_without_variables_is_evaluated_each_time() -> None:
    deploy(
        "start s -> x\nxor x -> a [execution.processBusinessKey == 'k'], b [else]\n"
        "user a -> e\nuser b -> e\nend e"
    )
    for key in ("i", "j", "k", "l"):
        instance = str(engine.start("p", business_key=key)["instance_id"])
        node = UserTask.objects.get(instance__id=instance).node
        assert node == ("a" if key == "k" else "b")
        sound(instance)


def test_a_time_made_of_the_clock_is_made_each_time() -> None:
    deploy("start s -> a\nuser a -> t\ntimer t duration=PT1H -> e\nend e")
    due = set()
    for _ in range(3):
        instance = start()
        task = open_task(instance)
        engine.complete_task(task)
        row = Timer.objects.get(instance__id=instance)
        assert 3_590 < (row.due_at - row.created_at).total_seconds() < 3_610
        due.add(row.due_at)
        sound(instance)
    assert len(due) == 3


def test_a_value_that_is_there_already_changes_no_row() -> None:
    deploy("start s -> a\nuser a -> b\nuser b -> e\nend e")
    for old, new in ((1, 1), (1, 2), (2, 2), ("1", 1), (1, 1)):
        instance = start(v=old)
        engine.complete_task(open_task(instance), variables={"v": new})
        assert values(instance) == {"v": str(new)}
        sound(instance)


def test_a_handler_that_is_registered_later_is_found() -> None:
    engine.deploy([("p.bpmn", process("p", service("late")))])
    start()
    assert used(start) == 1
    assert used(start) == 1
    assert ExternalTask.objects.count() == 3
    handlers._registered["service", "late"] = lambda work: {}
    try:
        assert used(start) == 0
        assert ExternalTask.objects.count() == 3
    finally:
        del handlers._registered["service", "late"]
