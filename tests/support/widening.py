"""Works on while every table gets new columns, as by an upgrade: `python -m tests.support.widening`."""

from __future__ import annotations

import json
import os
from typing import Any
from uuid import UUID

ROUNDS = 7
"""So many that each statement is prepared on the server before and again after."""
COLUMNS = ("widened_empty INTEGER NULL", "widened_filled INTEGER DEFAULT 7 NOT NULL")


def main() -> None:
    """Do it, and print what has ended, how many tables were widened, and what the verification found."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bpm.project.settings")
    import django

    django.setup()
    from bpm import engine
    from bpm.models import ProcessInstance
    from bpm.shell.verifying import changed_since, find_strays, verify_each
    from tests.support.model import parse_model
    from tests.support.model_xml import write_xml

    model = parse_model(
        "start s -> f\npar f -> u, x\nuser u -> j\nexternal x topic=w -> j\npar j -> e\nend e", "w"
    )
    engine.deploy([("w.bpmn", write_xml(model))])
    waiting = [_start() for _ in range(3)]
    for _ in range(ROUNDS):
        _run_through(_start())
    prepared = _prepared()
    tables = _widen()
    for _ in range(ROUNDS):
        _run_through(_start())
    for instance in waiting:
        _run_through(instance)
    _remove()
    ended = ProcessInstance.objects.filter(definition_key="w", status="COMPLETED").count()
    findings = [str(finding) for result in verify_each(changed_since(None)) for finding in result.findings]
    findings += [str(stray) for stray in find_strays()]
    print(json.dumps({"ended": ended, "prepared": prepared, "tables": tables, "findings": findings}))


def _prepared() -> int:
    """Return how many statements this session has prepared on the server; 0 on SQLite."""
    from django.db import connection

    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements")
        row = cursor.fetchone()
    return 0 if row is None else int(row[0])


def _start() -> str:
    from bpm import engine

    return str(engine.start("w", variables={"n": 1})["instance_id"])


def _run_through(instance: str) -> None:
    from bpm import engine
    from bpm.jobs.tick import tick_once
    from bpm.models import ProcessInstance, UserTask

    engine.set_variables(instance, variables={"n": 2})
    task = UserTask.objects.values_list("id", flat=True).get(instance_id=UUID(instance), status="OPEN")
    engine.complete_task(str(task))
    tick_once(run_handlers=False)
    done = False
    while not done:
        for found in engine.fetch_and_lock("w", topics=["w"], max_tasks=5, lock_ms=60_000):
            engine.complete_external_task(found["task_id"], worker="w", lease=found["lease_id"])
        done = ProcessInstance.objects.filter(id=instance, status="COMPLETED").exists()


def _remove() -> None:
    """Remove one process's instances: what was added meanwhile is no obstacle."""
    from bpm import engine

    engine.deploy([("gone.bpmn", _minimal())])
    engine.start("gone")
    engine.set_retention("gone", 0)
    assert [removed.instances for removed in engine.remove_expired(pace=0.0)] == [1]


def _minimal() -> bytes:
    from bpm.bench import processes

    return processes.path("gone")


def _widen() -> int:
    """Add columns to all tables through a session of its own; return how many tables there are."""
    from django.apps import apps
    from django.db import connections

    other: Any = connections.create_connection("default")
    models = [model for app in ("bpm", "bpm_access") for model in apps.get_app_config(app).get_models()]
    tables = sorted({model._meta.db_table for model in models})
    try:
        with other.cursor() as cursor:
            for table in tables:
                for column in COLUMNS:
                    cursor.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
    finally:
        other.close()
    return len(tables)


if __name__ == "__main__":
    main()
