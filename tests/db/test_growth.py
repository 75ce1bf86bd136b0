"""What has ended does not slow what runs: every hot statement goes by index, and memory stays as it is."""

from __future__ import annotations

import gc
import json
import re
import tracemalloc
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from bpm import engine
from bpm.models import UserTask
from bpm.shell.clock import frozen
from tests.support.clock import START
from tests.support.kept import forget_all
from tests.support.model import parse_model
from tests.support.model_xml import write_xml
from tests.support.statements import executed

FEW = 60
ENDED = 1_500
BATCH = 100
_PARAMETER = re.compile(r"\$(\d+)")
_SMALL = frozenset({"bpm_definition", "bpm_definitionkey"})
_JOINS = frozenset({"Hash Join", "Merge Join"})
_MODEL = """
    start s -> f
    par f -> u, x, t
    user u -> j
    external x topic=hot -> j
    timer t duration=PT10S -> j
    par j -> c
    xor c -> e [go], e [else]
    end e
"""
ANALYZED = (
    "processinstance",
    "scope",
    "token",
    "variable",
    "externaltask",
    "usertask",
    "timer",
    "historyevent",
)


def deploy(key: str, text: str) -> None:
    engine.deploy([(f"{key}.bpmn", write_xml(parse_model(text, key)))])


def fetch(number: int, topic: str = "hot") -> list[dict[str, Any]]:
    return engine.fetch_and_lock("w", topics=[topic], max_tasks=number, lock_ms=60_000)


def items(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"task_id": task["task_id"], "worker": "w", "lease": task["lease_id"]} for task in tasks]


def analyze() -> None:
    """Do what autovacuum does by itself from 50 changed rows on."""
    with connection.cursor() as cursor:
        for table in ANALYZED:
            cursor.execute(f"ANALYZE bpm_{table}")


def store_few() -> None:
    engine.start_many([engine.Start(process="hot", variables={"go": True})] * FEW)
    analyze()


def store_ended() -> None:
    deploy("over", "start s -> x\nexternal x topic=over -> e\nend e")
    for _ in range(ENDED // BATCH):
        engine.start_many([engine.Start(process="over", variables={"n": 1})] * BATCH)
        engine.complete_external_tasks(items(fetch(BATCH, "over")))
    analyze()


def hot_statements() -> dict[str, str]:
    """Return the text of what the hot operations execute to the operation."""
    found: dict[str, str] = {}
    with frozen(START):
        for name, step in _steps():
            with executed() as seen:
                step()
            found |= {text: name for text in seen.statements if "bpm_" in text and _PARAMETER.search(text)}
    return found


def _steps() -> Iterator[tuple[str, Any]]:
    started = [engine.start("hot", variables={"go": True})["instance_id"] for _ in range(4)]
    yield "start", lambda: engine.start("hot", variables={"go": True})
    yield "work waits", lambda: engine.work_waits(["hot"], tenant="")
    yield "fetch", lambda: fetch(1)
    tasks = fetch(3)
    yield (
        "complete an external task",
        lambda: engine.complete_external_task(tasks[0]["task_id"], worker="w", variables={"go": False}),
    )
    yield "complete a list", lambda: engine.complete_external_tasks(items(tasks[1:]))
    task = str(UserTask.objects.values_list("id", flat=True).get(instance=started[0]))
    yield "complete a user task", lambda: engine.complete_task(task, variables={"go": True})
    yield "set variables", lambda: engine.set_variables(started[1], variables={"go": True})
    yield "cancel", lambda: engine.cancel(started[2])
    with frozen(START + timedelta(seconds=90)):
        yield "expire leases", engine.expire_leases
        yield "fire timers", engine.fire_due_timers


def plan_of(statement: str) -> dict[str, Any]:
    number = max(int(match) for match in _PARAMETER.findall(statement))
    with connection.cursor() as cursor:
        cursor.execute(f"PREPARE looked_at AS {statement}")
        try:
            cursor.execute(f"EXPLAIN (FORMAT JSON) EXECUTE looked_at ({', '.join(['NULL'] * number)})")
            (plan,) = cursor.fetchone()
        finally:
            cursor.execute("DEALLOCATE looked_at")
    found = json.loads(plan) if isinstance(plan, str) else plan
    return dict(found[0]["Plan"])


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from nodes(inner)


def is_empty(table: str) -> bool:
    """Return whether a table has no rows: then all of its indexes cost the same, and the planner takes any."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT NOT EXISTS (SELECT 1 FROM {table})")
        return bool(cursor.fetchone()[0])


def faults(plan: dict[str, Any]) -> list[str]:
    found = []
    for node in nodes(plan):
        kind, table = node["Node Type"], node.get("Relation Name", "")
        if kind in _JOINS:
            found.append(kind)
        elif kind.endswith("Scan") and table.startswith("bpm_") and table not in _SMALL:
            looked_up = any(name in node for name in ("Index Cond", "TID Cond", "Recheck Cond"))
            if not looked_up and not is_empty(table):
                found.append(f"{kind} of all of {table} by {node.get('Index Name')}")
    return found


def problems(statements: dict[str, str]) -> list[str]:
    return [
        f"{name}: {fault} in {text}" for text, name in statements.items() for fault in faults(plan_of(text))
    ]


@pytest.fixture
def own_statistics(transactional_db: None) -> Iterator[None]:
    """No statistics but the test's: those of emptied tables stay, and the server may collect new ones at any time."""
    with connection.cursor() as cursor:
        for table in ANALYZED:
            cursor.execute(f"ALTER TABLE bpm_{table} SET (autovacuum_enabled = false)")
            cursor.execute(f"DELETE FROM pg_statistic WHERE starelid = 'bpm_{table}'::regclass")
    yield
    with connection.cursor() as cursor:
        for table in ANALYZED:
            cursor.execute(f"ALTER TABLE bpm_{table} RESET (autovacuum_enabled)")


@pytest.mark.postgresql
@pytest.mark.usefixtures("own_statistics")
def test_every_hot_statement_looks_its_rows_up_in_an_index_whether_planned_early_or_late() -> None:
    deploy("hot", _MODEL)
    early = hot_statements()
    assert {"start", "fetch", "complete a user task", "fire timers", "cancel"} <= set(early.values())
    assert problems(early) == [], "planned before anything was analysed"
    store_few()
    assert problems(early | hot_statements()) == [], "planned with few rows"
    store_ended()
    assert problems(early | hot_statements()) == [], "planned with many rows"


@pytest.mark.django_db(transaction=True)
def test_memory_stays_as_it_is_however_many_commands_there_were() -> None:
    deploy("over", "start s -> x\nexternal x topic=over -> e\nend e")

    def work(times: int) -> None:
        for _ in range(times):
            engine.start("over", variables={"n": 1})
            engine.complete_external_tasks(items(fetch(1, "over")))
        gc.collect()

    # What other tests have left is bounded, but a table that is nearly full grows by a leap.
    forget_all()
    work(60)
    tracemalloc.start()
    try:
        work(5)
        before, _ = tracemalloc.get_traced_memory()
        work(60)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 100_000
