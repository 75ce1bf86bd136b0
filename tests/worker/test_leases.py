"""How a worker keeps a lease, and what it does when it cannot."""

from __future__ import annotations

import threading
import time

import pytest

from bpm.worker import ExternalTask, LeaseLost, TaskContext, TaskResult, Worker
from tests.support.children import eventually
from tests.worker.conftest import StartWorker
from tests.worker.handlers import Calling, Held
from tests.worker.lease_clock import LeaseClock
from tests.worker.scripted_engine import (
    LEASE_CONFLICT,
    LOST,
    Answer,
    ScriptedEngine,
    extension,
    once,
    problem,
    task,
)


def repeated(engine: ScriptedEngine, lease_clock: LeaseClock, worker: Worker) -> None:
    """Let a little time pass again and again until a failed renewal is tried once more."""

    engine.wait_for("extend-lock")

    def tried() -> bool:
        lease_clock.advance(worker, 0.1)
        return len(engine.calls("extend-lock")) > 1

    eventually(tried, 60)


def test_a_long_handler_keeps_its_lease(
    engine: ScriptedEngine, start_worker: StartWorker, lease_clock: LeaseClock
) -> None:
    held = Held()
    engine.offer(task())
    worker = start_worker(held, lock_duration_ms=2_000)
    assert held.started.wait(60)
    for _ in range(3):
        lease_clock.advance(worker, 0.9)
        # Counted from the renewal, which is due at half time.
        assert 1.0 <= lease_clock.renewed(worker, held.contexts[0], 0.2) <= 1.2
    first, *_ = engine.calls("extend-lock")
    held.released.set()
    [completion] = engine.wait_for("complete")
    assert first.body == {"worker_id": "worker-1", "lease_id": 1, "lock_duration_ms": 2_000}
    assert completion.body["variables"] == {"held": True}
    lease_clock.advance(worker, 1.3)
    time.sleep(0.3)
    assert len(engine.calls("extend-lock")) == 3


def test_a_short_handler_causes_no_renewal(
    engine: ScriptedEngine, start_worker: StartWorker, lease_clock: LeaseClock
) -> None:
    engine.offer(task())
    worker = start_worker(Calling(lambda task, context: TaskResult.complete()), lock_duration_ms=200)
    engine.wait_for("complete")
    lease_clock.advance(worker, 0.15)
    time.sleep(0.3)
    assert engine.calls("extend-lock") == []


def test_the_result_carries_the_newest_lease_id(
    engine: ScriptedEngine, start_worker: StartWorker, lease_clock: LeaseClock
) -> None:
    held = Held()
    engine.script("extend-lock", extension(2), extension(3))
    engine.offer(task(lease_id=1))
    worker = start_worker(held, lock_duration_ms=1_000)
    assert held.started.wait(60)
    for _ in range(2):
        lease_clock.renewed(worker, held.contexts[0], 0.6)
    first, second = engine.calls("extend-lock")
    held.released.set()
    [completion] = engine.wait_for("complete")
    assert (first.body["lease_id"], second.body["lease_id"], completion.body["lease_id"]) == (1, 2, 3)


@pytest.mark.parametrize(
    "answer", [LEASE_CONFLICT, problem(404, "TaskNotFound")], ids=["taken over", "instance gone"]
)
def test_a_lost_lease_stops_the_handler_and_drops_the_result(
    engine: ScriptedEngine,
    start_worker: StartWorker,
    lease_clock: LeaseClock,
    answer: Answer,
    caplog: pytest.LogCaptureFixture,
) -> None:
    held = Held()
    engine.script("extend-lock", answer)
    engine.offer(task())
    worker = start_worker(held, lock_duration_ms=400, concurrency=1)
    assert held.started.wait(60)
    lease_clock.advance(worker, 0.3)
    assert held.saw_loss.wait(60)
    engine.offer(task("next"))
    engine.wait_for("fetch-and-lock", 2)
    held.released.set()
    [completion] = engine.wait_for("complete")
    assert completion.path.endswith("/next/complete")
    assert engine.calls("fail") == []
    assert "result of task task-1 dropped" in caplog.text
    assert len([call for call in engine.calls("extend-lock") if "task-1" in call.path]) == 1


def test_the_result_of_a_deaf_handler_is_dropped_too(
    engine: ScriptedEngine, start_worker: StartWorker, lease_clock: LeaseClock
) -> None:
    flags: list[bool] = []

    def work(task: ExternalTask, context: TaskContext) -> TaskResult:
        flags.append(context.lease_lost)
        context.lease_lost_event.wait(60)
        flags.append(context.lease_lost)
        with pytest.raises(LeaseLost, match="ExternalTaskLeaseConflict"):
            context.raise_if_lost()
        return TaskResult.complete()

    engine.script("extend-lock", LEASE_CONFLICT)
    engine.offer(task())
    worker = start_worker(Calling(work), lock_duration_ms=200)
    eventually(lambda: flags, 60)
    lease_clock.advance(worker, 0.15)
    engine.wait_for("extend-lock")
    assert worker.drain()
    assert flags == [False, True]
    assert engine.calls("complete") == engine.calls("fail") == []


def test_a_lease_that_cannot_be_renewed_is_lost_when_it_ends(
    engine: ScriptedEngine, start_worker: StartWorker, lease_clock: LeaseClock
) -> None:
    held = Held()
    engine.script("extend-lock", *[problem(500, "Fault")] * 100)
    engine.offer(task())
    worker = start_worker(held, lock_duration_ms=60_000)
    assert held.started.wait(60)
    lease_clock.advance(worker, 31)
    repeated(engine, lease_clock, worker)
    left = held.contexts[0].deadline - lease_clock.monotonic()
    lease_clock.advance(worker, left - 1)
    assert not held.saw_loss.wait(0.2)
    lease_clock.advance(worker, 2)
    assert held.saw_loss.wait(60)
    assert len({call.key for call in engine.calls("extend-lock")}) == 1


def test_a_renewal_that_hangs_does_not_hide_the_end(
    engine: ScriptedEngine, start_worker: StartWorker, lease_clock: LeaseClock
) -> None:
    held, over = Held(), threading.Event()
    engine.script("extend-lock", once(over, extension(2)))
    engine.offer(task())
    worker = start_worker(held, lock_duration_ms=400)
    assert held.started.wait(60)
    lease_clock.advance(worker, 0.3)
    engine.wait_for("extend-lock")
    lease_clock.advance(worker, 0.2)
    assert held.saw_loss.wait(30)
    over.set()


def test_a_renewal_whose_answer_was_lost_is_repeated_under_its_key(
    engine: ScriptedEngine, start_worker: StartWorker, lease_clock: LeaseClock
) -> None:
    held = Held()
    engine.script("extend-lock", LOST, extension(2))
    engine.offer(task())
    worker = start_worker(held, lock_duration_ms=60_000)
    assert held.started.wait(60)
    (context,) = held.contexts
    end = context.deadline
    lease_clock.advance(worker, 31)
    repeated(engine, lease_clock, worker)
    # The second answer tells of the first attempt, so the lease lasts from then.
    eventually(lambda: context.deadline > end, 60)
    assert context.deadline - end == pytest.approx(31)
    lease_clock.renewed(worker, context, 30)
    first, second, third = engine.calls("extend-lock")
    held.released.set()
    engine.wait_for("complete")
    assert first.key == second.key != third.key
    assert not held.saw_loss.is_set()


def test_a_handler_that_runs_too_long_is_not_renewed(
    engine: ScriptedEngine, start_worker: StartWorker, lease_clock: LeaseClock
) -> None:
    held = Held()
    engine.offer(task())
    worker = start_worker(held, lock_duration_ms=600, max_run_ms=1_000)
    assert held.started.wait(60)
    for _ in range(3):
        lease_clock.renewed(worker, held.contexts[0], 0.31)
    lease_clock.advance(worker, 0.31)
    assert not held.saw_loss.wait(0.2)
    lease_clock.advance(worker, 0.31)
    assert held.saw_loss.wait(60)
    assert len(engine.calls("extend-lock")) == 3


def test_a_report_waits_for_a_renewal_under_way(
    engine: ScriptedEngine,
    start_worker: StartWorker,
    lease_clock: LeaseClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bpm.worker.lease._LONGEST_CLOSE_S", 60.0)
    held, over = Held(), threading.Event()
    engine.script("extend-lock", once(over, extension(2)))
    engine.offer(task())
    worker = start_worker(held, lock_duration_ms=1_000)
    assert held.started.wait(60)
    lease_clock.advance(worker, 0.6)
    engine.wait_for("extend-lock")
    held.released.set()
    time.sleep(0.3)
    over.set()
    [completion] = engine.wait_for("complete")
    assert completion.body["lease_id"] == 2


def test_a_report_does_not_wait_for_a_renewal_that_hangs(
    engine: ScriptedEngine, start_worker: StartWorker, lease_clock: LeaseClock
) -> None:
    held, over = Held(), threading.Event()
    engine.script("extend-lock", once(over, extension(2)))
    engine.offer(task())
    worker = start_worker(held, lock_duration_ms=4_000)
    assert held.started.wait(60)
    lease_clock.advance(worker, 2.1)
    [renewal] = engine.wait_for("extend-lock")
    held.released.set()
    [completion] = engine.wait_for("complete", seconds=30)
    over.set()
    assert completion.at - renewal.at > 0.9
