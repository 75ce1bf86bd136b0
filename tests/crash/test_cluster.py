"""The cluster under kill -9: timers go on, nothing is left behind, a watched cluster comes back."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django_q.models import Schedule
from django_q.tasks import async_task

from bpm import engine
from bpm.jobs.lateness import LOOP_STUCK_S, QUEUE_LATE_S
from bpm.jobs.schedules import keep_schedules
from bpm.management.commands.cluster import complaint
from bpm.models import Heartbeat, HistoryEvent, ProcessInstance, Timer
from bpm.shell.heartbeats import QUEUE
from tests.support.children import (
    Children,
    descendants,
    eventually,
    is_running,
    lateness,
    ticking_workers,
    wait_for_sessions_to_end,
)
from tests.support.loop_models import deploy, process, timer
from tests.support.stalls import stalling

pytestmark = [pytest.mark.crash, pytest.mark.timeout(180)]
STARTING_S = 60
FAMILY = 5
"""Processes below the main one: the guard, two workers, the pusher, the monitor."""
# What is about processes only runs once, on SQLite.


@pytest.fixture
def children(transactional_db: None, tmp_path: Path) -> Iterator[Children]:
    with Children(tmp_path) as made:
        yield made
    wait_for_sessions_to_end()


def start_cluster(children: Children, *options: str) -> tuple[subprocess.Popen[bytes], set[int]]:
    """Return the process that was started, and the two workers."""
    child = children.start("manage.py", "cluster", *options)
    whole = FAMILY + (1 if options else 0)
    workers = two_new_workers(set())
    # The workers tick before the guard has started all that it starts.
    eventually(lambda: len(descendants(child.pid)) == whole, STARTING_S, f"{whole} processes below the first")
    return child, workers


def two_new_workers(before: set[int]) -> set[int]:
    """Return two workers that tick and did not before, as soon as there are two."""

    def look() -> set[int] | None:
        found = ticking_workers() - before
        return found if len(found) == 2 else None

    found: set[int] = eventually(look, STARTING_S, "two workers to tick")
    return found


def start_timers(number: int, spread_s: float) -> None:
    deploy(process("at", timer("${due}", "timeDate")))
    begin = datetime.now(UTC) + timedelta(seconds=1)
    for index in range(number):
        due = begin + timedelta(seconds=spread_s * index / number)
        engine.start("at", variables={"due": due.isoformat()})


def test_timers_go_on_while_every_worker_is_killed(children: Children) -> None:
    """P115: a killed worker may leave the queue locked; the loops do not need it."""
    _, killed = start_cluster(children)
    with stalling() as stalls:
        start_timers(60, spread_s=8)
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
            time.sleep(1.5)
        eventually(lambda: not Timer.objects.filter(status="SCHEDULED").exists())
    late = lateness()
    assert (
        HistoryEvent.objects.filter(event_type="TimerFired").count(),
        ProcessInstance.objects.count(),
    ) == (60, 60)
    assert ProcessInstance.objects.filter(status="COMPLETED").count() == 60
    assert late[-1] < 5 + stalls.seconds, late[-10:]
    two_new_workers(killed)


@pytest.mark.sqlite
@pytest.mark.parametrize("victim", ["main process", "guard"])
def test_no_process_of_the_cluster_outlives_its_parent(children: Children, victim: str) -> None:
    main, _ = start_cluster(children)
    family = descendants(main.pid)
    (guard,) = [pid for pid in family if len(descendants(pid)) == FAMILY - 1]
    os.kill(main.pid if victim == "main process" else guard, signal.SIGKILL)
    eventually(lambda: not any(is_running(pid) for pid in family), what="all of them to end")
    main.wait(60)


@pytest.mark.sqlite
def test_a_cluster_ends_when_asked_to(children: Children) -> None:
    main, _ = start_cluster(children)
    family = descendants(main.pid)
    main.terminate()
    assert main.wait(100) in (0, -signal.SIGTERM)
    assert not [pid for pid in family if is_running(pid)]


@pytest.mark.sqlite
def test_a_watched_cluster_is_started_again_and_ends_as_a_whole(children: Children) -> None:
    watcher, before = start_cluster(children, "--watch")
    (main,) = [pid for pid in descendants(watcher.pid) if len(descendants(pid)) == FAMILY]
    os.kill(main, signal.SIGKILL)
    two_new_workers(before)
    assert "cluster was ended by SIGKILL; starting it again" in children.log().read_text()
    family = descendants(watcher.pid)
    watcher.terminate()
    assert watcher.wait(100) == 0
    assert not [pid for pid in family if is_running(pid)]


@pytest.mark.sqlite
def test_a_killed_watcher_takes_its_cluster_along(children: Children) -> None:
    watcher, _ = start_cluster(children, "--watch")
    family = descendants(watcher.pid)
    watcher.kill()
    eventually(lambda: not any(is_running(pid) for pid in family), what="the cluster to end")


def test_a_task_through_the_queue_ticks_and_leaves_its_sign(children: Children) -> None:
    start_cluster(children)
    deploy(process("now", timer("PT0S")))
    engine.start("now")
    async_task("bpm.jobs.tasks.tick")
    eventually(lambda: Heartbeat.objects.filter(name=QUEUE).exists(), what="the queue's sign of life")
    eventually(lambda: ProcessInstance.objects.get().status == "COMPLETED")


@pytest.mark.parametrize(
    ("loop_s", "queue_s", "age_s", "expected"),
    [
        (1, 60, 1_000, None),
        (None, None, 1, None),
        (None, None, LOOP_STUCK_S + 1, "has not ticked for 30 s"),
        (LOOP_STUCK_S + 1, 1, 1_000, "has not ticked for 30 s"),
        (1, QUEUE_LATE_S + 1, QUEUE_LATE_S + 1, "has not let a task through its queue for 240 s"),
        (1, None, QUEUE_LATE_S - 1, None),
        (1, None, QUEUE_LATE_S + 1, "has not let a task through its queue for 240 s"),
    ],
)
def test_a_stuck_cluster_is_recognised(
    transactional_db: None, loop_s: float | None, queue_s: float | None, age_s: float, expected: str | None
) -> None:
    """P115: a cluster that looks alive and does nothing is started anew."""
    now = datetime.now(UTC)
    for name, seconds in (("host:1", loop_s), (QUEUE, queue_s)):
        if seconds is not None:
            Heartbeat.objects.create(name=name, started_at=now, seen_at=now - timedelta(seconds=seconds))
    assert complaint(age_s) == expected


def test_the_schedule_is_kept_once_and_as_it_should_be(db: None) -> None:
    (row,) = Schedule.objects.filter(func="bpm.jobs.tasks.tick")
    assert (row.schedule_type, row.minutes, row.repeats, row.args, row.kwargs) == (
        Schedule.MINUTES,
        1,
        -1,
        None,
        None,
    )
    Schedule.objects.create(name=row.name, func="other")
    Schedule.objects.filter(pk=row.pk).update(minutes=7)
    keep_schedules()
    kept = Schedule.objects.filter(name=row.name).values_list("pk", "func", "minutes")
    assert list(kept) == [(row.pk, "bpm.jobs.tasks.tick", 1)]
    assert Schedule.objects.count() == 2
