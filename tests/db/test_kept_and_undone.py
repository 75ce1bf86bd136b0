"""A working set of what was taken back again, or of what is gone, decides nothing (semantics §11)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID

import pytest
from django.db import connection, transaction

from bpm import engine
from bpm.core import commands as c
from bpm.models import (
    Definition,
    HistoryEvent,
    MessageBuffer,
    ProcessInstance,
    Subscription,
    UserTask,
    Variable,
)
from bpm.shell.arrivals import Arrived
from bpm.shell.execute import execute_arrived
from bpm.shell.kept_sets import kept_sets
from bpm.shell.outcome import Done
from bpm.shell.requests import Request
from bpm.shell.retention import changing_history
from bpm.shell.verifying import verify_instances
from tests.support.bpmn_text import bpmn, flows, subprocess
from tests.support.kept import another_process, look
from tests.support.loop_models import deploy, process
from tests.support.proof import in_table

pytestmark = pytest.mark.django_db(transaction=True)

TWO = process("two", "<userTask ID/>", "<userTask ID/>")


@contextmanager
def savepoint() -> Iterator[None]:
    """Django forgets nothing for a savepoint that a caller makes by hand."""
    with transaction.atomic():
        mark = transaction.savepoint()
        yield
        transaction.savepoint_rollback(mark)


@contextmanager
def autocommit_off() -> Iterator[None]:
    transaction.set_autocommit(False)
    try:
        yield
    finally:
        transaction.rollback()
        transaction.set_autocommit(True)


@contextmanager
def begun_by_hand() -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute("BEGIN")
    yield
    with connection.cursor() as cursor:
        cursor.execute("ROLLBACK")


def _set(instance: str, value: str) -> None:
    engine.set_variables(instance, variables={"x": value})


def _sound(instance: str) -> None:
    (verified,) = verify_instances([instance])
    assert verified.findings == []


@pytest.mark.parametrize(
    "undone",
    [
        savepoint,
        pytest.param(autocommit_off, marks=pytest.mark.postgresql),
        pytest.param(begun_by_hand, marks=pytest.mark.postgresql),
    ],
)
def test_what_a_caller_takes_back_by_hand_decides_nothing(undone: Callable[[], Iterator[None]]) -> None:
    deploy(TWO)
    instance = str(engine.start("two")["instance_id"])
    with undone():  # type: ignore[attr-defined]
        _set(instance, "undone")
    with another_process():
        _set(instance, "theirs")
    _set(instance, "undone")
    assert Variable.objects.get(instance__id=instance, name="x").value == '"undone"'
    _sound(instance)


def test_a_second_try_in_one_transaction_leaves_nothing_of_the_first() -> None:
    deploy(TWO)
    instance = str(engine.start("two")["instance_id"])
    task = str(UserTask.objects.get().pk)
    with transaction.atomic():
        mark = transaction.savepoint()
        engine.complete_task(task, variables={"x": 1})
        transaction.savepoint_rollback(mark)
        engine.complete_task(task, variables={"x": 1})
    engine.cancel(instance)
    assert not UserTask.objects.filter(status="OPEN").exists()
    _sound(instance)


def test_what_has_arrived_stays_where_its_receiver_is_gone() -> None:
    message = '<message id="m" name="m"/>'
    catch = '<intermediateCatchEvent ID><messageEventDefinition messageRef="m"/></intermediateCatchEvent>'
    deploy(process("p", catch).replace(b"<process ", message.encode() + b"<process "))
    engine.correlate("other", business_key="nobody", ttl_ms=60_000)
    buffered = str(MessageBuffer.objects.get().pk)
    instance = str(engine.start("p")["instance_id"])
    waiting = str(Subscription.objects.get(instance__id=instance).pk)
    assert look(instance) is not None
    with transaction.atomic(), changing_history(), connection.cursor() as cursor:
        tables = ("historyevent", "subscription", "token", "scope", "variable")
        for table in tables:
            cursor.execute(f"DELETE FROM bpm_{table} WHERE instance_id = %s", [in_table(instance)])
        cursor.execute("DELETE FROM bpm_processinstance WHERE id = %s", [in_table(instance)])
    command = c.TriggerMessage(subscription=waiting, variables={})
    outcome = execute_arrived(Request(command, ""), Arrived(unbuffered=[buffered]))
    assert not isinstance(outcome, Done)
    assert MessageBuffer.objects.filter(pk=buffered).exists()
    assert not ProcessInstance.objects.filter(pk=UUID(instance)).exists()


@pytest.mark.usefixtures("timely")
def test_an_event_tells_the_same_whether_a_set_was_kept_or_read() -> None:
    inner = '<startEvent id="s2"/><parallelGateway id="f"/><userTask id="a"/><userTask id="b"/><endEvent id="e2"/>'
    old = (
        '<startEvent id="s"/>',
        subprocess("sub", inner, flows("s2 f", "f a", "f b", "a e2", "b e2")),
        '<userTask id="c"/><endEvent id="e"/>',
        flows("s sub", "sub c", "c e"),
    )
    new = ('<startEvent id="s"/><userTask id="c"/><endEvent id="e"/>', flows("s c", "c e"))
    for parts in (old, new):
        engine.deploy([("a.bpmn", bpmn(*parts))], duplicate_filtering=False)
    target = str(Definition.objects.get(version=2).pk)
    told = []
    for kept in (True, False):
        instance = str(engine.start("p", version=1)["instance_id"])
        for node in ("a", "b"):
            engine.complete_task(str(UserTask.objects.get(instance__id=instance, node=node).pk))
        assert look(instance) is not None
        if not kept:
            kept_sets.clear()
        engine.migrate(instance, target)
        told.append(HistoryEvent.objects.get(instance__id=instance, event_type="InstanceMigrated").payload)
    assert told[0] == told[1]
