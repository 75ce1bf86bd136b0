"""How a handler extends its lease itself."""

from __future__ import annotations

import pytest

from bpm.worker import EngineUnavailable, ExternalTask, LeaseLost, TaskContext, TaskResult
from tests.worker.conftest import StartWorker
from tests.worker.handlers import Calling
from tests.worker.lease_clock import LeaseClock
from tests.worker.scripted_engine import LEASE_CONFLICT, LOST, ScriptedEngine, extension, problem, task


def test_a_handler_may_extend_its_lease_itself(
    engine: ScriptedEngine, start_worker: StartWorker, lease_clock: LeaseClock
) -> None:
    seen: list[float] = []

    def work(task: ExternalTask, context: TaskContext) -> TaskResult:
        seen.append(context.remaining_ms)
        context.extend(60_000)
        seen.extend((context.remaining_ms, context.deadline - lease_clock.monotonic()))
        lease_clock.advance(worker, 0.8)
        context.sleep(0.3)
        return TaskResult.complete()

    worker = start_worker(Calling(work), lock_duration_ms=1_000)
    engine.offer(task())
    engine.wait_for("complete")
    assert seen == [1_000, 60_000, pytest.approx(60)]
    [call] = engine.calls("extend-lock")
    assert call.body["lock_duration_ms"] == 60_000


def test_extending_never_shortens(
    engine: ScriptedEngine, start_worker: StartWorker, lease_clock: LeaseClock
) -> None:
    seen: list[int] = []

    def work(task: ExternalTask, context: TaskContext) -> TaskResult:
        context.extend(60_000)
        context.extend(1_000)
        seen.append(context.remaining_ms)
        return TaskResult.complete()

    engine.offer(task())
    start_worker(Calling(work))
    engine.wait_for("complete")
    assert seen == [60_000]
    assert len(engine.calls("extend-lock")) == 1


def test_extending_repeats_until_answered_or_refused(
    engine: ScriptedEngine, start_worker: StartWorker, lease_clock: LeaseClock
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


def test_extending_gives_up_with_the_lease(
    engine: ScriptedEngine, start_worker: StartWorker, lease_clock: LeaseClock
) -> None:
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
    lease_clock.advance(worker, 0.5)
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
