"""Loops in processes of their own, several at once."""

from __future__ import annotations

import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db.models import Count

from bpm import engine, handlers
from bpm.models import Heartbeat, HistoryEvent, Incident, Job, ProcessInstance, Timer, Token
from tests.support.children import Children, eventually, lateness
from tests.support.loop_models import deploy, process, service, timer
from tests.support.stalls import stalling

TICK = ("manage.py", "tick", "--forever")


def start_loops(children: Children, number: int, **variables: str) -> None:
    for _ in range(number):
        children.start(*TICK, **variables)
    eventually(lambda: Heartbeat.objects.count() == number, 60, "the loops to tick")


def start_timers(number: int, spread_s: float, lead_s: float) -> None:
    """Start instances, each with a timer, due one after another."""
    deploy(process("at", timer("${due}", "timeDate")))
    begin = datetime.now(UTC) + timedelta(seconds=lead_s)
    starts = [
        engine.Start(
            process="at",
            variables={"due": (begin + timedelta(seconds=spread_s * index / number)).isoformat()},
        )
        for index in range(number)
    ]
    for index in range(0, number, 100):
        engine.start_many(starts[index : index + 100])


def fired_once_each(number: int) -> list[float]:
    """Check that each timer fired exactly once; return by how many seconds each was late, sorted."""
    assert Timer.objects.filter(status="FIRED").count() == number
    per_instance = (
        HistoryEvent.objects.filter(event_type="TimerFired").values("instance_id").annotate(n=Count("pk"))
    )
    assert Counter(row["n"] for row in per_instance) == {1: number}
    assert ProcessInstance.objects.filter(status="COMPLETED").count() == number
    return lateness()


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_two_loops_fire_spread_timers_in_time(transactional_db: None, tmp_path: Path) -> None:
    with Children(tmp_path) as children:
        start_loops(children, 2)
        with stalling() as stalls:
            start_timers(200, spread_s=5, lead_s=3)
            eventually(lambda: not Timer.objects.filter(status="SCHEDULED").exists())
    late = fired_once_each(200)
    assert late[0] >= 0
    assert late[190] <= 1.0 + stalls.seconds, late[-20:]
    assert late[-1] <= 2.0 + stalls.seconds, late[-20:]


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_herd_of_timers_fires_each_once_and_starts_stay_quick(
    transactional_db: None, tmp_path: Path
) -> None:
    deploy(process("plain"))
    took = []
    with Children(tmp_path) as children:
        start_loops(children, 2)
        start_timers(1_000, spread_s=0, lead_s=4)
        with stalling() as stalls:
            waiting = True
            while waiting:
                started = time.monotonic()
                engine.start("plain")
                took.append(time.monotonic() - started)
                time.sleep(0.01)
                waiting = Timer.objects.filter(status="SCHEDULED").exists()
    ProcessInstance.objects.filter(definition_key="plain").update(status="CANCELLED")
    fired_once_each(1_000)
    took.sort()
    assert took[int(len(took) * 0.95)] < 1.0 + stalls.seconds, took[-10:]


@pytest.mark.crash
@pytest.mark.timeout(180)
def test_a_handler_that_kills_its_process_runs_three_times_and_becomes_an_incident(
    transactional_db: None, tmp_path: Path
) -> None:
    """P116: attempts that end with their process count too."""
    handlers.service("test-die")(lambda work: None)
    try:
        deploy(process("die", service("test-die")))
        engine.start("die")
    finally:
        handlers.unregister("service", "test-die")
    with Children(tmp_path) as children:
        running = [children.start(*TICK)]

        def gave_up() -> bool:
            if running[-1].poll() is not None:
                # Nobody renews its lease any more; that it runs out need not be waited for.
                Job.objects.filter(status="RUNNING").update(lease_expires_at=datetime.now(UTC))
                running.append(children.start(*TICK))
            return Incident.objects.exists()

        eventually(gave_up, 150, "an incident")
        # The loop that found the last crash has not run the handler again.
        time.sleep(1.5)
        assert running[-1].poll() is None
    attempts = (tmp_path / "attempts").read_text().splitlines()
    assert [line.split()[1] for line in attempts] == ["1", "2", "3"]
    assert (Job.objects.get().crashes, Token.objects.get().status) == (3, "Failed")
    assert Incident.objects.get().kind == "HandlerCrashed"


def test_a_loop_ends_when_asked_to_and_finishes_its_handlers(transactional_db: None, tmp_path: Path) -> None:
    handlers.service("test-sleep")(lambda work: None)
    try:
        deploy(process("sleep", service("test-sleep")))
        engine.start("sleep", variables={"seconds": 1.5})
    finally:
        handlers.unregister("service", "test-sleep")
    with Children(tmp_path) as children:
        child = children.start(*TICK)
        eventually(lambda: Job.objects.get().status == "RUNNING", 60)
        child.terminate()
        assert child.wait(60) == 0
        assert children.log().read_text() == ""
    assert ProcessInstance.objects.get().status == "COMPLETED"
