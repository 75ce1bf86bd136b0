"""What is remembered of decisions, what is not, and what becomes of what is wrong (semantics §10)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from django.test import override_settings

from bpm import engine
from bpm.core.commands import CompleteExternalTask
from bpm.core.errors import LeaseConflict
from bpm.models import HistoryEvent, ProcessInstance, UserTask
from bpm.queries.variables import process_variables
from bpm.shell.remembering.memory import memory
from tests.support.believing import (
    believing,
    deploy,
    known_work,
    leave_work,
    open_task,
    sound,
    start,
    used,
)
from tests.support.model import parse_model
from tests.support.model_xml import write_xml
from tests.support.tree_model import tree_xml

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


def test_what_was_done_once_is_known_for_other_values() -> None:
    deploy("start s -> f\npar f -> a, b\nuser a -> j\nexternal b topic=x -> j\npar j -> e\nend e")

    def run(value: Any) -> str:
        instance = str(
            engine.start("p", business_key=f"key {value}"[:200], variables={"v": value})["instance_id"]
        )
        engine.complete_task(open_task(instance), variables={"w": value})
        assert leave_work(v=value, u=None) == instance
        return instance

    first = run("one")
    hard = 'a "quoted" \\ %s %d @@0@@ ü\n\t'
    others = [hard, 17, 1.5, True, {"k": [hard, None]}, "x" * 1_000, "00000000-0000-7000-8000-000000000001"]
    instances = []
    for value in others:
        assert used(lambda value=value: instances.append(run(value))) == 4, (
            "start, lease, and two completions"
        )
    for instance, value in zip(instances, others, strict=True):
        row = ProcessInstance.objects.get(pk=instance)
        assert (row.status, row.business_key) == ("COMPLETED", f"key {value}"[:200])
        assert process_variables(UUID(instance)) == {"v": value, "w": value, "u": None}
    sound(first, *instances)


def test_one_list_may_do_both() -> None:
    deploy("start s -> a\nexternal a topic=x -> b\nuser b -> e\nend e")
    other = "start s -> a\nexternal a topic=x -> x\nxor x -> b [n > 1], e [else]\nuser b -> e\nend e"
    deploy(other, "q")
    for _ in range(3):
        starts = [engine.Start(process=key, variables={"n": n}) for n in (1, 2) for key in ("p", "q")]
        told = engine.start_many(starts)
        instances = [str(one["instance_id"]) for one in told if isinstance(one, dict)]
        leased = engine.fetch_and_lock("w", topics=["x"], max_tasks=10, lock_ms=60_000)
        items = [{"task_id": one["task_id"], "worker": "w", "lease": one["lease_id"]} for one in leased]
        outcomes = engine.complete_external_tasks(items)
        assert [one["status"] for one in outcomes if isinstance(one, dict)].count("COMPLETED") == 1
        sound(*instances)


def test_what_is_counted_by_the_history_is_counted_each_time() -> None:
    tree = """
        start s -> a
        user a undo=ha -> b
        user ha
        user b undo=hb -> c
        user hb
        user c -> t
        throw t compensate -> e
        end e
    """
    engine.deploy([("p.bpmn", tree_xml(tree))])
    instances = [start(x=0) for _ in range(3)]
    for number, instance in enumerate(instances):
        for turn in range(1 if number else 20):
            engine.set_variables(instance, variables={"x": turn})
        for _ in range(3):
            engine.complete_task(open_task(instance))
        assert UserTask.objects.get(instance__id=instance, status="OPEN").node == "hb", (
            "undone in reverse order"
        )
    sound(*instances)


@pytest.mark.parametrize(
    "text", ["@@0@@", "00000000-0000-7000-8000-000000000001", "5000-01-01T00:00:00+00:00"]
)
def test_a_text_that_looks_like_what_stands_for_another_is_a_text(text: str) -> None:
    deploy("start s -> a\nuser a -> b\nuser b -> e\nend e")
    for value in (text, "one", text, "two"):
        instance = str(engine.start("p", business_key=value, variables={text: value})["instance_id"])
        engine.claim_task(open_task(instance), user=text)
        engine.complete_task(open_task(instance), variables={"v": value}, actor=text)
        row = UserTask.objects.get(instance__id=instance, node="a")
        assert (row.assignee, ProcessInstance.objects.get(pk=instance).business_key) == (text, value)
        assert process_variables(UUID(instance)) == {text: value, "v": value}
        sound(instance)


def test_a_node_may_be_called_by_an_id() -> None:
    model = write_xml(parse_model("start s -> f\npar f -> a, b\nuser a -> j\nuser b -> j\npar j -> e\nend e"))
    engine.deploy([("p.bpmn", model.replace(b'"f"', b'"n01a22b74-a22c-7000-8000-0c1bf0b3ad25"'))])
    for _ in range(3):
        instance = start()
        for task in (
            UserTask.objects.filter(instance__id=instance).order_by("node").values_list("pk", flat=True)
        ):
            engine.complete_task(str(task))
        sound(instance)
    assert used(start) == 1


def test_what_is_over_does_not_count() -> None:
    deploy(
        "start s -> m\nxor m -> a\nuser a -> c\nxor c -> m [x == 1], b [else]\nuser b -> d\nuser d -> e\nend e"
    )
    instance = start(x=1)
    for turn in range(60):
        engine.complete_task(open_task(instance), variables={"x": int(turn < 59)})
    for _ in range(2):
        engine.complete_task(open_task(instance))
    sound(instance)


def test_what_is_wrong_is_forgotten_and_never_written() -> None:
    deploy("start s -> a\nuser a -> e\nend e")
    first, second = start(), start()
    (asked,) = memory._decisions
    known = memory._decisions[asked]
    assert known is not None
    memory._decisions[asked] = replace(known, events=known.events[:-1])
    memory.doubted = 1
    third = start()
    assert memory.wrong == 1
    memory.wrong = 0
    assert memory._decisions[asked] is None
    numbers = [HistoryEvent.objects.filter(instance__id=one).count() for one in (first, second, third)]
    assert len(set(numbers)) == 1
    sound(first, second, third)


def test_what_is_remembered_of_a_command_that_is_refused_is_forgotten() -> None:
    leased = known_work()
    (asked,) = [one for one in memory._decisions if "w" in one.asked and CompleteExternalTask in one.asked]
    by_another = asked._replace(asked=tuple("v" if one == "w" else one for one in asked.asked))
    memory.keep(by_another, memory._decisions[asked])
    memory.doubted = 1
    with pytest.raises(LeaseConflict):
        engine.complete_external_task(leased["task_id"], worker="v", lease=leased["lease_id"])
    assert memory.wrong == 1
    memory.wrong = 0
    assert memory._decisions[by_another] is None
    sound(str(leased["instance_id"]))


def test_no_more_is_remembered_than_allowed() -> None:
    for number in range(6):
        deploy(f"start s -> a{number}\nuser a{number} -> e\nend e", f"p{number}")
    with override_settings(BPM={"REMEMBERED_DECISIONS": 3}):
        for number in range(6):
            engine.start(f"p{number}")
            assert len(memory) <= 3
    memory.clear()
    with override_settings(BPM={"REMEMBERED_DECISIONS": 0}):
        assert used(lambda: [engine.start("p1") for _ in range(3)]) == 0
    assert len(memory) == 0


def test_a_definition_whose_instances_never_stand_alike_is_left_alone_for_a_while() -> None:
    looks = [memory.worth_a_look("d") for _ in range(2_300)]
    assert looks[:200] == [True] * 200
    assert not any(looks[200:2_198])
    assert looks[-1]


def test_a_forked_process_knows_nothing_and_waits_for_no_lock() -> None:
    deploy("start s -> a\nuser a -> e\nend e")
    start()
    assert len(memory) == 1
    with memory._lock:
        child = os.fork()
        if child == 0:
            os._exit(0 if len(memory) == 0 and memory._lock.acquire(blocking=False) else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
