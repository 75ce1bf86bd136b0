"""How a worker gets its tasks."""

from __future__ import annotations

import threading
import time
from itertools import pairwise

import pytest

from bpm.worker import TaskResult
from tests.worker.conftest import StartWorker
from tests.worker.handlers import Calling, Echo, Held, Raising
from tests.worker.scripted_engine import LOST, Answer, Request, ScriptedEngine, once, problem, task


def test_a_task_is_fetched_worked_and_completed(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    engine.offer(task(variables={"n": 9007199254740993}, lease_id=7))
    start_worker(Echo())
    [completion] = engine.wait_for("complete")
    assert completion.path == "/api/v1/external-tasks/task-1/complete"
    assert completion.body == {"worker_id": "worker-1", "lease_id": 7, "variables": {"n": 9007199254740993}}


def test_each_topic_has_its_handler(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    ship = Calling(lambda task, context: TaskResult.complete(), "ship")
    bill = Calling(lambda task, context: TaskResult.complete(), "bill")
    engine.offer(task("a", "ship"), task("b", "bill"), task("c", "ship"))
    start_worker(ship, bill)
    engine.wait_for("complete", 3)
    assert sorted(each.task_id for each in ship.tasks) == ["a", "c"]
    assert [each.task_id for each in bill.tasks] == ["b"]
    assert engine.calls("fetch-and-lock")[0].body["task_types"] == ["ship", "bill"]


def test_no_more_is_fetched_than_threads_are_free(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    held = Held()
    engine.offer(*(task(f"task-{number}") for number in range(5)))
    start_worker(held, concurrency=3, max_tasks=2, wait_ms=0)
    first, second = engine.wait_for("fetch-and-lock", 2)
    assert (first.body["max_tasks"], second.body["max_tasks"]) == (2, 1)
    time.sleep(0.2)
    assert len(engine.calls("fetch-and-lock")) == 2
    held.released.set()
    engine.wait_for("complete", 5)


def test_a_lost_answer_is_asked_for_again_under_the_same_key(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    engine.script("fetch-and-lock", LOST, LOST, Answer(body=[task(lease_id=3)]))
    start_worker(Echo())
    engine.wait_for("complete")
    engine.wait_for("fetch-and-lock", 4)
    first, second, third, fourth = engine.calls("fetch-and-lock")[:4]
    assert first.key == second.key == third.key != fourth.key
    assert first.raw == second.raw == third.raw


def test_a_lease_from_a_repeated_fetch_is_confirmed_before_work_starts(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    engine.script("fetch-and-lock", LOST, Answer(body=[task("fresh", lease_id=3), task("stale", lease_id=2)]))

    def extend(request: Request) -> Answer:
        if "stale" in request.path:
            return problem(409, "ExternalTaskLeaseConflict", violation="ExternalTaskLeaseConflict")
        return Answer(body={"lease_id": 4, "lock_expires_at": "2026-01-01T00:01:00Z"})

    engine.script("extend-lock", extend, extend)
    handler = Calling(lambda task, context: TaskResult.complete())
    start_worker(handler)
    [completion] = engine.wait_for("complete")
    engine.wait_for("extend-lock", 2)
    assert [each.task_id for each in handler.tasks] == ["fresh"]
    assert completion.body["lease_id"] == 4


@pytest.mark.parametrize(
    ("failures", "same_key"),
    [
        ([problem(500, "Fault"), problem(503, "Overloaded")], True),
        ([problem(409, "IdempotencyInProgress")], True),
        ([problem(429, "Throttled", retry_after="0")], True),
        ([Answer(502, b"<html>", {"Content-Type": "text/html"})], True),
    ],
    ids=["5xx", "in progress", "throttled", "proxy"],
)
def test_failing_fetches_are_repeated(
    engine: ScriptedEngine, start_worker: StartWorker, failures: list[Answer], same_key: bool
) -> None:
    engine.script("fetch-and-lock", *failures)
    engine.offer(task())
    start_worker(Echo())
    engine.wait_for("complete")
    repeated = engine.calls("fetch-and-lock")[: len(failures) + 1]
    assert (len({request.key for request in repeated}) == 1) is same_key


def test_a_lost_answer_that_was_not_kept_is_not_asked_for_again(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    engine.script("fetch-and-lock", LOST, problem(409, "AnswerNotKept"))
    engine.offer(task())
    start_worker(Echo())
    engine.wait_for("complete")
    first, second, third = engine.calls("fetch-and-lock")[:3]
    assert first.key == second.key != third.key


@pytest.mark.parametrize(
    "answer",
    [problem(503, "Overloaded", retry_after="1"), Answer(body=[], headers={"Retry-After": "1"})],
    ids=["refused", "empty"],
)
def test_retry_after_is_honoured(engine: ScriptedEngine, start_worker: StartWorker, answer: Answer) -> None:
    engine.script("fetch-and-lock", answer)
    start_worker(Echo())
    first, second = engine.wait_for("fetch-and-lock", 2)[:2]
    assert 1.0 <= second.at - first.at < 30.0


def test_failures_are_not_repeated_in_a_hot_loop(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    engine.script("fetch-and-lock", *[problem(500, "Fault")] * 1_000)
    start_worker(Echo(), backoff_base_ms=50)
    engine.wait_for("fetch-and-lock", 2)
    time.sleep(1.0)
    assert len(engine.calls("fetch-and-lock")) <= 30


def test_an_engine_that_does_not_hold_fetches_is_asked_at_intervals(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    began = time.monotonic()
    start_worker(Echo(), wait_ms=0, poll_interval_ms=100)
    # Counted from the beginning: a call that came late says nothing of the distance to the next one.
    for number, call in enumerate(engine.wait_for("fetch-and-lock", 6)):
        assert call.at - began >= 0.099 * number


def test_an_idle_worker_polls_long(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    start_worker(Echo(), wait_ms=400)
    for earlier, later in pairwise(engine.wait_for("fetch-and-lock", 3)):
        assert later.at - earlier.at >= 0.4


def test_there_is_no_gap_between_chained_tasks(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    """Each completion makes the next task ready; the long poll under way would find it at its next look."""
    over = threading.Event()
    engine.script("fetch-and-lock", Answer(body=[task("task-1")]), once(over, Answer(body=[])))

    def complete(request: Request) -> Answer:
        step = len(engine.calls("complete"))
        if step < 5:
            engine.offer(task(f"task-{step + 1}"))
        return Answer(body={})

    engine.script("complete", *[complete] * 5)

    def work(task: object, context: object) -> TaskResult:
        # The fetching thread's next poll is under way; it looks no more until the end of the test.
        engine.wait_for("fetch-and-lock", 2)
        return TaskResult.complete()

    start_worker(Calling(work), wait_ms=1_500)
    completed = [call.at for call in engine.wait_for("complete", 5)]
    at_once = [call.at for call in engine.calls("fetch-and-lock") if call.body["wait_ms"] == 0]
    for done, next_done in pairwise(completed):
        assert any(done <= at <= next_done for at in at_once)
    over.set()


def test_a_busy_worker_fetches_no_more_often_than_it_must(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    engine.offer(*(task(f"task-{number}") for number in range(5)))
    start_worker(Echo(), concurrency=1)
    engine.wait_for("complete", 5)
    # A free thread makes the fetching thread ask; only one that interrupts a poll would ask without waiting.
    assert [call.body["wait_ms"] for call in engine.calls("fetch-and-lock")[:5]] == [100] * 5


def test_a_failure_is_no_reason_to_fetch_at_once(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    engine.offer(task())
    worker = start_worker(Raising(), wait_ms=300)
    engine.wait_for("fail")
    time.sleep(0.2)
    assert worker.drain()
    assert {call.body["wait_ms"] for call in engine.calls("fetch-and-lock")} == {300}


def test_a_topic_that_was_not_asked_for_is_given_back(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    engine.script("fetch-and-lock", Answer(body=[task("alien", "other", lease_id=9)]))
    start_worker(Echo())
    [unlock] = engine.wait_for("unlock")
    assert unlock.path.endswith("/alien/unlock")
    assert unlock.body == {"worker_id": "worker-1", "lease_id": 9}


def test_more_tasks_than_asked_for_are_all_worked(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    engine.script("fetch-and-lock", Answer(body=[task(f"task-{number}") for number in range(5)]))
    engine.offer(task("later"))
    start_worker(Echo(), concurrency=1)
    completed = [request.path.split("/")[-2] for request in engine.wait_for("complete", 6)]
    assert completed == ["task-0", "task-1", "task-2", "task-3", "task-4", "later"]
