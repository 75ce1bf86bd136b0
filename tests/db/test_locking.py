"""Rows are read and their instances locked in one statement: who waited for a lock sees what was done meanwhile."""

from __future__ import annotations

import threading
import time
from uuid import UUID

import pytest
from django.db import connection, transaction

from bpm import engine
from bpm.models import HistoryEvent, ProcessInstance, UserTask
from bpm.shell.requests import USER
from bpm.shell.sql import dialect
from bpm.shell.sql.locking import read_locked
from bpm.shell.sql.queries import INSTANCES
from tests.support.model import parse_model
from tests.support.model_xml import write_xml
from tests.support.racing import race
from tests.support.statements import executed

WAIT_S = 60
_FORK = "start s -> f\npar f -> a, b\nuser a -> j\nuser b -> j\npar j -> e\nend e"

pytestmark = pytest.mark.django_db(transaction=True)


def start() -> tuple[str, list[str]]:
    engine.deploy([("p.bpmn", write_xml(parse_model(_FORK, "p")))])
    instance = str(engine.start("p")["instance_id"])
    rows = UserTask.objects.filter(instance=UUID(instance)).order_by("id").values_list("id", flat=True)
    return instance, [str(task) for task in rows]


def wait_until_somebody_waits() -> None:
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                "AND datname = current_database()"
            )
            if cursor.fetchone()[0]:
                return
        time.sleep(0.01)
    raise AssertionError("nobody waits for a lock")


@pytest.mark.postgresql
def test_who_waits_for_a_lock_reads_again_and_fires_the_join_once() -> None:
    instance, (first, second) = start()
    held = threading.Event()

    def hold() -> None:
        with transaction.atomic():
            engine.complete_task(first)
            held.set()
            wait_until_somebody_waits()

    def follow() -> list[str]:
        assert held.wait(timeout=WAIT_S)
        with executed() as seen, transaction.atomic():
            assert engine.complete_task(second)["status"] == "COMPLETED"
        return seen.statements

    _, statements = race([hold, follow])
    assert [text.split(maxsplit=1)[0] for text in statements].count("WITH") >= 3, "read, read again, written"
    assert ProcessInstance.objects.get(pk=instance).status == "COMPLETED"
    assert HistoryEvent.objects.filter(event_type="JoinFired").count() == 1


@pytest.mark.parametrize("table", [USER, INSTANCES])
def test_the_rows_and_the_locks_come_in_one_statement(table: str) -> None:
    instance, tasks = start()
    with transaction.atomic(), executed() as seen:
        _, rows, locked = read_locked(
            dialect(), table, tasks if table == USER else [instance], skip_locked=False
        )
    assert locked == {instance}
    assert sorted(row[0] for row in rows[USER]) == tasks
    assert [row[0] for row in rows[INSTANCES]] == [instance]
    assert len(seen.statements) == 1


@pytest.mark.postgresql
def test_an_instance_that_somebody_holds_is_read_but_not_locked() -> None:
    instance, tasks = start()
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            ProcessInstance.objects.select_for_update().get(pk=instance)
            held.set()
            assert done.wait(timeout=WAIT_S)

    def look() -> set[str]:
        assert held.wait(timeout=WAIT_S)
        try:
            with transaction.atomic():
                return read_locked(dialect(), USER, tasks, skip_locked=True)[2]
        finally:
            done.set()

    _, locked = race([hold, look])
    assert locked == set()
