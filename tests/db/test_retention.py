"""Ended instances go when their time is over: whole trees, exported first, in batches that can be interrupted."""

from __future__ import annotations

import gzip
import io
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.utils import timezone
from pytest_django import Settings

from bpm import engine
from bpm.models import DefinitionEvent, HistoryEvent, ProcessInstance, Token
from bpm.shell import removal
from bpm.shell.clock import frozen
from bpm.shell.export import verify_export
from bpm.shell.sql.owned_rows import owned_rows
from bpm.shell.verifying import find_strays
from tests.support.loop_models import deploy, external, process
from tests.support.statements import executed

LATER = timedelta(days=31)
USER = "<userTask ID/>"
STATEMENTS = {"postgresql": 42, "sqlite": 43}


def ended(key: str, number: int) -> list[str]:
    answers = engine.start_many([engine.Start(process=key, variables={"n": n}) for n in range(number)])
    return [str(answer["instance_id"]) for answer in answers if isinstance(answer, dict)]


def run(*, days_later: float = 31, **how: object) -> list[engine.Removed]:
    with frozen(timezone.now() + timedelta(days=days_later)):
        return list(engine.remove_expired(pace=0.0, **how))  # type: ignore[arg-type]


def left() -> set[str]:
    return {str(row) for row in ProcessInstance.objects.values_list("id", flat=True)}


def test_nothing_goes_without_a_rule(transactional_db: None) -> None:
    deploy(process("p"))
    kept = ended("p", 3)
    assert run(days_later=10_000) == []
    assert left() == set(kept)


def test_what_has_ended_long_ago_goes_and_what_has_not_stays(transactional_db: None) -> None:
    deploy(process("p"), process("q"), process("waits", USER))
    ended("p", 3)
    stays = [*ended("q", 2), *ended("waits", 2)]
    engine.set_retention("p", 30, actor="ada")
    engine.set_retention("waits", 0)
    assert run(days_later=29) == []
    (removed,) = run()
    assert (removed.key, removed.instances) == ("p", 3)
    assert left() == set(stays)
    assert not list(find_strays())
    kept = [UUID(instance) for instance in stays]
    assert HistoryEvent.objects.exclude(instance_id__in=kept).count() == 0
    assert Token.objects.exclude(instance_id__in=kept).count() == 0
    told = DefinitionEvent.objects.filter(key="p").order_by("sequence")
    assert list(told.values_list("event_type", "actor"))[-2:] == [
        ("RetentionSet", "ada"),
        ("InstancesRemoved", ""),
    ]


def test_a_rule_of_a_process_is_stronger_than_the_setting(transactional_db: None, settings: Settings) -> None:
    settings.BPM = {**settings.BPM, "RETENTION_DAYS": 30}
    deploy(process("p"), process("q"), process("r"))
    ended("p", 1)
    kept = [*ended("q", 1), *ended("r", 1)]
    engine.set_retention("q", None)
    engine.set_retention("r", 90)
    assert [removed.key for removed in run()] == ["p"]
    assert left() == set(kept)
    engine.clear_retention("q")
    assert [removed.key for removed in run()] == ["q"]


def test_every_table_that_belongs_to_an_instance_is_emptied(transactional_db: None) -> None:
    deploy(process("p", external("t"), USER, "<manualTask ID/>"))
    (instance,) = ended("p", 1)
    (task,) = engine.fetch_and_lock("w", topics=["t"], max_tasks=1, lock_ms=10_000)
    engine.complete_external_task(task["task_id"], worker="w", variables={"x": 1})
    engine.cancel(instance)
    assert {table for table, _ in owned_rows()} >= {"bpm_token", "bpm_historyevent", "bpm_externaltask"}
    engine.set_retention("p", 0)
    assert run()[0].instances == 1
    assert not list(find_strays())
    assert HistoryEvent.objects.count() == 0


CALLER = process("caller", '<callActivity calledElement="called" ID/>')


def test_called_instances_go_with_their_caller_and_never_alone(transactional_db: None) -> None:
    deploy(process("called"), CALLER)
    ended("caller", 1)
    assert ProcessInstance.objects.count() == 2
    engine.set_retention("called", 0)
    assert run() == []
    engine.set_retention("caller", 0)
    (removed,) = run()
    assert removed.instances == 2
    assert left() == set()


def test_what_is_still_on_its_way_keeps_its_instances(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bpm.models import Outbox

    deploy(process("p"))
    (instance,) = ended("p", 1)
    now = timezone.now()
    row = Outbox.objects.create(
        source=instance, target=None, command="x", payload="{}", available_at=now, created_at=now
    )
    engine.set_retention("p", 0)
    assert run() == []
    row.delete()
    assert run()[0].instances == 1


def test_histories_are_exported_before_and_can_be_verified_without_a_database(
    transactional_db: None, tmp_path: Path
) -> None:
    deploy(process("p"))
    gone = ended("p", 3)
    engine.set_retention("p", 0)
    (removed,) = run(folder=tmp_path)
    assert removed.file is not None
    with gzip.open(removed.file, "rt") as lines:
        results = list(verify_export(lines))
    assert sorted(result.instance for result in results) == sorted(gone)
    assert not any(result.findings for result in results)
    assert [path.suffix for path in tmp_path.iterdir()] == [".gz"]


def test_an_interrupted_run_is_gone_on_with(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(removal, "BATCH", 2)
    deploy(process("p"))
    ended("p", 5)
    engine.set_retention("p", 0)
    with frozen(timezone.now() + LATER):
        list(islice(engine.remove_expired(pace=0.0, folder=tmp_path), 1))
    assert len(left()) == 3
    assert [removed.instances for removed in run(folder=tmp_path)] == [2, 1]
    assert left() == set()


def test_a_failure_in_the_middle_of_a_batch_removes_nothing(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    deploy(process("p"))
    kept = ended("p", 2)
    engine.set_retention("p", 0)

    def fail(*_: object) -> None:
        raise DatabaseError("gone")

    monkeypatch.setattr(removal, "_note", fail)
    with pytest.raises(DatabaseError):
        run()
    assert left() == set(kept)
    assert HistoryEvent.objects.exists()
    with pytest.raises(DatabaseError), transaction.atomic():
        HistoryEvent.objects.all().delete()


@pytest.mark.parametrize("instances", [1, 20])
def test_a_batch_takes_the_same_statements_whatever_its_size(transactional_db: None, instances: int) -> None:
    deploy(process("p"))
    ended("p", 1)
    engine.set_retention("p", 0)
    run()
    ended("p", instances)
    with executed() as found, frozen(timezone.now() + LATER):
        assert next(engine.remove_expired(pace=0.0)).instances == instances
    # SQLite reports a statement once more for each row that its trigger looks at.
    texts = set(found.statements) if connection.vendor == "sqlite" else found.statements
    assert len(texts) == STATEMENTS[connection.vendor]


def test_the_command_says_what_would_go_and_removes_it(transactional_db: None) -> None:
    deploy(process("p"))
    ended("p", 3)
    events = HistoryEvent.objects.count()
    call_command("retain", process="p", days=30)
    said = io.StringIO()
    with frozen(timezone.now() + LATER):
        call_command("retain", dry_run=True, stdout=said)
        call_command("retain", pace=0.0, stdout=said)
    assert said.getvalue().splitlines() == [
        "3 instances would go, with those that they called",
        f"3 instances with {events} events removed",
    ]
    with pytest.raises(CommandError, match="need --process"):
        call_command("retain", days=3)
    with pytest.raises(CommandError, match="no such process definition"):
        call_command("retain", process="none", days=3)


def test_the_queue_removes_in_the_background(transactional_db: None, settings: Settings) -> None:
    from bpm.jobs.tasks import retain

    settings.BPM = {**settings.BPM, "RETENTION_DAYS": 30}
    deploy(process("p"))
    ended("p", 2)
    assert retain() == 0
    with frozen(timezone.now() + LATER):
        assert retain() == 2


def test_what_changes_after_its_export_stays_for_the_next_run(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    deploy(process("p"))
    (instance,) = ended("p", 1)
    engine.set_retention("p", 0)
    write = removal._export

    def write_and_erase(*arguments: Any) -> Path:
        assert not connection.in_atomic_block, "files are written outside transactions"
        path = write(*arguments)
        engine.erase_personal_data(instance)
        return path

    with monkeypatch.context() as patch:
        patch.setattr(removal, "_export", write_and_erase)
        assert run(folder=tmp_path) == []
    assert left() == {instance}
    assert run(folder=tmp_path)[0].instances == 1
