"""Seeded instances are like any others: sound, found by the queries, and they can go on."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from bpm import engine
from bpm.bench.page_list import looks
from bpm.models import HistoryEvent, ProcessInstance, UserTask
from bpm.queries.explain import explain
from bpm.shell.verifying import verify_instances


@pytest.mark.postgresql
def test_copies_are_sound_and_go_on(transactional_db: None) -> None:
    call_command("seed", ended=60, running=40, days=3, stdout=io.StringIO())
    assert ProcessInstance.objects.count() == 100 + 9
    results = verify_instances([str(one) for one in ProcessInstance.objects.values_list("id", flat=True)])
    assert [finding for result in results for finding in result.findings] == []
    assert ProcessInstance.objects.filter(status="COMPLETED").count() > 40
    assert ProcessInstance.objects.values("business_key").distinct().count() >= 100
    joining = (
        UserTask.objects.filter(status="OPEN", node="pack", instance__status="RUNNING").order_by("id").first()
    )
    assert joining is not None
    assert explain(joining.instance_id, tenant="").tokens
    before = HistoryEvent.objects.filter(instance=joining.instance_id).count()
    engine.complete_task(str(joining.id), actor="ada")
    assert HistoryEvent.objects.filter(instance=joining.instance_id).count() > before
    assert all(result.sound for result in verify_instances([str(joining.instance_id)]))


@contextmanager
def _vacuum_held_up(seconds: float) -> Iterator[None]:
    """Hold a lock on a table, as the database's own vacuum does, until one has waited for it so long."""
    parameters = connection.get_connection_params()
    held, failed = Event(), []

    def hold() -> None:
        try:
            with psycopg.connect(
                **{k: parameters[k] for k in ("host", "dbname", "user") if k in parameters}
            ) as own:
                own.execute("LOCK TABLE bpm_comment IN SHARE UPDATE EXCLUSIVE MODE")
                held.set()
                deadline = time.monotonic() + 120
                while time.monotonic() < deadline:
                    waiting = "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'VACUUM%' AND wait_event_type = 'Lock'"
                    if own.execute(waiting).fetchone():
                        time.sleep(seconds)
                        return
                    # What one transaction sees of the activity stays as it is unless it is asked to look again.
                    own.execute("SELECT pg_stat_clear_snapshot()")
                    time.sleep(0.02)
                failed.append("nobody has waited")
        finally:
            held.set()

    thread = Thread(target=hold)
    thread.start()
    assert held.wait(60)
    try:
        yield
    finally:
        thread.join()
    assert not failed


@pytest.mark.postgresql
def test_a_table_that_is_being_vacuumed_is_waited_for(transactional_db: None) -> None:
    def limit() -> str:
        with connection.cursor() as cursor:
            cursor.execute("SHOW lock_timeout")
            return str(cursor.fetchone()[0])

    before = limit()
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '100ms'")
    with _vacuum_held_up(0.5):
        call_command("seed", ended=5, running=5, days=1, stdout=io.StringIO())
    assert limit() == before


@pytest.mark.postgresql
def test_pages_are_measured(transactional_db: None) -> None:
    call_command("seed", ended=300, running=200, days=3, stdout=io.StringIO())
    names = [look.name for look in looks()]
    for name in (
        "operator: overview",
        "viewer of one process: incidents",
        "candidate: news",
        "admin: bpm_token",
    ):
        assert name in names
    assert len(names) == len(set(names))
    out = io.StringIO()
    call_command("measure_pages", rounds=1, rate=0.0, only=": groups by", stdout=out, stderr=io.StringIO())
    table = out.getvalue()
    assert "| candidate: groups by due |" in table
    assert "of 12 take longer" in table


@pytest.mark.postgresql
def test_an_empty_database_has_no_pages_to_measure(db: None) -> None:
    with pytest.raises(CommandError, match="seed"):
        call_command("measure_pages")


@pytest.mark.sqlite
def test_other_databases_are_refused_by_name(db: None) -> None:
    with pytest.raises(CommandError, match="PostgreSQL"):
        call_command("seed")
