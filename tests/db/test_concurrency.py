"""What happens at the same time has one winner, and the loser gets the documented answer (semantics §11)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction

from bpm import engine
from bpm.bench.crowd import Crowd, run_crowd
from bpm.core.commands import CompleteUserTask
from bpm.core.errors import Busy, InstanceEnded, LeaseConflict, TaskClosed
from bpm.models import Definition, ExternalTask, HistoryEvent, ProcessInstance, UserTask
from bpm.shell.execute import execute_many
from bpm.shell.outcome import Done
from bpm.shell.requests import Request
from tests.support.model import parse_model
from tests.support.model_xml import write_xml
from tests.support.racing import answers, race, refusals
from tests.support.statements import executed

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]
LEASE_MS = 600_000
ROUNDS = 5
HELD_S = 50


@pytest.fixture(autouse=True)
def _no_deadlocks(transactional_db: None) -> Iterator[None]:
    before = deadlocks()
    yield
    assert deadlocks() == before, "the server had to break a deadlock"


def deadlocks() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        return int(cursor.fetchone()[0])


def deploy(text: str, key: str = "p") -> None:
    engine.deploy([(f"{key}.bpmn", write_xml(parse_model(text, key)))])


def start(key: str = "p") -> str:
    return str(engine.start(key)["instance_id"])


def fork(width: int, kind: str = "user") -> str:
    names = [f"b{number}" for number in range(width)]
    lines = ["start s -> f", f"par f -> {', '.join(names)}"]
    lines += [f"{kind} {name}{' topic=t' if kind == 'external' else ''} -> j" for name in names]
    return "\n".join([*lines, "par j -> e", "end e"])


def user_tasks(instance: str) -> list[str]:
    rows = UserTask.objects.filter(instance=UUID(instance), status="OPEN").order_by("id")
    return [str(task) for task in rows.values_list("id", flat=True)]


def count(event_type: str) -> int:
    return HistoryEvent.objects.filter(event_type=event_type).count()


def status(instance: str) -> str:
    return ProcessInstance.objects.get(pk=instance).status


def fetch(worker: str, number: int = 1) -> list[dict[str, Any]]:
    return engine.fetch_and_lock(worker, topics=["t"], max_tasks=number, lock_ms=LEASE_MS)


# joins


def test_fifty_completions_at_once_fire_their_join_once() -> None:
    deploy(fork(50))
    instance = start()
    calls = [partial(engine.complete_task, task) for task in user_tasks(instance)]
    assert refusals(race(calls, retried=True)) == []
    assert (count("JoinFired"), count("JoinArrived"), status(instance)) == (1, 50, "COMPLETED")


def test_three_parallel_user_tasks_are_completed_at_once_without_a_refusal() -> None:
    deploy(fork(3))
    for _ in range(ROUNDS):
        instance = start()
        outcomes = race([partial(engine.complete_task, task) for task in user_tasks(instance)])
        assert refusals(outcomes) == []
        assert status(instance) == "COMPLETED"


# one task


def test_a_user_task_completed_twice_at_once_has_one_winner() -> None:
    deploy("start s -> u\nuser u -> e\nend e")
    for _ in range(ROUNDS):
        (task,) = user_tasks(start())
        outcomes = race([partial(engine.complete_task, task)] * 2)
        assert len(answers(outcomes)) == 1
        assert [type(loser) for loser in refusals(outcomes)] == [TaskClosed]
    assert count("UserTaskCompleted") == ROUNDS


def test_an_external_task_completed_twice_at_once_with_different_results_has_one_winner() -> None:
    deploy("start s -> x\nexternal x topic=t -> e\nend e")
    for _ in range(ROUNDS):
        start()
        (task,) = fetch("w")
        complete = partial(engine.complete_external_task, task["task_id"], worker="w", lease=task["lease_id"])
        outcomes = race([partial(complete, variables={"result": number}) for number in range(2)])
        assert len(answers(outcomes)) == 1
        (loser,) = refusals(outcomes)
        assert isinstance(loser, LeaseConflict)
        assert loser.invariant == "ExternalTaskLeaseConflict"
    assert count("ExternalTaskCompleted") == ROUNDS


def test_the_same_completion_twice_at_once_is_done_once_and_answered_twice() -> None:
    deploy("start s -> x\nexternal x topic=t -> e\nend e")
    start()
    (task,) = fetch("w")
    complete = partial(engine.complete_external_task, task["task_id"], worker="w", lease=task["lease_id"])
    outcomes = race([complete] * 4, retried=True)
    assert refusals(outcomes) == []
    assert count("ExternalTaskCompleted") == 1


# completing against something else


def test_completing_against_cancelling_has_one_winner() -> None:
    deploy("start s -> u\nuser u -> e\nend e")
    for _ in range(ROUNDS):
        instance = start()
        (task,) = user_tasks(instance)
        completed, cancelled = race([partial(engine.complete_task, task), partial(engine.cancel, instance)])
        if isinstance(completed, Exception):
            assert isinstance(completed, TaskClosed)
            assert (type(cancelled), status(instance)) == (dict, "CANCELLED")
        else:
            assert isinstance(cancelled, InstanceEnded)
            assert status(instance) == "COMPLETED"


def test_fetching_against_completing_gives_the_other_task_of_the_instance() -> None:
    deploy(fork(2, "external"))
    for _ in range(ROUNDS):
        instance = start()
        (held,) = fetch("a")
        complete = partial(engine.complete_external_task, held["task_id"], worker="a", lease=held["lease_id"])
        done, fetched = race([complete, partial(fetch, "b", 2)])
        assert isinstance(done, dict)
        assert [task["instance_id"] for task in fetched] == [instance]
        assert fetched[0]["task_id"] != held["task_id"]
        engine.complete_external_task(fetched[0]["task_id"], worker="b", lease=fetched[0]["lease_id"])
        assert status(instance) == "COMPLETED"


def test_a_lease_that_is_given_back_while_it_is_used_has_one_winner() -> None:
    deploy("start s -> x\nexternal x topic=t -> e\nend e")
    for _ in range(ROUNDS):
        instance = start()
        (task,) = fetch("a")
        complete = partial(engine.complete_external_task, task["task_id"], worker="a", lease=task["lease_id"])
        done, given_back = race([complete, partial(engine.unlock_external_task, task["task_id"], worker="a")])
        assert isinstance(done, dict) != isinstance(given_back, dict)
        assert (status(instance) == "COMPLETED") == isinstance(done, dict)
        for again in fetch("b", 10):
            engine.complete_external_task(again["task_id"], worker="b", lease=again["lease_id"])
        assert status(instance) == "COMPLETED"


def test_workers_that_fetch_at_once_get_different_tasks() -> None:
    deploy("start s -> x\nexternal x topic=t -> e\nend e")
    for _ in range(40):
        start()
    outcomes = race([partial(fetch, f"w{number}", 5) for number in range(8)])
    assert refusals(outcomes) == []
    leased = [task["task_id"] for tasks in outcomes for task in tasks]
    assert len(leased) == len(set(leased)) == 40


# batches


def test_a_batch_against_single_commands_completes_each_task_once() -> None:
    deploy("start s -> u\nuser u -> e\nend e")
    for _ in range(ROUNDS):
        tasks = [task for _ in range(20) for task in user_tasks(start())]
        requests = [Request(CompleteUserTask(task=task), "") for task in tasks]
        singles = [partial(engine.complete_task, task) for task in tasks[::5]]
        batch, *others = race([partial(execute_many, requests), *singles], retried=True)
        won = {task for task, outcome in zip(tasks, batch, strict=True) if isinstance(outcome, Done)}
        lost = {type(outcome) for outcome in batch if not isinstance(outcome, Done)}
        alone = {task for task, outcome in zip(tasks[::5], others, strict=True) if isinstance(outcome, dict)}
        assert won.isdisjoint(alone)
        assert won | alone == set(tasks)
        assert lost | {type(outcome) for outcome in refusals(others)} <= {TaskClosed}
    assert count("UserTaskCompleted") == 20 * ROUNDS


def test_batches_in_opposite_order_do_not_block_each_other_for_good() -> None:
    deploy("start s -> u\nuser u -> e\nend e")
    tasks = [task for _ in range(30) for task in user_tasks(start())]
    requests = [Request(CompleteUserTask(task=task), "") for task in tasks]
    one, other = race([partial(execute_many, requests), partial(execute_many, requests[::-1])])
    done = [isinstance(outcome, Done) for outcome in one]
    done_by_other = [isinstance(outcome, Done) for outcome in other[::-1]]
    assert all(a != b for a, b in zip(done, done_by_other, strict=True))


# definitions and keys


def test_starting_while_a_version_is_deployed_takes_one_of_the_versions() -> None:
    deploy("start s -> u\nuser u -> e\nend e")
    newer = partial(deploy, "start s -> v\nuser v -> e\nend e")
    deployed, *started = race([newer, *[start] * 12])
    assert deployed is None
    assert refusals(started) == []
    used = ProcessInstance.objects.values_list("definition__version", flat=True)
    assert len(used) == 12
    assert set(used) <= {1, 2}


def test_deploying_the_same_file_at_once_makes_one_version() -> None:
    assert refusals(race([partial(deploy, "start s -> e\nend e")] * 6, retried=True)) == []
    assert list(Definition.objects.values_list("version", flat=True)) == [1]


def test_ten_starts_at_once_with_one_key_start_one_instance() -> None:
    deploy("start s -> u\nuser u -> e\nend e")
    key = engine.Idempotency("tester", "order-17", "f" * 64)
    outcomes = race([partial(engine.start, "p", key=key)] * 10, retried=True)
    assert refusals(outcomes) == []
    assert len({answer["instance_id"] for answer in outcomes}) == 1
    assert ProcessInstance.objects.count() == 1


# waiting


def test_a_command_whose_instance_stays_locked_is_refused_after_the_lock_time_out() -> None:
    deploy("start s -> u\nuser u -> e\nend e")
    instance = start()
    (task,) = user_tasks(instance)
    locked, done = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            ProcessInstance.objects.select_for_update().get(pk=instance)
            locked.set()
            assert done.wait(HELD_S)

    def complete() -> float:
        assert locked.wait(HELD_S)
        begun = time.monotonic()
        with pytest.raises(Busy):
            engine.complete_task(task)
        waited = time.monotonic() - begun
        done.set()
        return waited

    held, waited = race([hold, complete], patient=False)
    assert held is None, "it was refused while the instance was still locked"
    assert 0.9 < waited < 30
    engine.complete_task(task)
    assert status(instance) == "COMPLETED"


def test_lost_races_are_tried_again_only_so_often() -> None:
    deploy("start s -> u\nuser u -> e\nend e")
    instance = start()
    (task,) = user_tasks(instance)
    done = threading.Event()

    def hammer() -> None:
        number = 0
        while not done.is_set():
            number += 1
            engine.set_variables(instance, variables={"n": number})

    def complete() -> list[str]:
        with executed() as found:
            engine.complete_task(task)
        done.set()
        return found.statements

    hammered, statements = race([hammer, complete], retried=True)
    assert hammered is None or isinstance(hammered, InstanceEnded)
    # Three times read and write without a lock, then lock, read and write.
    assert len(statements) <= 3 * 2 + 3
    assert status(instance) == "COMPLETED"


# a crowd of workers


def crowd(shape: str, tasks: int, batch: int) -> Crowd:
    found = run_crowd(shape, tasks=tasks, workers=8, batch=batch, note=lambda text: None)
    assert found.refused == 0
    assert ExternalTask.objects.filter(status="COMPLETED").count() == tasks
    assert count("ExternalTaskCompleted") == count("ExternalTaskLocked") == tasks
    assert set(ProcessInstance.objects.values_list("status", flat=True)) == {"COMPLETED"}
    return found


def test_eight_workers_complete_every_task_once() -> None:
    crowd("instances", 2_000, 20)


def test_eight_workers_share_the_tasks_of_one_instance() -> None:
    crowd("one instance", 400, 10)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("shape", ["instances", "one instance"])
def test_eight_workers_complete_ten_thousand_tasks_once(shape: str) -> None:
    crowd(shape, 10_000, 20)
