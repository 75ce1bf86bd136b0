"""What the loops ask each second is answered by an index, however much has ended."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bpm import engine
from bpm.jobs.tick import run_pass
from tests.support.loop_models import deploy, external, process, timer

TABLES = ("bpm_timer", "bpm_job", "bpm_externaltask")


@pytest.fixture
def much_has_ended(transactional_db: None) -> None:
    """Fill the three tables with rows that are over, and a few that wait."""
    deploy(process("wait", timer("PT1H")), process("work", external("topic")))
    for key in ("wait", "work"):
        engine.start_many([engine.Start(process=key) for _ in range(20)])
    with connection.cursor() as cursor:
        for table, closed in (("bpm_timer", "FIRED"), ("bpm_externaltask", "COMPLETED")):
            cursor.execute(f"SELECT * FROM {table} LIMIT 1")
            names = [column[0] for column in cursor.description]
            values = {"id": _new_id(), "status": f"'{closed}'", "series": _new_id(), "token": _new_id()}
            columns = ", ".join(f'"{name}"' for name in names)
            chosen = ", ".join(str(values.get(name, f'x."{name}"')) for name in names)
            cursor.execute(
                f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000), "
                f"x AS (SELECT * FROM {table} LIMIT 1) INSERT INTO {table} ({columns}) SELECT {chosen} FROM n, x"
            )
        cursor.execute("ANALYZE")


def _new_id() -> str:
    return "gen_random_uuid()" if connection.vendor == "postgresql" else "lower(hex(randomblob(16)))"


def _plan(query: str) -> list[str]:
    with connection.cursor() as cursor:
        explain = "EXPLAIN " if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN "
        cursor.execute(explain + query)
        return [" ".join(str(part) for part in row) for row in cursor.fetchall()]


def test_an_idle_pass_scans_no_table(much_has_ended: None) -> None:
    with CaptureQueriesContext(connection) as queries:
        run_pass()
    plan = _plan(queries[0]["sql"])
    scans = [
        line
        for line in plan
        if any(f"Seq Scan on {table}" in line or f"SCAN {table}" in line for table in TABLES)
    ]
    by_index = ("USING INDEX", "USING COVERING INDEX", "Index Scan", "Index Only Scan")
    assert not [line for line in scans if not any(way in line for way in by_index)], "\n".join(plan)
    for index in ("bpm_timer_due", "bpm_external_leases"):
        assert any(index in line for line in plan), "\n".join(plan)


def test_the_queries_for_due_work_use_their_partial_indexes(much_has_ended: None) -> None:
    used: dict[str, Any] = {
        "bpm_timer_due": engine.fire_due_timers,
        "bpm_external_leases": engine.expire_leases,
        "bpm_job_leases": engine.expire_jobs,
        "bpm_job_due": engine.run_due_jobs,
    }
    for index, sweep in used.items():
        with CaptureQueriesContext(connection) as queries:
            assert sweep() == (0, [])
        plan = _plan(queries[0]["sql"])
        # PostgreSQL reads a table that fits into one page as a whole, as it should.
        empty = index.startswith("bpm_job") and connection.vendor == "postgresql"
        assert empty or any(index in line for line in plan), "\n".join(plan)
