"""Lists of what is live use the indexes that hold only what is live."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bpm.queries.external_tasks import list_dead_letters, list_external_tasks
from bpm.queries.incidents import list_incidents
from bpm.queries.instances import InstanceFilter, list_instances
from bpm.queries.joins import open_joins
from bpm.queries.timers import list_timers
from bpm.queries.tokens import live_tokens
from bpm.queries.user_tasks import UserTaskFilter, list_user_tasks
from uuid import UUID

NOBODY = UUID("00000000-0000-7000-8000-000000000000")
READS: dict[str, tuple[Callable[[], object], str]] = {
    "user tasks": (lambda: list_user_tasks("t"), "bpm_user_open"),
    "user tasks of somebody": (lambda: list_user_tasks("t", UserTaskFilter(assignee="a")), "bpm_user_assignee"),
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
    read, index = READS[name]
    with CaptureQueriesContext(connection) as queries:
        read()
    plan = _generic_plan(queries.captured_queries[0]["sql"])
    assert index in plan, plan


def _generic_plan(sql: str) -> str:
    # The statement as the server plans it: with parameters, not with their values.
    numbered = iter(range(1, 1_000))
    generic = re.sub(r"'[^']*'::\w+|(?<=[=<>(] )'t'", lambda _: f"${next(numbered)}", sql)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN (GENERIC_PLAN) {generic}")
        return "\n".join(row[0] for row in cursor.fetchall())
