"""How many statements reading takes: a number, whatever the amount of data."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bpm import engine
from bpm.queries.definitions import definition_file, find_definition, list_definitions
from bpm.queries.external_tasks import find_external_task, list_dead_letters, list_external_tasks
from bpm.queries.history import list_events
from bpm.queries.incidents import list_incidents
from bpm.queries.instance import instance_detail
from bpm.queries.instances import InstanceFilter, find_instance, list_instances
from bpm.queries.jobs import list_jobs
from bpm.queries.snapshot import STATEMENTS
from bpm.queries.tasks import find_task, list_tasks
from bpm.queries.timers import list_timers
from bpm.queries.trace import trace
from bpm.queries.user_tasks import UserTaskFilter, list_user_tasks
from bpm.queries.variables import list_variables
from tests.api.caller import Api
from tests.api.definitions import START, bpmn, flow

WIDTHS = (1, 10, 100)


def wide(width: int) -> bytes:
    """Return a process that forks into user tasks, external tasks and timers, `width` of each."""
    nodes, flows = "", flow("start", "split")
    for number in range(width):
        nodes += (
            f'<userTask id="u{number}"/><serviceTask id="x{number}" camunda:type="external" camunda:topic="t"/>'
            f'<intermediateCatchEvent id="t{number}"><timerEventDefinition><timeDuration>PT1H</timeDuration>'
            "</timerEventDefinition></intermediateCatchEvent>"
        )
        flows += "".join(flow("split", f"{kind}{number}") for kind in "uxt") + flow(f"u{number}", "join")
    rest = '<parallelGateway id="split"/><parallelGateway id="join"/><endEvent id="end"/>'
    return bpmn("wide", START + rest + nodes + flows + flow("join", "end"))


@pytest.fixture(params=WIDTHS)
def instance(request: pytest.FixtureRequest, db: None) -> str:
    """One instance as wide as the parameter says, one user task of which is done."""
    width = request.param
    engine.deploy([("wide.bpmn", wide(width))])
    found = engine.start("wide", variables={f"v{number}": number for number in range(width)})["instance_id"]
    if width > 1:
        engine.complete_task(str(list_user_tasks("").items[0].task_id))
    instance_detail(found, tenant="")
    return str(found)


def _counted(read: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as queries:
        read()
    return len(queries)


def test_reading_takes_a_constant_number_of_statements(instance: str) -> None:
    definition = str(find_instance(instance, tenant="").definition_id)
    user = str(list_user_tasks("", limit=1).items[0].task_id)
    external = str(list_external_tasks("", limit=1).items[0].task_id)
    everything = InstanceFilter(
        status="RUNNING", process_def_id="wide", version=1, node="u0", incident=False, running=True
    )
    counts = {
        "find_instance": _counted(lambda: find_instance(instance, tenant="")),
        "list_instances": _counted(lambda: list_instances("", everything, limit=1_000)),
        "list_events": _counted(lambda: list_events(instance, tenant="", limit=1_000)),
        "trace": _counted(lambda: trace(instance, tenant="", limit=1_000)),
        "list_variables": _counted(lambda: list_variables(instance, tenant="")),
        "list_definitions": _counted(lambda: list_definitions("", latest=True)),
        "find_definition": _counted(lambda: find_definition(definition, tenant="")),
        "definition_file": _counted(lambda: definition_file(definition, tenant="")),
        "list_user_tasks": _counted(lambda: list_user_tasks("", UserTaskFilter(candidate_user="ann"))),
        "list_external_tasks": _counted(lambda: list_external_tasks("", limit=1_000)),
        "list_tasks": _counted(lambda: list_tasks("", limit=1_000)),
        "find_task, user": _counted(lambda: find_task(user, tenant="")),
        "find_task, external": _counted(lambda: find_task(external, tenant="")),
        "find_external_task": _counted(lambda: find_external_task(external, tenant="")),
        "list_dead_letters": _counted(lambda: list_dead_letters("")),
        "list_incidents": _counted(lambda: list_incidents("")),
        "list_timers": _counted(lambda: list_timers("", instance_id=UUID(instance))),
        "list_jobs": _counted(lambda: list_jobs("")),
    }
    assert counts == dict.fromkeys(counts, 1) | {
        "list_events": 2,
        "trace": 2,
        "list_variables": 2,
        "list_tasks": 2,
        "find_task, external": 2,
    }


def test_a_token_costs_a_call_one_statement(api: Api) -> None:
    engine.deploy([("wide.bpmn", wide(1))])
    api.start("wide")
    alone = _counted(lambda: engine.start("wide"))
    assert _counted(lambda: api.start("wide")) == alone + 1
    assert _counted(lambda: api.get("/incidents").ok()) == 1 + 1


@pytest.mark.django_db(transaction=True)
def test_an_instance_is_shown_from_one_snapshot() -> None:
    engine.deploy([("wide.bpmn", wide(10))])
    found = engine.start("wide")["instance_id"]
    quiet = _counted(lambda: instance_detail(found, tenant=""))
    assert quiet == STATEMENTS + 5
    engine.complete_task(str(list_user_tasks("").items[0].task_id))
    instance_detail(found, tenant="")
    with CaptureQueriesContext(connection) as queries:
        detail = instance_detail(found, tenant="")
    assert len(queries) == STATEMENTS + 6
    assert len(detail.joins) == 1
    first = queries.captured_queries[0]["sql"]
    assert first.startswith(
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" if _on_postgresql() else "BEGIN DEFERRED"
    )
    assert queries.captured_queries[-1]["sql"] == "COMMIT"


@pytest.mark.django_db(transaction=True)
def test_a_failed_read_leaves_no_transaction_open() -> None:
    with pytest.raises(engine.errors.InstanceNotFound):
        instance_detail("00000000-0000-7000-8000-000000000000", tenant="")
    with connection.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("ROLLBACK")


def _on_postgresql() -> bool:
    return connection.vendor == "postgresql"
