"""Lists of what is live use the indexes that hold only what is live."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from bpm import engine
from bpm.queries.external_tasks import list_dead_letters, list_external_tasks
from bpm.queries.incidents import list_incidents
from bpm.queries.instances import InstanceFilter, list_instances
from bpm.queries.joins import open_joins
from bpm.queries.timers import list_timers
from bpm.queries.tokens import live_tokens
from bpm.queries.user_tasks import UserTaskFilter, list_user_tasks
from tests.support.loop_models import deploy, process

NOBODY = UUID("00000000-0000-7000-8000-000000000000")
READS: dict[str, tuple[Callable[[], object], str]] = {
    "user tasks": (lambda: list_user_tasks("t"), "bpm_user_open"),
    "user tasks of somebody": (
        lambda: list_user_tasks("t", UserTaskFilter(assignee="a")),
        "bpm_user_assignee",
    ),
    "external tasks": (lambda: list_external_tasks("t"), "bpm_external_one_open"),
    "dead letters": (lambda: list_dead_letters("t"), "bpm_external_dead"),
    "incidents": (lambda: list_incidents("t"), "bpm_incident_open"),
    "failed instances": (lambda: list_instances("t", InstanceFilter(status="FAILED")), "bpm_instance_failed"),
    "running instances": (
        lambda: list_instances("t", InstanceFilter(process_def_id="p", running=True)),
        "bpm_instance_running",
    ),
    "instances of a business key": (
        lambda: list_instances("t", InstanceFilter(business_key="k")),
        "bpm_instance_business_key",
    ),
    "timers": (lambda: list_timers("t"), "bpm_timer_due"),
    "live tokens": (lambda: live_tokens(NOBODY), "bpm_token_live"),
    "open joins": (lambda: open_joins(NOBODY, NOBODY), "bpm_join_"),
}


@pytest.mark.postgresql
@pytest.mark.parametrize("name", READS)
def test_the_index_of_the_live_serves_the_list(db: None, name: str) -> None:
    _store_ended()
    read, index = READS[name]
    statements: list[str] = []

    def remember(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        statements.append(sql)
        return execute(sql, parameters, many, context)

    with connection.execute_wrapper(remember):
        read()
    plan = _generic_plan(statements[0])
    assert index in plan, plan


def _store_ended() -> None:
    """Let the planner know of ended instances and of one that runs; of an empty table it takes any index."""
    deploy(process("ended"), process("p", "<userTask ID/>"))
    keys = [f"k{number}" for number in range(200)]
    engine.start_many([engine.Start(process="ended", business_key=key, tenant="") for key in keys])
    engine.start("p")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE bpm_processinstance")


def _generic_plan(sql: str) -> str:
    """Return the plan that the server makes without knowing the parameters."""
    count = sql.count("%s")
    for number in range(1, count + 1):
        sql = sql.replace("%s", f"${number}", 1)
    arguments = f"({', '.join(['NULL'] * count)})" if count else ""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"PREPARE looked_at AS {sql}")
        cursor.execute(f"EXPLAIN EXECUTE looked_at{arguments}")
        plan = "\n".join(row[0] for row in cursor.fetchall())
        cursor.execute("DEALLOCATE looked_at")
    return plan
