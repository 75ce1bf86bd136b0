"""A database brought back to a moment in the past: nothing fires twice, nobody keeps a lease, everything verifies."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections
from django.utils import timezone

from bpm import engine
from bpm.core.errors import LeaseConflict
from bpm.models import ExternalTask, HistoryEvent, ProcessInstance, Timer
from bpm.shell import due
from bpm.shell.clock import frozen
from bpm.shell.verifying import changed_since, find_strays, verify_each
from tests.support.loop_models import deploy, external, process, timer

LATER = timedelta(hours=2)


@contextmanager
def restored(folder: Path) -> Iterator[Callable[[], None]]:
    """Take a copy of the whole database now, and yield what brings it back: whatever happened since is lost."""
    take, bring_back = (_copy_file, _restore_file) if connection.vendor == "sqlite" else (_copy, _restore)
    take(folder)
    yield lambda: bring_back(folder)
    if connection.vendor == "postgresql":
        with _maintenance() as cursor:
            cursor.execute("DROP DATABASE IF EXISTS kept")


def _copy_file(folder: Path) -> None:
    with (
        sqlite3.connect(connection.settings_dict["NAME"]) as source,
        sqlite3.connect(folder / "kept") as kept,
    ):
        source.backup(kept)
    source.close()
    kept.close()


def _restore_file(folder: Path) -> None:
    connections.close_all()
    name = Path(connection.settings_dict["NAME"])
    for suffix in ("-wal", "-shm"):
        name.with_name(name.name + suffix).unlink(missing_ok=True)
    shutil.copy(folder / "kept", name)


@contextmanager
def _maintenance() -> Iterator[Any]:
    with connection._nodb_cursor() as cursor:
        yield cursor


def _copy(_folder: Path) -> None:
    name = connection.settings_dict["NAME"]
    connections.close_all()
    with _maintenance() as cursor:
        cursor.execute("DROP DATABASE IF EXISTS kept")
        # A session that was closed just now may take the server a while to end, and a template must have none.
        cursor.execute(
            "SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity WHERE datname = %s", [name]
        )
        cursor.execute(f"CREATE DATABASE kept TEMPLATE {name}")


def _restore(_folder: Path) -> None:
    name = connection.settings_dict["NAME"]
    connections.close_all()
    with _maintenance() as cursor:
        cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")
        cursor.execute(f"CREATE DATABASE {name} TEMPLATE kept")


def test_overdue_timers_fire_once_and_leases_are_void(transactional_db: None, tmp_path: Path) -> None:
    deploy(process("waits", timer("PT1H")), process("works", external("t")))
    engine.start_many([engine.Start(process="waits") for _ in range(5)])
    engine.start_many([engine.Start(process="works") for _ in range(2)])
    (early,) = engine.fetch_and_lock("early", topics=["t"], max_tasks=1, lock_ms=60_000)
    with restored(tmp_path) as bring_back:
        # What happens now is lost: the timers fire, and another worker gets the other task.
        with frozen(timezone.now() + LATER):
            assert len(due.fire_due_timers().done) == 5
        (late,) = engine.fetch_and_lock("late", topics=["t"], max_tasks=1, lock_ms=60_000)
        assert ProcessInstance.objects.filter(definition_key="waits", status="COMPLETED").count() == 5
        bring_back()
        assert ProcessInstance.objects.filter(status="RUNNING").count() == 7
        with frozen(timezone.now() + LATER):
            with pytest.raises(LeaseConflict):
                engine.complete_external_task(late["task_id"], worker="late", lease=late["lease_id"])
            with pytest.raises(LeaseConflict):
                engine.complete_external_task(early["task_id"], worker="early", lease=early["lease_id"])
            assert len(due.fire_due_timers().done) == 5
            assert due.fire_due_timers().done == []
            due.expire_leases()
            again = engine.fetch_and_lock("new", topics=["t"], max_tasks=5, lock_ms=60_000)
            for task in again:
                engine.complete_external_task(task["task_id"], worker="new")
        assert {task["task_id"] for task in again} == {early["task_id"], late["task_id"]}
        assert ProcessInstance.objects.filter(status="COMPLETED").count() == 7
        assert HistoryEvent.objects.filter(event_type="TimerFired").count() == 5
        assert Timer.objects.filter(status="FIRED").count() == 5
        assert ExternalTask.objects.filter(status="COMPLETED").count() == 2
        assert [f for result in verify_each(changed_since(None)) for f in result.findings] == []
        assert list(find_strays()) == []
