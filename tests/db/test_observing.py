"""What the engine tells those who watch its commands."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bpm import engine
from bpm.models import UserTask
from tests.support.loop_models import deploy, external, process

USER = "<userTask ID/>"


@pytest.fixture
def seen() -> Iterator[list[engine.Execution]]:
    executions: list[engine.Execution] = []
    engine.watch(executions.append)
    try:
        yield executions
    finally:
        engine.unwatch(executions.append)


def told(executions: list[engine.Execution]) -> list[tuple[str, str, str | None]]:
    return [(one.command, one.outcome, one.status) for run in executions for one in run.commands]


def test_a_command_is_told_with_its_instance_and_statements(
    transactional_db: None, seen: list[engine.Execution]
) -> None:
    deploy(process("p", USER))
    started = engine.start("p")
    (task,) = UserTask.objects.values_list("id", flat=True)
    engine.complete_task(str(task))
    assert told(seen) == [("StartInstance", "done", "RUNNING"), ("CompleteUserTask", "done", "COMPLETED")]
    for execution in seen:
        assert execution.commands[0].instance_id == started["instance_id"]
        assert not execution.batch
        assert 1 <= execution.statements <= 20
        assert 0 < execution.seconds < 60


def test_a_refusal_is_told_apart_from_what_breaks(
    transactional_db: None, seen: list[engine.Execution]
) -> None:
    with pytest.raises(engine.errors.TaskNotFound):
        engine.complete_task("0197ab2c-0000-7000-8000-000000000000")
    assert told(seen) == [("CompleteUserTask", "TaskNotFound", None)]
    assert seen[0].commands[0].refused


def test_a_batch_is_told_once_with_all_its_commands(
    transactional_db: None, seen: list[engine.Execution]
) -> None:
    deploy(process("p", external("t")))
    engine.start_many([engine.Start(process="p"), engine.Start(process="none"), engine.Start(process="p")])
    leased = engine.fetch_and_lock("w", topics=["t"], max_tasks=5, lock_ms=10_000)
    (batch, fetch) = seen
    assert batch.batch
    assert [one.outcome for one in batch.commands] == ["done", "DefinitionNotFound", "done"]
    assert told([fetch]) == [("FetchAndLock", "done", None)]
    assert len(leased) == 2


def test_an_observer_that_fails_fails_alone(
    transactional_db: None, seen: list[engine.Execution], caplog: pytest.LogCaptureFixture
) -> None:
    deploy(process("p"))

    def fail(execution: engine.Execution) -> None:
        raise RuntimeError("no")

    engine.watch(fail)
    try:
        assert engine.start("p")["status"] == "COMPLETED"
    finally:
        engine.unwatch(fail)
    assert told(seen) == [("StartInstance", "done", "COMPLETED")]
    assert "an observer of commands failed" in caplog.text
