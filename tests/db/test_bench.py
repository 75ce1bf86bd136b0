"""The benchmarks run, at sizes that say nothing about speed."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from bpm import engine
from bpm.bench import processes
from bpm.bench.floor import SCHEMA_NAME
from bpm.bench.stopwatch import percentile_ms
from bpm.models import ProcessInstance
from tests.support.children import Children, wait_for_sessions_to_end


@pytest.fixture
def _drops_the_floor(transactional_db: None) -> object:
    yield
    with connection.cursor() as cursor:
        cursor.execute(f"DROP SCHEMA IF EXISTS {SCHEMA_NAME} CASCADE")


@pytest.mark.postgresql
@pytest.mark.usefixtures("_drops_the_floor", "timely")
def test_every_workload_runs_and_is_reported(tmp_path: Path) -> None:
    out, file = StringIO(), tmp_path / "found.json"
    sizes = [
        "--repeats=1",
        "--slice=0.01",
        "--batch=5",
        "--widths=2,20",
        "--items=2,110",
        "--tasks=20",
        "--workers=2",
        "--fetch=1,5",
    ]
    chosen = ["start-end", "external", "user", "path-20", "loop-1000", "complete-one"]
    chosen += ["batch-start", "batch-fetch", "batch-complete", "forks", "multi-instance", "crowd", "growth"]
    call_command("bench", *chosen, *sizes, "--ended=100", f"--json={file}", stdout=out, stderr=StringIO())
    found = json.loads(file.read_text())
    assert [row["workload"] for row in found["steady"]] == chosen[:9]
    assert all(row["per_second"] > 0 and row["share_of_floor"] > 0 for row in found["steady"])
    assert {row["workload"]: row["statements"] for row in found["steady"]}["external"] == 4
    assert [row["width"] for row in found["forks"]] == [2, 20]
    assert [row["items"] for row in found["multi_instance"]] == [2, 110]
    assert [(row["shape"], row["refused"]) for row in found["crowds"]] == [
        ("instances", 0),
        ("instances", 0),
        ("one instance", 0),
        ("one instance", 0),
    ]
    assert [row["workload"] for row in found["growth"]] == ["start-end", "external", "user"]
    assert out.getvalue().count("\n| start-end |") == 2
    ended = ProcessInstance.objects.filter(status="COMPLETED").count()
    assert (
        ended
        == ProcessInstance.objects.exclude(
            definition_key__in=["bench-many-fetch", "bench-many-start"]
        ).count()
    )


@pytest.mark.postgresql
@pytest.mark.timeout(300)
def test_a_caller_is_measured_with_and_without_retention_as_a_process_beside_it(
    transactional_db: None, tmp_path: Path
) -> None:
    file = tmp_path / "found.json"
    # So slow that removal lasts longer than the slice.
    sizes = ["--ended=600", "--pairs=1", "--pair-slice=0.2", "--pace=500"]
    with Children(tmp_path) as children:
        bench = children.start("manage.py", "bench", "retention", *sizes, f"--json={file}")
        assert bench.wait(240) == 0, children.log().read_text()
    wait_for_sessions_to_end()
    found = json.loads(file.read_text())["retention"]
    ((alone,), (beside,)) = found["alone"], found["beside"]
    assert (found["stored"], found["removed"]) == (600, 200)
    assert found["ratio"] == pytest.approx(beside / alone)
    assert alone > 0
    assert "| 1 | " in children.log().read_text()


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_a_database_with_instances_is_refused() -> None:
    engine.deploy([("path.bpmn", processes.path("path"))])
    engine.start("path")
    with pytest.raises(CommandError, match="holds instances"):
        call_command("bench", stdout=StringIO(), stderr=StringIO())


@pytest.mark.sqlite
@pytest.mark.django_db
def test_sqlite_is_refused() -> None:
    with pytest.raises(CommandError, match="PostgreSQL"):
        call_command("bench", stdout=StringIO(), stderr=StringIO())


@pytest.mark.postgresql
@pytest.mark.django_db
def test_an_unknown_workload_is_refused_by_name() -> None:
    with pytest.raises(CommandError, match="no workload nonsense"):
        call_command("bench", "nonsense", stdout=StringIO(), stderr=StringIO())


@pytest.mark.parametrize(("share", "expected"), [(0.0, 1), (0.5, 3), (0.99, 5), (1.0, 5)])
def test_a_percentile_is_the_latency_that_so_many_do_not_exceed(share: float, expected: int) -> None:
    assert percentile_ms([0.005, 0.001, 0.003, 0.002, 0.004], share) == expected
