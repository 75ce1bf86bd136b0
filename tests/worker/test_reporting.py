"""How a worker tells the outcome."""

from __future__ import annotations

import pytest

from bpm.worker import ExternalTask, NotJson, TaskContext, TaskResult
from tests.worker.conftest import StartWorker
from tests.worker.handlers import Calling, Echo, Raising
from tests.worker.lease_clock import LeaseClock
from tests.worker.scripted_engine import LEASE_CONFLICT, LOST, Answer, ScriptedEngine, problem, task

HOLDER = {"worker_id": "worker-1", "lease_id": 1}


def returning(result: object) -> Calling:
    return Calling(lambda task, context: result)  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize(
    ("result", "action", "body"),
    [
        (TaskResult.complete(), "complete", {"variables": {}}),
        (TaskResult.complete({"ok": True}), "complete", {"variables": {"ok": True}}),
        (TaskResult.fail("later"), "fail", {"error": "later"}),
        (
            TaskResult.fail("later", retries=2, retry_after_ms=3_000, details="why"),
            "fail",
            {"error": "later", "retries": 2, "retry_after_ms": 3_000, "details": "why"},
        ),
        (TaskResult.bpmn_error("NO_FUNDS"), "bpmn-error", {"error_code": "NO_FUNDS"}),
        (
            TaskResult.bpmn_error("NO_FUNDS", "empty", {"balance": 0}),
            "bpmn-error",
            {"error_code": "NO_FUNDS", "error_message": "empty", "variables": {"balance": 0}},
        ),
    ],
    ids=["complete", "variables", "fail", "fail with all", "error", "error with all"],
)
def test_results(
    engine: ScriptedEngine,
    start_worker: StartWorker,
    result: TaskResult,
    action: str,
    body: dict[str, object],
) -> None:
    engine.offer(task())
    start_worker(returning(result))
    [report] = engine.wait_for(action)
    assert report.body == HOLDER | body


def test_an_exception_is_a_failure_with_its_traceback(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    engine.offer(task())
    start_worker(Raising())
    [report] = engine.wait_for("fail")
    assert report.body["error"] == "RuntimeError: the other system is down"
    assert "handlers.py" in report.body["details"]
    assert report.body["details"].endswith("RuntimeError: the other system is down\n")
    assert report.body.keys() == {"worker_id", "lease_id", "error", "details"}


def test_even_an_exit_fails_only_its_task(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    def work(task: ExternalTask, context: TaskContext) -> TaskResult:
        raise SystemExit(3)

    engine.offer(task("a"), task("b"))
    start_worker(Calling(work), concurrency=1)
    assert [report.body["error"] for report in engine.wait_for("fail", 2)] == ["SystemExit: 3"] * 2


def test_foreign_text_in_an_exception_is_made_sendable_and_cut(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    def work(task: ExternalTask, context: TaskContext) -> TaskResult:
        raise ValueError("nul \x00, surrogate \ud800, " + "x" * 50_000)

    engine.offer(task())
    start_worker(Calling(work))
    [report] = engine.wait_for("fail")
    assert report.body["error"].startswith("ValueError: nul \ufffd, surrogate ?, xxx")
    assert len(report.body["error"]) == 1_000
    assert len(report.body["details"]) == 16_000


def test_a_handler_must_return_a_result(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    engine.offer(task())
    start_worker(returning({"status": "PAID"}))
    [report] = engine.wait_for("fail")
    assert report.body["error"] == "handler of 'work' returned dict; it must return a TaskResult"


@pytest.mark.parametrize(
    "failures",
    [
        [LOST, LOST],
        [problem(500, "Fault"), Answer(502, b"oops", {"Content-Type": "text/plain"})],
        [problem(409, "Suspended"), problem(409, "IdempotencyInProgress")],
        [problem(429, "Throttled", retry_after="0.1"), LOST],
    ],
    ids=["lost", "5xx", "conflicts that pass", "throttled"],
)
def test_a_report_is_repeated_under_its_key_until_answered(
    engine: ScriptedEngine, start_worker: StartWorker, failures: list[Answer]
) -> None:
    engine.script("complete", *failures)
    engine.offer(task(variables={"x": 1}))
    handler = Calling(lambda task, context: TaskResult.complete(task.variables))
    worker = start_worker(handler)
    reports = engine.wait_for("complete", 3)
    assert worker.drain()
    assert len({report.key for report in reports}) == 1
    assert len({report.raw for report in reports}) == 1
    assert len(engine.calls("complete")) == 3
    assert len(handler.tasks) == 1


def test_a_report_whose_first_answer_is_gone_was_heard(
    engine: ScriptedEngine, start_worker: StartWorker, caplog: pytest.LogCaptureFixture
) -> None:
    engine.script("complete", LOST, problem(409, "AnswerNotKept"))
    engine.offer(task())
    worker = start_worker(Echo())
    engine.wait_for("complete", 2)
    assert worker.drain()
    assert len(engine.calls("complete")) == 2
    assert engine.calls("fail") == []
    assert "dropped" not in caplog.text


def test_reports_end_with_the_lease(
    engine: ScriptedEngine,
    start_worker: StartWorker,
    lease_clock: LeaseClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    engine.script("complete", *[problem(503, "Overloaded")] * 200)
    engine.offer(task())
    worker = start_worker(Echo(), lock_duration_ms=500)
    engine.wait_for("complete", 2)
    lease_clock.advance(worker, 0.6)
    assert worker.drain()
    assert len(engine.calls("complete")) < 200
    assert "lease ended before an answer" in caplog.text
    assert engine.calls("extend-lock") == engine.calls("fail") == []


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (LEASE_CONFLICT, "ExternalTaskLeaseConflict"),
        (problem(409, "TaskClosed"), "TaskClosed"),
        (problem(404, "TaskNotFound"), "TaskNotFound"),
        (problem(403, "PermissionDenied"), "PermissionDenied"),
    ],
    ids=["lease lost", "closed", "gone", "forbidden"],
)
def test_a_result_that_nobody_wants_is_dropped_and_logged(
    engine: ScriptedEngine,
    start_worker: StartWorker,
    caplog: pytest.LogCaptureFixture,
    answer: Answer,
    word: str,
) -> None:
    engine.script("complete", answer)
    engine.offer(task())
    worker = start_worker(Echo())
    engine.wait_for("complete")
    assert worker.drain()
    assert f"result of task task-1 dropped: {answer.status} {word}" in caplog.text
    assert len(engine.calls("complete")) == 1
    assert engine.calls("fail") == []


def test_a_refused_result_becomes_a_failure(engine: ScriptedEngine, start_worker: StartWorker) -> None:
    engine.script("complete", problem(400, "InvalidVariables"))
    engine.offer(task())
    start_worker(Echo())
    [report] = engine.wait_for("fail")
    assert report.body == HOLDER | {
        "error": "the engine refused the result (400 InvalidVariables: because of InvalidVariables)"
    }


def test_a_refused_failure_is_repeated_plainly_once(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    engine.script("fail", problem(409, "RetriesNotMonotonic"), problem(400, "InvalidRequest"))
    engine.offer(task())
    worker = start_worker(returning(TaskResult.fail("broken", retries=9)))
    first, second = engine.wait_for("fail", 2)
    assert worker.drain()
    assert first.body["retries"] == 9
    assert second.body == HOLDER | {
        "error": "broken (409 RetriesNotMonotonic: because of RetriesNotMonotonic)"
    }
    assert len(engine.calls("fail")) == 2


def test_variables_that_became_unsendable_are_a_failure(
    engine: ScriptedEngine, start_worker: StartWorker
) -> None:
    def work(task: ExternalTask, context: TaskContext) -> TaskResult:
        items: list[str] = []
        result = TaskResult.complete({"items": items})
        items.append("\x00")
        return result

    engine.offer(task())
    start_worker(Calling(work))
    [report] = engine.wait_for("fail")
    assert "variables.items[0]: text must not contain NUL" in report.body["error"]


def test_results_are_checked_where_they_are_made() -> None:
    with pytest.raises(NotJson, match=r"^variables\.x: set is not a JSON value$"):
        TaskResult.complete({"x": {1}})  # type: ignore[dict-item]
    with pytest.raises(NotJson, match=r"^variables\.x: object is not a JSON value$"):
        TaskResult.bpmn_error("E", variables={"x": object()})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="retries must be >= 0, is -1"):
        TaskResult.fail("no", retries=-1)
    with pytest.raises(ValueError, match="retry_after_ms must be >= 0, is -5"):
        TaskResult.fail("no", retry_after_ms=-5)
    with pytest.raises(ValueError, match="code must not be empty"):
        TaskResult.bpmn_error("")
