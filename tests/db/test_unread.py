"""Commands that read nothing write only what is true (semantics §11)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection, transaction

from bpm import engine
from bpm.core.errors import (
    DefinitionNotFound,
    EngineError,
    InstanceEnded,
    NotStartable,
    Suspended,
    TaskClosed,
    TaskNotFound,
)
from bpm.models import Definition, ExternalTask, HistoryEvent, ProcessInstance, UserTask, Variable
from bpm.shell.database_clock import database_now
from bpm.shell.kept_sets import kept_sets
from bpm.shell.running_clock import running_clock
from bpm.shell.sql import Dialect, Needs
from bpm.shell.sql.dialect import Rows
from bpm.shell.sql.writing import TIMELY_MS
from bpm.shell.verifying import verify_instances
from tests.support.bpmn_text import bpmn, flows
from tests.support.kept import another_process, forget_all, kept_differences, know_the_time, look
from tests.support.loop_models import deploy, external, process
from tests.support.racing import PATIENCE_S, answers, race, refusals
from tests.support.statements import executed
from tests.support.stored import read_state

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]

TWO = process("two", "<userTask ID/>", "<userTask ID/>")
TIMELY = timedelta(milliseconds=TIMELY_MS)
WORK = process("work", external("t"), external("t"))


def begin(key: str = "two", **variables: object) -> str:
    """Start an instance as a process does that has started one before and knows the time."""
    engine.start(key, variables=variables)
    know_the_time()
    return str(engine.start(key, variables=variables)["instance_id"])


def task(instance: str) -> str:
    return str(UserTask.objects.get(instance__id=instance, status="OPEN").pk)


def number(act: Callable[[], object]) -> int:
    """Return the statements of a call."""
    with executed() as found:
        act()
    return len(found.statements)


def sound(instance: str) -> None:
    state = read_state(instance)
    assert state is not None
    assert kept_differences(state) == []
    (verified,) = verify_instances([instance])
    assert verified.findings == []


@pytest.mark.usefixtures("timely")
def test_one_statement_starts_and_one_completes() -> None:
    deploy(TWO)
    engine.start("two")
    know_the_time()
    assert number(lambda: engine.start("two")) == 1
    instance = str(ProcessInstance.objects.latest("started_at").pk)
    first = task(instance)
    assert number(lambda: engine.complete_task(first)) == 1
    second = task(instance)
    assert number(lambda: engine.complete_task(second, variables={"x": 1})) == 1
    assert ProcessInstance.objects.get(pk=instance).status == "COMPLETED"
    sound(instance)


@pytest.mark.usefixtures("timely")
def test_fetching_and_completing_work_takes_three_statements() -> None:
    deploy(WORK)
    instance = begin("work")
    ExternalTask.objects.exclude(instance__id=instance).update(topic="other")

    def work() -> None:
        (leased,) = engine.fetch_and_lock("w", topics=["t"], max_tasks=1, lock_ms=60_000)
        assert leased["instance_id"] == instance
        engine.complete_external_task(leased["task_id"], worker="w", lease=leased["lease_id"])

    assert number(work) == 3
    sound(instance)


def test_what_somebody_else_did_meanwhile_is_read() -> None:
    deploy(TWO)
    instance = begin()
    first = task(instance)
    with another_process():
        engine.complete_task(first, actor="other")
        engine.set_variables(instance, variables={"x": "theirs"})
    assert look(instance) is not None, "what is kept is old now"
    with pytest.raises(TaskClosed):
        engine.complete_task(first, actor="me")
    second = task(instance)
    engine.complete_task(second, actor="me")
    assert ProcessInstance.objects.get(pk=instance).status == "COMPLETED"
    done = HistoryEvent.objects.filter(instance__id=instance, event_type="UserTaskCompleted")
    assert list(done.order_by("sequence").values_list("actor", flat=True)) == ["other", "me"]
    sound(instance)


def test_a_refusal_is_not_taken_from_what_is_old() -> None:
    deploy(TWO)
    instance = begin()
    engine.suspend(instance)
    with another_process():
        engine.activate(instance)
    kept = look(instance)
    assert kept is not None
    assert kept.instance.status == "SUSPENDED"
    engine.complete_task(task(instance))
    sound(instance)


def test_an_instance_that_another_process_has_ended_is_ended() -> None:
    deploy(TWO)
    instance = begin()
    first = task(instance)
    with another_process():
        engine.cancel(instance)
    with pytest.raises((InstanceEnded, TaskClosed)):
        engine.complete_task(first)
    sound(instance)


def test_a_list_finds_out_by_the_revision() -> None:
    deploy(WORK)
    instances = [begin("work") for _ in range(3)]
    leased = engine.fetch_and_lock("w", topics=["t"], max_tasks=10, lock_ms=60_000)
    items = [{"task_id": one["task_id"], "worker": "w", "lease": one["lease_id"]} for one in leased]
    assert all(look(one["instance_id"]) is not None for one in leased)
    with another_process():
        engine.cancel(instances[1])
    outcomes = engine.complete_external_tasks(items)
    refused = [one for one in outcomes if isinstance(one, EngineError)]
    assert len(refused) == 1
    assert len(outcomes) == len(leased)
    for one in instances:
        sound(one)


def test_a_list_of_which_all_is_known_only_locks_and_writes() -> None:
    deploy(WORK)
    engine.start_many([engine.Start(process="work")] * 5)
    leased = engine.fetch_and_lock("w", topics=["t"], max_tasks=5, lock_ms=60_000)
    items = [{"task_id": one["task_id"], "worker": "w", "lease": one["lease_id"]} for one in leased]
    assert number(lambda: engine.complete_external_tasks(items)) == 2
    for one in leased:
        sound(one["instance_id"])


def test_a_newer_version_is_started_as_soon_as_it_is_there() -> None:
    deploy(TWO)
    begin()
    with another_process():
        deploy(process("two", "<userTask ID/>"))
    know_the_time()
    assert engine.start("two")["version"] == 2
    assert engine.start("two", version=1)["version"] == 1


@pytest.mark.parametrize("named", ["key", "version", "id"])
def test_a_version_that_another_process_has_suspended_cannot_be_started(named: str) -> None:
    deploy(TWO)
    definition = str(Definition.objects.get().pk)
    process_name, version = {"key": ("two", None), "version": ("two", 1), "id": (definition, None)}[named]
    engine.start(process_name, version=version)
    with another_process():
        engine.suspend_definition(definition)
    know_the_time()
    with pytest.raises(NotStartable):
        engine.start(process_name, version=version)
    assert ProcessInstance.objects.count() == 1
    with another_process():
        engine.activate_definition(definition)
    engine.start(process_name, version=version)


def test_a_version_that_another_process_has_deleted_cannot_be_started() -> None:
    deploy(TWO)
    engine.cancel(begin())
    with another_process():
        engine.delete_definition(str(Definition.objects.get().pk), cascade=True)
    know_the_time()
    with pytest.raises(DefinitionNotFound):
        engine.start("two")


@pytest.mark.parametrize("off", [timedelta(seconds=30), -timedelta(seconds=30), timedelta(milliseconds=50)])
def test_a_clock_that_does_not_agree_with_the_databases_is_not_used(off: timedelta) -> None:
    deploy(TWO)
    instance = begin()
    before = database_now()
    running_clock.forget()
    running_clock.note(before + off)
    engine.complete_task(task(instance))
    running_clock.forget()
    running_clock.note(before + off)
    other = engine.start("two")["instance_id"]
    after = database_now()
    for one, first in ((instance, "UserTaskCompleted"), (other, "InstanceStarted")):
        event = HistoryEvent.objects.get(instance__id=one, event_type=first)
        assert before - TIMELY <= event.occurred_at <= after


@pytest.mark.usefixtures("timely")
def test_the_time_is_the_databases() -> None:
    deploy(TWO)
    instance = begin()
    before = database_now()
    know_the_time()
    with executed() as found:
        engine.complete_task(task(instance))
    after = database_now()
    assert not any("bpm_usertask x WHERE" in text for text in found.statements), "it was not read"
    event = HistoryEvent.objects.get(instance__id=instance, event_type="UserTaskCompleted")
    assert before <= event.occurred_at <= after


def test_what_is_rolled_back_is_not_kept() -> None:
    deploy(TWO)
    instance = begin()
    first = task(instance)
    with transaction.atomic():
        engine.complete_task(first)
        transaction.set_rollback(True)
    assert look(instance) is None
    engine.complete_task(first)
    assert UserTask.objects.filter(instance__id=instance).count() == 2
    sound(instance)


def test_what_a_caller_does_to_its_values_afterwards_changes_nothing() -> None:
    deploy(TWO)
    items = [1]
    engine.start("two", variables={"items": items})
    know_the_time()
    instance = str(engine.start("two", variables={"items": items})["instance_id"])
    items.append(2)
    assert look(instance) is not None
    engine.complete_task(task(instance))
    sound(instance)
    assert Variable.objects.get(instance__id=instance, name="items").value == "[1]"


def test_another_tenants_caller_is_told_nothing() -> None:
    deploy(TWO)
    first = task(begin())
    with pytest.raises(TaskNotFound):
        engine.complete_task(first, tenant="other")
    engine.complete_task(first)


def test_nothing_is_known_to_a_process_that_has_just_begun() -> None:
    deploy(TWO)
    instance = begin()
    first = task(instance)
    forget_all()
    assert len(kept_sets) == 0
    assert number(lambda: engine.complete_task(first)) == 2
    sound(instance)


def test_a_connection_that_is_lost_loses_nothing() -> None:
    deploy(TWO)
    instance = begin()
    first = task(instance)
    connection.close()
    engine.complete_task(first)
    sound(instance)


def test_threads_that_fetch_one_by_one_and_complete_share_the_work() -> None:
    """Nobody is told that there is nothing while there is, and each task is leased and completed once."""
    deploy(process("many", external("t")))
    engine.start_many([engine.Start(process="many")] * 80)

    def work(name: str) -> list[str]:
        done = []
        while leased := engine.fetch_and_lock(name, topics=["t"], max_tasks=1, lock_ms=60_000):
            (one,) = leased
            engine.complete_external_task(one["task_id"], worker=name, lease=one["lease_id"])
            done.append(one["task_id"])
        return done

    shares = race([partial(work, f"w{number}") for number in range(4)])
    assert [type(share) for share in shares] == [list] * 4, shares
    every = [done for share in shares for done in share]
    assert sorted(every) == sorted(map(str, ExternalTask.objects.values_list("id", flat=True)))
    assert set(ProcessInstance.objects.values_list("status", flat=True)) == {"COMPLETED"}
    kinds = HistoryEvent.objects.filter(event_type__in=["ExternalTaskLocked", "ExternalTaskCompleted"])
    assert kinds.count() == 160


def test_threads_of_one_process_complete_a_task_once() -> None:
    deploy(TWO)
    for _ in range(20):
        instance = begin()
        first = task(instance)
        outcomes = race([partial(engine.complete_task, first, actor=f"a{number}") for number in range(3)])
        assert len(answers(outcomes)) == 1, outcomes
        assert all(isinstance(one, TaskClosed) for one in refusals(outcomes)), outcomes
        done = HistoryEvent.objects.filter(instance__id=instance, event_type="UserTaskCompleted")
        assert done.count() == 1
        sound(instance)


def test_a_single_fetch_passes_over_a_busy_instance() -> None:
    deploy(WORK)
    first, *_ = [str(engine.start("work")["instance_id"]) for _ in range(5)]
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            engine.set_variables(first, variables={"x": 1})
            held.set()
            assert done.wait(PATIENCE_S)

    def fetch() -> list[str]:
        assert held.wait(PATIENCE_S)
        try:
            leased = engine.fetch_and_lock("w", topics=["t"], max_tasks=1, lock_ms=60_000)
        finally:
            still_busy = not done.is_set()
            done.set()
        assert still_busy
        return [one["instance_id"] for one in leased]

    held_until_then, fetched = race([hold, fetch])
    assert held_until_then is None
    assert isinstance(fetched, list), fetched
    assert len(fetched) == 1
    assert fetched != [first]


def test_what_two_statements_have_read_freezes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A suspension between them makes tokens and joins that do not fit together; under the lock it is a refusal."""
    fork = '<parallelGateway id="f"/><userTask id="a"/><userTask id="b"/><parallelGateway id="j"/>'
    end = '<startEvent id="s"/><endEvent id="e"/>'
    engine.deploy([("a.bpmn", bpmn(fork, end, flows("s f", "f a", "f b", "a j", "b j", "j e")))])
    instance = str(engine.start("p")["instance_id"])
    one, other = (str(UserTask.objects.get(instance__id=instance, node=node).pk) for node in "ab")
    engine.complete_task(one)
    forget_all()
    read = Dialect.read_needs
    between: list[object] = []

    def read_later(self: Dialect, needs: Needs) -> Rows:
        if not between:
            between.append(race([partial(engine.suspend, instance)]))
        return read(self, needs)

    monkeypatch.setattr(Dialect, "read_needs", read_later)
    with pytest.raises(Suspended):
        engine.complete_task(other)
    assert between, "it was read by two statements"
    assert ProcessInstance.objects.get(pk=instance).suspended_because != "invariant"
    sound(instance)
