"""How a worker ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from bpm.worker import (
    EngineClient,
    EngineError,
    NotFound,
    Refused,
    TaskResult,
    Unauthorized,
    Worker,
    WorkerConfig,
)
from tests.support.children import eventually
from tests.worker.conftest import StartWorker
from tests.worker.handlers import Calling, Echo, Held
from tests.worker.lease_clock import LeaseClock
from tests.worker.scripted_engine import LOST, Answer, Request, ScriptedEngine, once, problem, task


def test_running_handlers_are_waited_for(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    held = Held()
    engine.offer(task())
    worker = start_worker(held)
    assert held.started.wait(60)
    threading.Timer(0.3, held.released.set).start()
    assert worker.drain()
    assert len(engine.calls("complete")) == 1
    fetched = len(engine.calls("fetch-and-lock"))
    time.sleep(0.3)
    assert len(engine.calls("fetch-and-lock")) == fetched


def test_leases_are_kept_while_handlers_are_waited_for(
    engine: ScriptedEngine, start_worker: StartWorker, lease_clock: LeaseClock
) -> None:
    held = Held()
    engine.offer(task())
    worker = start_worker(held, lock_duration_ms=2_000)
    assert held.started.wait(60)
    worker.stop()
    for _ in range(2):
        lease_clock.renewed(worker, held.contexts[0], 1.1)
    held.released.set()
    assert worker.drain()
    assert len(engine.calls("complete")) == 1


def test_a_handler_can_see_that_the_worker_drains(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    begun = threading.Event()

    def work(task: object, context: object) -> TaskResult:
        begun.set()
        while not context.draining:  # type: ignore[attr-defined]
            time.sleep(0.01)
        return TaskResult.fail("stopped half-way", retry_after_ms=0)

    engine.offer(task())
    worker = start_worker(Calling(work))
    assert begun.wait(60)
    assert worker.drain()
    [report] = engine.calls("fail")
    assert report.body["retry_after_ms"] == 0


def test_what_arrives_after_the_end_was_asked_for_is_given_back(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    tasks = [task("a", lease_id=5), task("b", lease_id=6)]
    stopped = threading.Event()
    engine.script("fetch-and-lock", once(stopped, Answer(body=tasks)))
    handler = Calling(lambda task, context: TaskResult.complete())
    worker = start_worker(handler)
    engine.wait_for("fetch-and-lock")
    worker.stop()
    stopped.set()
    assert worker.drain()
    unlocks = {call.path.split("/")[-2]: call.body for call in engine.calls("unlock")}
    assert unlocks == {
        "a": {"worker_id": "worker-1", "lease_id": 5},
        "b": {"worker_id": "worker-1", "lease_id": 6},
    }
    assert handler.tasks == []


def test_what_a_lost_answer_leased_is_given_back(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    stopped = threading.Event()
    engine.script("fetch-and-lock", once(stopped, LOST), Answer(body=[task(lease_id=5)]))
    worker = start_worker(Echo())
    engine.wait_for("fetch-and-lock")
    worker.stop()
    stopped.set()
    assert worker.drain()
    first, second = engine.calls("fetch-and-lock")
    assert first.key == second.key
    assert len(engine.calls("unlock")) == 1


def test_giving_back_is_repeated_under_its_key_and_given_up_when_refused(
    engine: ScriptedEngine,
    start_worker: StartWorker,
    lease_clock: LeaseClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    stopped = threading.Event()
    engine.script("fetch-and-lock", once(stopped, Answer(body=[task()])))
    engine.script("unlock", LOST, problem(500, "Fault"), problem(404, "TaskNotFound"))
    worker = start_worker(Echo())
    engine.wait_for("fetch-and-lock")
    worker.stop()
    stopped.set()
    assert worker.drain()
    assert len({call.key for call in engine.wait_for("unlock", 3)}) == 1
    assert "task task-1 could not be given back" in caplog.text


def test_no_chained_fetch_when_draining(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    held = Held()
    engine.offer(task())
    worker = start_worker(held, wait_ms=30_000)
    assert held.started.wait(60)
    engine.wait_for("fetch-and-lock", 2)
    worker.stop()
    engine.offer(task("next"))
    held.released.set()
    assert worker.drain()
    assert [call.path.split("/")[-2] for call in engine.calls("complete")] == ["task-1"]
    assert [call.body["wait_ms"] for call in engine.calls("fetch-and-lock")] == [30_000, 30_000]


def test_a_handler_that_outlasts_the_grace_is_abandoned(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    held = Held()
    engine.offer(task())
    worker = start_worker(held, grace_ms=300, lock_duration_ms=600_000, wait_ms=50)
    assert held.started.wait(60)
    started = time.monotonic()
    assert worker.drain() is False
    assert 0.3 <= time.monotonic() - started < 60
    # Not unlocked, or a second handler would start next to the one that still runs.
    assert held.saw_loss.wait(60)
    time.sleep(0.1)
    assert engine.calls("unlock") == engine.calls("complete") == engine.calls("fail") == []


def test_a_pause_after_a_failed_fetch_is_cut_short(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    engine.script("fetch-and-lock", problem(429, "Throttled", retry_after="60"))
    worker = start_worker(Echo())
    engine.wait_for("fetch-and-lock")
    time.sleep(0.2)
    started = time.monotonic()
    assert worker.drain()
    assert time.monotonic() - started < 30
    assert len(engine.calls("fetch-and-lock")) == 1


def test_a_poll_that_outlasts_the_grace_is_no_clean_end(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    over = threading.Event()
    engine.script("fetch-and-lock", once(over, Answer(body=[])))
    worker = start_worker(Echo(), grace_ms=200)
    engine.wait_for("fetch-and-lock")
    assert worker.drain() is False
    over.set()


def test_reports_are_made_until_the_grace_is_over(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    engine.script("complete", *[problem(503, "Overloaded")] * 3)
    engine.offer(task())
    worker = start_worker(Echo())
    engine.wait_for("complete")
    assert worker.drain()
    assert len(engine.calls("complete")) == 4


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (problem(401, "NotAuthenticated"), Unauthorized),
        (problem(404, "NotFound"), NotFound),
        (problem(422, "UnknownTopic"), Refused),
    ],
)
def test_a_worker_that_is_refused_drains_and_says_why(
    engine: ScriptedEngine, client: EngineClient, answer: Answer, kind: type[EngineError]
) -> None:
    held = Held()

    def refuse_while_held(request: Request) -> Answer:
        assert held.started.wait(60)
        threading.Timer(0.2, held.released.set).start()
        return answer

    engine.script("fetch-and-lock", Answer(body=[task()]), refuse_while_held)
    config = WorkerConfig(worker_id="worker-1", wait_ms=0, grace_ms=60_000)
    with pytest.raises(kind, match=str(answer.status)):
        Worker(client, [held], config).run()
    assert len(engine.calls("complete")) == 1


def test_a_refusal_while_draining_is_no_fault(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    stopped = threading.Event()
    engine.script("fetch-and-lock", once(stopped, problem(404, "NotFound")))
    worker = start_worker(Echo())
    engine.wait_for("fetch-and-lock")
    worker.stop()
    stopped.set()
    assert worker.drain()


def test_run_ends_when_another_thread_stops_it(engine: ScriptedEngine, client: EngineClient) -> None:
    worker = Worker(client, [Echo()], WorkerConfig(wait_ms=100))
    threading.Timer(0.2, worker.stop).start()
    assert worker.run() is True


def test_run_works_outside_the_main_thread(engine: ScriptedEngine, client: EngineClient) -> None:
    worker = Worker(client, [Echo()], WorkerConfig(wait_ms=100))
    engine.offer(task())
    results: list[bool] = []
    thread = threading.Thread(target=lambda: results.append(worker.run()))
    thread.start()
    engine.wait_for("complete")
    worker.stop()
    thread.join(60)
    assert results == [True]


def test_a_worker_leaves_no_thread_behind(engine: ScriptedEngine, client: EngineClient) -> None:
    # Those that earlier tests abandoned may still run.
    before = own_threads()
    worker = Worker(client, [Echo()], WorkerConfig(wait_ms=100, concurrency=7))
    worker.start()
    engine.offer(task())
    engine.wait_for("complete")
    assert worker.drain()
    assert worker.drain()
    eventually(lambda: own_threads() <= before, 60)


def own_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name.startswith("bpm-")}


def echo_of(topic: str) -> Calling:
    return Calling(lambda task, context: TaskResult.complete(), topic)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (list, ValueError, "at least one handler"),
        (lambda: [Echo(), Echo()], ValueError, "two handlers for topic 'work'"),
        (lambda: [echo_of("")], ValueError, "empty task_type"),
        (lambda: [Echo], TypeError, "is no handler"),
        (lambda: [echo_of(str(number)) for number in range(101)], ValueError, "at most 100 topics"),
        (lambda: [object()], TypeError, "is no handler"),
    ],
    ids=["none", "two", "empty", "class", "many", "object"],
)
def test_handlers_are_checked(
    client: EngineClient, make: Callable[[], list[Echo]], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        Worker(client, make())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"worker_id": ""}, "worker_id must have 1 to 255 characters"),
        ({"worker_id": "a\tb"}, "worker_id must be printable"),
        ({"concurrency": 0}, "concurrency must be a whole number from 1 to 1000, is 0"),
        ({"wait_ms": 30_001}, "wait_ms must be a whole number from 0 to 30000, is 30001"),
        ({"lock_duration_ms": 1.5}, "lock_duration_ms must be a whole number"),
        ({"max_run_ms": 5}, "max_run_ms must be a whole number"),
    ],
)
def test_settings_are_checked(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WorkerConfig(**changes)  # type: ignore[arg-type]


def test_worker_ids_differ() -> None:
    assert len({WorkerConfig().worker_id for _ in range(50)}) > 45
