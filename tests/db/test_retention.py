"""Ended instances go when their time is over: whole trees, exported first, in batches that can be interrupted."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator
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
from bpm.bench import processes
from bpm.models import DefinitionEvent, HistoryEvent, ProcessInstance, Token
from bpm.shell import removal, retention_rules
from bpm.shell.clock import frozen
from bpm.shell.export import verify_export
from bpm.shell.heartbeats import clean
from bpm.shell.sql.owned_rows import owned_rows
from bpm.shell.verifying import find_strays
from tests.db.test_growth import faults, store_ended
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


def test_an_instance_may_have_called_more_than_a_statement_can_name(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = "<multiInstanceLoopCharacteristics><loopCardinality>7</loopCardinality></multiInstanceLoopCharacteristics>"
    called = f'<callActivity calledElement="called" ID>{many}</callActivity>'
    deploy(process("called"), process("caller", called))
    ended("caller", 2)
    events = HistoryEvent.objects.count()
    engine.set_retention("caller", 0)
    monkeypatch.setattr(removal, "_NAMED", 3)
    (removed,) = run()
    assert (removed.instances, removed.events) == (16, events)
    assert left() == set()
    assert not list(find_strays())


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


def test_instances_of_every_version_go_and_long_histories_make_short_batches(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    deploy(process("p"))
    ended("p", 3)
    deploy(process("p", "<manualTask ID/>"))
    ended("p", 3)
    events = HistoryEvent.objects.count()
    engine.set_retention("p", 0)
    monkeypatch.setattr(removal, "EVENTS", 1)
    gone = run()
    assert [removed.instances for removed in gone] == [1] * 6
    assert sum(removed.events for removed in gone) == events
    assert left() == set()


def test_whatever_the_length_of_their_histories_all_expired_go_and_each_run_gets_on(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P101: a cleaning that deletes the children and never the instances, or does not end."""
    monkeypatch.setattr(removal, "BATCH", 3)
    monkeypatch.setattr(removal, "EVENTS", 400)
    engine.deploy([("loop.bpmn", processes.loop("loop", 60)), ("caller.bpmn", CALLER)])
    deploy(process("called"), process("waits", USER))
    for turns in (1, 60) * 4:
        engine.start("loop", variables={"n": 60 - turns})
    ended("caller", 4)
    live = ended("waits", 3)
    for key in ("loop", "caller", "waits"):
        engine.set_retention(key, 30)
    rows, runs = HistoryEvent.objects.count(), 0
    with frozen(timezone.now() + LATER):
        while gone := list(islice(engine.remove_expired(pace=0.0), 1)):
            assert HistoryEvent.objects.count() == rows - gone[0].events < rows
            rows, runs = HistoryEvent.objects.count(), runs + 1
    assert runs > 4
    assert left() == set(live)
    assert not list(find_strays())


@pytest.mark.postgresql
def test_every_statement_of_the_cleaning_looks_its_rows_up_in_an_index(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P106: a cleaning that scans whole tables."""
    store_ended()
    deploy(process("p", external("over")))
    engine.start_many([engine.Start(process="p")] * 20)
    engine.set_retention("over", 0)
    seen: dict[str, Any] = {}

    def look(execute: Any, text: str, parameters: Any, many: bool, context: Any) -> Any:
        if text.startswith(("SELECT", "UPDATE", "DELETE")) and "bpm_" in text:
            seen.setdefault(text, parameters)
        return execute(text, parameters, many, context)

    with connection.execute_wrapper(look):
        list(islice(engine.remove_expired(pace=0.0), 1))
        clean()
    assert len(seen) > 30
    wrong = []
    with transaction.atomic(), connection.cursor() as cursor:
        for text, parameters in seen.items():
            cursor.execute(f"EXPLAIN (FORMAT JSON) {text}", parameters)
            (plan,) = cursor.fetchone()
            found = json.loads(plan) if isinstance(plan, str) else plan
            wrong += [
                f"{fault} in {text[:120]}" for fault in faults(found[0]["Plan"]) if not _is_small(fault)
            ]
    assert wrong == []


def _is_small(fault: str) -> bool:
    """Return whether a fault is about a table with a row per process, per loop or per cursor."""
    return any(f" {name} " in f"{fault} " for name in _SMALL)


_SMALL = ("bpm_retentionrule", "bpm_heartbeat", "bpm_retentionmarker", "bpm_definitionevent")


@pytest.mark.postgresql
def test_looking_for_what_has_expired_reads_no_instance_that_began_later(transactional_db: None) -> None:
    deploy(process("p"))
    old = ended("p", 2)
    with frozen(timezone.now() + timedelta(days=40)):
        ended("p", 5)
    engine.set_retention("p", 30)
    with frozen(timezone.now() + LATER), transaction.atomic(), connection.cursor() as cursor:
        (one,) = retention_rules.expired()
        (version,) = removal._versions(one)
        cursor.execute("SET LOCAL enable_seqscan = off")
        plan = removal._rows(one, version).order_by("id").explain(analyze=True, format="json")
    (found,) = [node for node in nodes(json.loads(plan)[0]["Plan"]) if "Relation Name" in node]
    assert "id < " in found["Index Cond"]
    assert (found["Actual Rows"], found.get("Rows Removed by Filter", 0)) == (len(old), 0)


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from nodes(inner)


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
    for pace in ("-1", "nan", "slow"):
        with pytest.raises(CommandError, match="--pace"):
            call_command("retain", f"--pace={pace}")
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
