"""How a worker keeps a lease, and what it does when it cannot."""

from __future__ import annotations

import time

import pytest

from bpm.worker import EngineUnavailable, ExternalTask, LeaseLost, TaskContext, TaskResult
from tests.worker.conftest import StartWorker
from tests.worker.handlers import Calling, Held
from tests.worker.scripted_engine import LEASE_CONFLICT, LOST, Answer, ScriptedEngine, problem, task


def extension(lease_id: int) -> Answer:
    return Answer(body={"lease_id": lease_id, "lock_expires_at": "2026-01-01T00:01:00Z"})


def test_a_long_handler_keeps_its_lease(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    held = Held()
    engine.offer(task())
    start_worker(held, lock_duration_ms=2_000)
    first, second, third = engine.wait_for("extend-lock", 3)
    fetched = engine.calls("fetch-and-lock")[0].at
    held.released.set()
    [completion] = engine.wait_for("complete")
    for earlier, later in ((fetched, first.at), (first.at, second.at), (second.at, third.at)):
        assert 0.9 <= later - earlier <= 1.9
    assert first.body == {"worker_id": "worker-1", "lease_id": 1, "lock_duration_ms": 2_000}
    assert completion.body["variables"] == {"held": True}
    time.sleep(1.3)
    assert len(engine.calls("extend-lock")) == 3


def test_a_short_handler_causes_no_renewal(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    engine.offer(task())
    start_worker(Calling(lambda task, context: TaskResult.complete()), lock_duration_ms=200)
    engine.wait_for("complete")
    time.sleep(0.3)
    assert engine.calls("extend-lock") == []


def test_the_result_carries_the_newest_lease_id(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    held = Held()
    engine.script("extend-lock", extension(2), extension(3))
    engine.offer(task(lease_id=1))
    start_worker(held, lock_duration_ms=1_000)
    first, second = engine.wait_for("extend-lock", 2)
    held.released.set()
    [completion] = engine.wait_for("complete")
    assert (first.body["lease_id"], second.body["lease_id"], completion.body["lease_id"]) == (1, 2, 3)


@pytest.mark.parametrize(
    "answer", [LEASE_CONFLICT, problem(404, "TaskNotFound")], ids=["taken over", "instance gone"]
)
def test_a_lost_lease_stops_the_handler_and_drops_the_result(
    engine: ScriptedEngine,
    start_worker: StartWorker,
    answer: Answer,
    caplog: pytest.LogCaptureFixture,
) -> None:
    held = Held()
    engine.script("extend-lock", answer)
    engine.offer(task())
    start_worker(held, lock_duration_ms=400, concurrency=1)
    assert held.saw_loss.wait(2)
    engine.offer(task("next"))
    engine.wait_for("fetch-and-lock", 2)
    held.released.set()
    [completion] = engine.wait_for("complete")
    assert completion.path.endswith("/next/complete")
    assert engine.calls("fail") == []
    assert "result of task task-1 dropped" in caplog.text
    assert len([call for call in engine.calls("extend-lock") if "task-1" in call.path]) == 1


def test_the_result_of_a_deaf_handler_is_dropped_too(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    flags: list[bool] = []

    def work(task: ExternalTask, context: TaskContext) -> TaskResult:
        flags.append(context.lease_lost)
        context.lease_lost_event.wait(2)
        flags.append(context.lease_lost)
        with pytest.raises(LeaseLost, match="ExternalTaskLeaseConflict"):
            context.raise_if_lost()
        return TaskResult.complete()

    engine.script("extend-lock", LEASE_CONFLICT)
    engine.offer(task())
    worker = start_worker(Calling(work), lock_duration_ms=200)
    engine.wait_for("extend-lock")
    assert worker.drain()
    assert flags == [False, True]
    assert engine.calls("complete") == engine.calls("fail") == []


def test_a_lease_that_cannot_be_renewed_is_lost_when_it_ends(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    held = Held()
    engine.script("extend-lock", *[problem(500, "Fault")] * 100)
    engine.offer(task())
    start_worker(held, lock_duration_ms=400)
    assert held.started.wait(20)
    started = time.monotonic()
    assert held.saw_loss.wait(2)
    assert 0.2 <= time.monotonic() - started <= 1.5
    assert len({call.key for call in engine.calls("extend-lock")}) == 1


def test_a_renewal_that_hangs_does_not_hide_the_end(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    held = Held()
    engine.script("extend-lock", Answer(delay_s=1.5))
    engine.offer(task())
    start_worker(held, lock_duration_ms=400)
    assert held.started.wait(20)
    started = time.monotonic()
    assert held.saw_loss.wait(1.2)
    assert time.monotonic() - started <= 1.2


def test_a_renewal_whose_answer_was_lost_is_repeated_under_its_key(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    held = Held()
    engine.script("extend-lock", Answer(lost=True, delay_s=0.7), extension(2))
    engine.offer(task())
    start_worker(held, lock_duration_ms=2_000)
    first, second, third = engine.wait_for("extend-lock", 3)
    held.released.set()
    engine.wait_for("complete")
    assert first.key == second.key != third.key
    assert not held.saw_loss.is_set()
    # The second answer tells of the first attempt, so the next renewal is due half a lease after that.
    assert third.at - first.at < 1.6


def test_a_handler_that_runs_too_long_is_not_renewed(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    held = Held()
    engine.offer(task())
    start_worker(held, lock_duration_ms=600, max_run_ms=1_000)
    assert held.saw_loss.wait(3)
    assert 2 <= len(engine.calls("extend-lock")) <= 4


def test_a_handler_may_extend_its_lease_itself(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    seen: list[int] = []

    def work(task: ExternalTask, context: TaskContext) -> TaskResult:
        seen.append(context.remaining_ms)
        context.extend(60_000)
        seen.append(context.remaining_ms)
        assert 59 < context.deadline - time.monotonic() <= 60
        context.sleep(0.8)
        return TaskResult.complete()

    engine.offer(task())
    start_worker(Calling(work), lock_duration_ms=1_000)
    engine.wait_for("complete")
    assert 700 <= seen[0] <= 1_000
    assert 59_000 <= seen[1] <= 60_000
    [call] = engine.calls("extend-lock")
    assert call.body["lock_duration_ms"] == 60_000


def test_extending_never_shortens(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    seen: list[int] = []

    def work(task: ExternalTask, context: TaskContext) -> TaskResult:
        context.extend(60_000)
        context.extend(1_000)
        seen.append(context.remaining_ms)
        return TaskResult.complete()

    engine.offer(task())
    start_worker(Calling(work))
    engine.wait_for("complete")
    assert seen[0] > 59_000
    assert len(engine.calls("extend-lock")) == 1


def test_extending_repeats_until_answered_or_refused(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    caught: list[Exception] = []

    def work(task: ExternalTask, context: TaskContext) -> TaskResult:
        context.extend(20_000)
        for _ in range(2):
            try:
                context.extend(30_000)
            except LeaseLost as lost:
                caught.append(lost)
        return TaskResult.complete()

    engine.script("extend-lock", problem(500, "Fault"), LOST, extension(1), LEASE_CONFLICT)
    engine.offer(task())
    worker = start_worker(Calling(work), lock_duration_ms=5_000)
    calls = engine.wait_for("extend-lock", 4)
    assert worker.drain()
    assert len({call.key for call in calls[:3]}) == 1
    assert calls[3].key != calls[2].key
    # The second refusal needs no call: what is lost stays lost.
    assert [type(error) for error in caught] == [LeaseLost, LeaseLost]
    assert len(engine.calls("extend-lock")) == 4
    assert engine.calls("complete") == []


def test_extending_gives_up_with_the_lease(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    caught: list[Exception] = []

    def work(task: ExternalTask, context: TaskContext) -> TaskResult:
        try:
            context.extend(30_000)
        except (LeaseLost, EngineUnavailable) as error:
            caught.append(error)
        return TaskResult.complete()

    engine.script("extend-lock", *[problem(500, "Fault")] * 100)
    engine.offer(task())
    worker = start_worker(Calling(work), lock_duration_ms=400)
    engine.wait_for("extend-lock")
    assert worker.drain()
    assert len(caught) == 1


def test_a_context_outlives_its_handler_without_effect(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    contexts: list[TaskContext] = []

    def work(task: ExternalTask, context: TaskContext) -> TaskResult:
        contexts.append(context)
        return TaskResult.complete()

    engine.offer(task())
    start_worker(Calling(work))
    engine.wait_for("complete")
    with pytest.raises(LeaseLost, match="the handler has ended"):
        contexts[0].extend(1_000)
    assert engine.calls("extend-lock") == []


def test_a_report_waits_for_a_renewal_under_way(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    held = Held()
    engine.script("extend-lock", Answer(body=extension(2).body, delay_s=0.5))
    engine.offer(task())
    start_worker(held, lock_duration_ms=1_000)
    engine.wait_for("extend-lock")
    held.released.set()
    [completion] = engine.wait_for("complete")
    assert completion.body["lease_id"] == 2


def test_a_report_does_not_wait_for_a_renewal_that_hangs(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    held = Held()
    engine.script("extend-lock", Answer(delay_s=1.9))
    engine.offer(task())
    start_worker(held, lock_duration_ms=4_000)
    [renewal] = engine.wait_for("extend-lock")
    held.released.set()
    [completion] = engine.wait_for("complete")
    assert 0.9 < completion.at - renewal.at < 1.8
