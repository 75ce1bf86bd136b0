"""An instance that violates an invariant is frozen, and holds up none that share a call with it (semantics §10)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import F

from bpm import engine
from bpm.core.errors import Busy, EngineError, InvariantViolated
from bpm.engine import Idempotency
from bpm.models import ExternalTask, IdempotencyRecord, Incident, ProcessInstance, Token
from bpm.shell.freezing import freeze
from tests.support.believing import deploy
from tests.support.clock import next_millisecond
from tests.support.kept import forget_all
from tests.support.racing import holding

pytestmark = pytest.mark.django_db(transaction=True)

KEY = Idempotency("ann", "k", "f" * 64)
WORK = "start s -> a\nexternal a topic=x -> e\nend e"


def begin(number: int) -> list[str]:
    """Start instances; their tasks are fetched in this order."""
    deploy(WORK)
    started = []
    for _ in range(number):
        next_millisecond()
        started.append(str(engine.start("p")["instance_id"]))
    return started


def damage(instance: str) -> None:
    """Let the next event of an instance have the number of its newest one."""
    ProcessInstance.objects.filter(pk=instance).update(last_sequence=F("last_sequence") - 1)
    forget_all()


def fetch(most: int, **options: Any) -> list[str]:
    leased = engine.fetch_and_lock("w", topics=["x"], max_tasks=most, lock_ms=60_000, **options)
    return [str(one["instance_id"]) for one in leased]


def leased_items() -> tuple[list[str], list[dict[str, Any]]]:
    leased = engine.fetch_and_lock("w", topics=["x"], max_tasks=10, lock_ms=60_000)
    items = [{"task_id": one["task_id"], "worker": "w", "lease": one["lease_id"]} for one in leased]
    return [str(one["instance_id"]) for one in leased], items


def statuses(instances: list[str]) -> list[str]:
    rows = ProcessInstance.objects.filter(pk__in=instances).values_list("pk", "status")
    found = {str(pk): status for pk, status in rows}
    return [found[one] for one in instances]


def frozen(instance: str) -> bool:
    incident = Incident.objects.filter(instance__id=instance, kind="InvariantViolated")
    return statuses([instance]) == ["SUSPENDED"] and incident.exists()


@pytest.mark.parametrize("most", [1, 10])
def test_a_fetch_passes_over_it(most: int) -> None:
    broken, *others = begin(3)
    damage(broken)
    found = fetch(most) + fetch(most)
    assert sorted(found) == sorted(others)
    assert frozen(broken)


def test_a_fetch_under_a_key_says_so_once() -> None:
    broken, other = begin(2)
    damage(broken)
    with pytest.raises(InvariantViolated):
        fetch(10, key=KEY)
    assert frozen(broken)
    assert not IdempotencyRecord.objects.exists()
    assert fetch(10, key=KEY) == [other]


def test_a_fetch_in_a_transaction_of_the_caller_leaves_it_whole() -> None:
    broken, other = begin(2)
    damage(broken)
    with transaction.atomic():
        with pytest.raises(InvariantViolated):
            fetch(10)
        assert statuses([broken, other]) == ["RUNNING", "RUNNING"]
    assert fetch(1) == [other]
    assert frozen(broken)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_in_a_list_it_is_an_outcome(number: int) -> None:
    begin(number)
    instances, items = leased_items()
    damage(instances[0])
    outcomes = engine.complete_external_tasks(items)
    assert isinstance(outcomes[0], InvariantViolated)
    assert frozen(instances[0])
    assert statuses(instances[1:]) == ["COMPLETED"] * (number - 1)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_in_a_list_under_a_key_it_is_raised_and_the_key_is_not_used(number: int) -> None:
    begin(number)
    instances, items = leased_items()
    damage(instances[0])
    with pytest.raises(InvariantViolated):
        engine.complete_external_tasks(items, key=KEY)
    assert frozen(instances[0])
    assert statuses(instances[1:]) == ["RUNNING"] * (number - 1)
    outcomes = engine.complete_external_tasks(items, key=KEY)
    assert isinstance(outcomes[0], EngineError)
    assert statuses(instances[1:]) == ["COMPLETED"] * (number - 1)


@contextmanager
def impatient() -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        (before,) = cursor.fetchone()
        cursor.execute("SET lock_timeout = '200ms'")
        try:
            yield
        finally:
            cursor.execute(f"SET lock_timeout = '{before}'")


@pytest.mark.postgresql
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("number", [1, 2])
def test_busy_is_no_answer_to_keep(number: int, known: bool) -> None:
    begin(number)
    instances, items = leased_items()
    if not known:
        forget_all()
    with impatient(), holding(instances[0]), pytest.raises(Busy):
        engine.complete_external_tasks(items, key=KEY)
    assert not IdempotencyRecord.objects.exists()
    outcomes = engine.complete_external_tasks(items, key=KEY)
    assert not any(isinstance(one, EngineError) for one in outcomes)
    assert statuses(instances) == ["COMPLETED"] * number


@pytest.mark.postgresql
@pytest.mark.parametrize("known", [True, False])
def test_busy_is_an_outcome_of_a_list_without_a_key(known: bool) -> None:
    begin(3)
    instances, items = leased_items()
    if not known:
        forget_all()
    with impatient(), holding(instances[1]):
        outcomes = engine.complete_external_tasks(items)
    assert [isinstance(one, Busy) for one in outcomes] == [False, True, False]
    assert statuses(instances) == ["COMPLETED", "RUNNING", "COMPLETED"]


@pytest.mark.postgresql
@pytest.mark.parametrize("known", [True, False])
def test_what_is_only_held_for_a_while_is_frozen_with_its_tokens(known: bool) -> None:
    (instance,) = begin(1)
    if not known:
        forget_all()
    refused: list[str] = []
    with impatient(), holding(instance) as release:

        def note(execution: engine.Execution) -> None:
            refused.extend(command.outcome for command in execution.commands)
            release()

        engine.watch(note)
        try:
            assert freeze(instance, "why")
        finally:
            engine.unwatch(note)
    assert refused == ["Busy", "done"]
    live = Token.objects.filter(instance__id=instance, final=False)
    assert set(live.values_list("status", flat=True)) == {"Suspended"}


@pytest.mark.postgresql
def test_suspending_a_version_tells_which_instances_it_has_missed() -> None:
    instances = begin(3)
    definition = str(
        ProcessInstance.objects.filter(pk=instances[0]).values_list("definition_id", flat=True)[0]
    )
    with impatient(), holding(instances[1]):
        with pytest.raises(Busy):
            engine.suspend_definition(definition, include_instances=True, key=KEY)
        assert statuses(instances) == ["RUNNING"] * 3
        answer = engine.suspend_definition(definition, include_instances=True)
    assert (answer["instances"], answer["missed"]) == (2, [instances[1]])
    assert statuses(instances) == ["SUSPENDED", "RUNNING", "SUSPENDED"]
    answer = engine.suspend_definition(definition, include_instances=True)
    assert (answer["instances"], answer["missed"]) == (1, [])


def test_a_task_of_a_cancelled_instance_is_not_suspended_any_more() -> None:
    (instance,) = begin(1)
    engine.suspend(instance)
    engine.cancel(instance)
    assert not ExternalTask.objects.get(instance__id=instance).suspended
