"""Sweeps over due work: what they do, what they leave alone, what they cost."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from bpm import engine
from bpm.core.errors import LeaseConflict
from bpm.jobs.tick import run_pass
from bpm.models import ExternalTask, HistoryEvent, Job, ProcessInstance, Timer, Token
from bpm.shell import sweeps
from bpm.shell.clock import frozen
from tests.support.loop_models import deploy, external, process, timer
from tests.support.racing import holding

T0 = datetime(2026, 1, 1, tzinfo=UTC)


def after(seconds: float) -> Any:
    return frozen(T0 + timedelta(seconds=seconds))


def start_many(key: str, count: int, **variables: Any) -> list[str]:
    answers = engine.start_many([engine.Start(process=key, variables=variables) for _ in range(count)])
    return [answer["instance_id"] for answer in answers if isinstance(answer, dict)]


def count(event_type: str) -> int:
    return HistoryEvent.objects.filter(event_type=event_type).count()


def statuses() -> dict[str, int]:
    rows = list(ProcessInstance.objects.values_list("status", flat=True))
    return {status: rows.count(status) for status in set(rows)}


@pytest.fixture
def wait_10s(db: None) -> None:
    deploy(process("wait", timer("PT10S")))


def test_a_timer_fires_when_it_is_due_and_once(wait_10s: None) -> None:
    with after(0):
        start_many("wait", 1)
    with after(9.9):
        assert engine.fire_due_timers() == (0, [])
    with after(10):
        assert len(engine.fire_due_timers().done) == 1
        assert engine.fire_due_timers() == (0, [])
    assert statuses() == {"COMPLETED": 1}
    assert count("TimerFired") == 1


def test_a_pass_does_at_most_its_limit_the_longest_due_first(db: None) -> None:
    deploy(process("wait", timer("${due}", "timeDate")))
    with after(0):
        for seconds in (30, 10, 20):
            start_many("wait", 40, due=(T0 + timedelta(seconds=seconds)).isoformat())
    with after(60):
        assert len(engine.fire_due_timers(60).done) == 60
        left = sorted(Timer.objects.filter(status="SCHEDULED").values_list("due_at", flat=True))
        assert left == [T0 + timedelta(seconds=20)] * 20 + [T0 + timedelta(seconds=30)] * 40
        assert len(engine.fire_due_timers().done) == 60
    assert count("TimerFired") == 120


def test_several_timers_of_one_instance_fire_in_one_batch_in_order(db: None) -> None:
    middle = (
        '<parallelGateway id="fork"/><sequenceFlow id="a" sourceRef="fork" targetRef="late"/>'
        '<sequenceFlow id="b" sourceRef="fork" targetRef="early"/>'
        + timer("PT5S").replace("ID", 'id="late"')
        + timer("PT2S").replace("ID", 'id="early"')
        + '<sequenceFlow id="c" sourceRef="late" targetRef="join"/>'
        '<sequenceFlow id="d" sourceRef="early" targetRef="join"/>'
    )
    deploy(
        process("both", middle + "<parallelGateway ID/>")
        .replace(b'targetRef="n1"', b'targetRef="fork"')
        .replace(b'id="n1"', b'id="join"')
        .replace(b'sourceRef="n1"', b'sourceRef="join"')
    )
    with after(0):
        start_many("both", 1)
    with after(10):
        assert len(engine.fire_due_timers().done) == 2
    fired = (
        HistoryEvent.objects.filter(event_type="TimerFired")
        .order_by("sequence")
        .values_list("node", flat=True)
    )
    assert list(fired) == ["early", "late"]
    assert statuses() == {"COMPLETED": 1}


def test_timers_of_an_ended_instance_do_not_fire(wait_10s: None) -> None:
    with after(0):
        (instance,) = start_many("wait", 1)
        engine.cancel(instance)
    with after(60):
        assert engine.fire_due_timers() == (0, [])


def test_an_expired_lease_becomes_visible_and_costs_no_retry(db: None) -> None:
    deploy(process("work", external("topic")))
    with after(0):
        start_many("work", 1)
        (task,) = engine.fetch_and_lock("w1", topics=["topic"], max_tasks=1, lock_ms=5_000)
    with after(4.9):
        assert engine.expire_leases() == (0, [])
    with after(5):
        assert engine.expire_leases().done == [task["task_id"]]
        assert engine.expire_leases() == (0, [])
    row = ExternalTask.objects.get()
    assert (row.status, row.retries, row.worker, row.expiries) == ("READY", 3, None, 1)
    assert count("ExternalTaskLockExpired") == 1
    with after(6), pytest.raises(LeaseConflict):
        engine.complete_external_task(task["task_id"], worker="w1", lease=task["lease_id"])


def test_an_asynchronous_continuation_is_done_by_the_loop(db: None) -> None:
    deploy(process("later", '<task ID camunda:asyncBefore="true" camunda:asyncAfter="true"/>'))
    with after(0):
        start_many("later", 3)
    assert statuses() == {"RUNNING": 3}
    with after(1):
        assert [len(engine.run_due_jobs().done) for _ in range(3)] == [3, 3, 0]
    assert statuses() == {"COMPLETED": 3}
    assert set(Job.objects.values_list("status", "kind")) == {("COMPLETED", "before"), ("COMPLETED", "after")}


def test_an_idle_pass_is_one_statement_and_writes_nothing(wait_10s: None) -> None:
    deploy(process("work", external("topic")))
    with after(0):
        start_many("wait", 2)
        start_many("work", 2)
        engine.fetch_and_lock("w1", topics=["topic"], max_tasks=1, lock_ms=60_000)
    events = HistoryEvent.objects.count()
    far = datetime.now(UTC) + timedelta(hours=1)
    Timer.objects.update(due_at=far)
    ExternalTask.objects.filter(status="LOCKED").update(lease_expires_at=far)
    for _ in range(3):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            done = run_pass()
        assert (done.counts, done.more, len(queries)) == ({}, False, 1)
        assert done.pause_s == pytest.approx(3_600, abs=60)
    assert HistoryEvent.objects.count() == events


def test_the_statements_of_a_sweep_do_not_grow_with_its_batch(wait_10s: None) -> None:
    numbers = []
    for size in (1, 5, 50):
        with after(0):
            start_many("wait", size)
        with after(10), CaptureQueriesContext(connection) as queries:
            assert len(engine.fire_due_timers().done) == size
        numbers.append(len(queries))
    assert len(set(numbers)) == 1


def test_an_instance_that_cannot_be_done_does_not_hold_up_the_others(
    wait_10s: None, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeps, "SET_ASIDE_S", (600.0,))
    with after(0):
        instances = start_many("wait", 5)
    # A row that is gone is what no command may meet; whatever it raises, the others must go on.
    Token.objects.filter(instance_id=UUID(instances[2])).delete()
    with after(10):
        assert len(engine.fire_due_timers().done) == 4
        assert f"instance {instances[2]} failed" in caplog.text
        caplog.clear()
        assert engine.fire_due_timers() == (0, [])
        assert caplog.text == ""
    assert statuses() == {"COMPLETED": 4, "RUNNING": 1}


@pytest.mark.postgresql
def test_a_busy_instance_is_passed_over_and_done_later(transactional_db: None) -> None:
    deploy(process("wait", timer("PT10S")))
    with after(0):
        instances = start_many("wait", 3)
    with after(10):
        with holding(instances[1]):
            assert len(engine.fire_due_timers().done) == 2
            assert engine.fire_due_timers() == (1, [])
        assert len(engine.fire_due_timers().done) == 1
    assert count("TimerFired") == 3


def test_many_sweeps_at_once_fire_each_timer_once(transactional_db: None) -> None:
    """P113: a task that runs twice at a time does everything once."""
    deploy(process("wait", timer("PT0S")))
    start_many("wait", 120)
    done: list[Any] = []

    def work() -> None:
        for _ in range(20):
            done.extend(engine.fire_due_timers(60).done)
        connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(done), len(set(done)), count("TimerFired")) == (120, 120, 120)
    assert statuses() == {"COMPLETED": 120}
