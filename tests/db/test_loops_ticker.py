"""The loop itself: how soon, how stubborn, what it leaves behind."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from pytest_django import Settings

from bpm import engine, handlers
from bpm.jobs import ticker as ticker_module
from bpm.jobs.pool import HandlerPool
from bpm.jobs.tick import process_name
from bpm.jobs.ticker import Ticker
from bpm.models import Heartbeat, HistoryEvent, IdempotencyRecord, ProcessInstance, Timer
from bpm.shell.heartbeats import QUEUE, beat, clean
from tests.support.children import eventually, lateness
from tests.support.loop_models import deploy, process, service, timer
from tests.support.racing import wait_for_locks
from tests.support.stalls import stalling


@contextmanager
def ticking(threads: int = 2) -> Iterator[Ticker]:
    """Let a ticker run in a thread."""
    pool = HandlerPool("test", threads=threads, lease_ms=5_000)
    ticker = Ticker("test", pool)
    thread = threading.Thread(target=ticker.run)
    thread.start()
    try:
        yield ticker
    finally:
        ticker.stop()
        thread.join(60)
        pool.drain(60)
    assert not thread.is_alive()


def completed() -> int:
    return ProcessInstance.objects.filter(status="COMPLETED").count()


def test_timers_fire_within_a_second_while_the_loop_runs(transactional_db: None) -> None:
    deploy(process("soon", timer("PT0.7S")))
    with stalling() as stalls, ticking():
        eventually(lambda: Heartbeat.objects.exists())
        for _ in range(10):
            engine.start("soon")
            time.sleep(0.05)
        eventually(lambda: completed() == 10)
    assert max(lateness()) < 1.5 + stalls.seconds
    assert HistoryEvent.objects.filter(event_type="TimerFired").count() == 10


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pauses between passes be longer than anything is waited for."""
    monkeypatch.setattr(ticker_module, "PERIOD_S", 600.0)


@pytest.mark.usefixtures("slow")
def test_more_than_one_pass_can_do_is_done_without_a_pause(transactional_db: None) -> None:
    deploy(process("now", timer("PT0S")))
    engine.start_many([engine.Start(process="now") for _ in range(450)])
    with ticking():
        eventually(lambda: completed() == 450)


@pytest.mark.usefixtures("slow")
def test_a_chain_of_handlers_does_not_wait_for_the_next_second(transactional_db: None) -> None:
    handlers.service("work")(lambda work: None)
    try:
        deploy(process("chain", *[service("work")] * 12))
        engine.start("chain")
        with ticking():
            eventually(lambda: completed() == 1)
    finally:
        handlers.unregister("service", "work")


@pytest.mark.postgresql
def test_the_loop_outlives_the_loss_of_its_database_session(
    transactional_db: None, settings: Settings
) -> None:
    # The verification in the background has a session of its own after a while.
    settings.BPM = {**settings.BPM, "VERIFY_SHARE_PERCENT": 0}
    deploy(process("now", timer("PT0S")))
    with ticking(), connection.cursor() as cursor:
        eventually(lambda: Heartbeat.objects.exists())
        cursor.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND datname = current_database() AND backend_type = 'client backend'"
        )
        assert cursor.fetchone()[0] == 1
        engine.start("now")
        eventually(lambda: completed() == 1)


def test_the_loop_outlives_an_error_of_its_own(
    transactional_db: None, caplog: pytest.LogCaptureFixture
) -> None:
    deploy(process("now", timer("PT0S")))
    with ticking():
        eventually(lambda: Heartbeat.objects.exists())
        wait_for_locks()
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE bpm_heartbeat RENAME TO away")
        try:
            eventually(lambda: "goes on after an error" in caplog.text)
        finally:
            with connection.cursor() as cursor:
                cursor.execute("ALTER TABLE away RENAME TO bpm_heartbeat")
        connection.close()
        engine.start("now")
        eventually(lambda: completed() == 1)


def test_a_loop_whose_parent_is_gone_ends(transactional_db: None) -> None:
    ticker = Ticker("orphan", HandlerPool("orphan", threads=0, lease_ms=1_000), parent=os.getppid() + 1)
    ticker.run()
    assert (ticker.orphaned, Heartbeat.objects.count()) == (True, 0)
    assert Ticker("child", ticker.pool, parent=os.getppid()).orphaned is False


def test_signs_of_life_tell_age_and_lag(transactional_db: None) -> None:
    nothing = engine.signs_of_life()
    assert (nothing.loop_age_s, nothing.queue_age_s, nothing.lag_ms) == (None, None, 0)
    deploy(process("now", timer("PT0S")))
    engine.start("now")
    Timer.objects.update(due_at=datetime.now(UTC) - timedelta(seconds=90))
    call_command("tick", once=True)
    beat(QUEUE)
    life = engine.signs_of_life()
    assert life.loop_age_s is not None
    assert life.queue_age_s is not None
    assert 0 <= life.loop_age_s < 60
    assert 0 <= life.queue_age_s < 60
    assert 90_000 <= life.lag_ms < 150_000
    assert Heartbeat.objects.get(name=process_name()).ticks == 1


def test_the_loop_beats_about_once_a_second(transactional_db: None) -> None:
    with stalling() as stalls, ticking():
        eventually(lambda: Heartbeat.objects.filter(name="test", ticks__gte=3).exists())
        row = Heartbeat.objects.get(name="test")
    assert 0.5 < (row.seen_at - row.started_at).total_seconds() / (row.ticks - 1) < 1.5 + stalls.seconds


def test_old_idempotency_records_and_signs_are_removed_in_portions(db: None) -> None:
    now = datetime.now(UTC)
    for hours in (1, 23, 25, 26, 27):
        IdempotencyRecord.objects.create(
            principal="p", key=str(hours), fingerprint="f", created_at=now - timedelta(hours=hours)
        )
    for name, days in (("new", 0.5), ("old", 2)):
        Heartbeat.objects.create(name=name, started_at=now, seen_at=now - timedelta(days=days))
    assert [clean(2), clean(2), clean(2)] == [2, 1, 0]
    assert sorted(IdempotencyRecord.objects.values_list("key", flat=True)) == ["1", "23"]
    assert list(Heartbeat.objects.values_list("name", flat=True)) == ["new"]
