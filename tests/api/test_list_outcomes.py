"""Lists under an idempotency key: answers and refusals of every item come back as they were."""

from __future__ import annotations

from typing import Any

import pytest

from bpm import engine
from bpm.engine import Idempotency
from bpm.models import HistoryEvent, IdempotencyRecord
from tests.api.caller import NOBODY, Api

pytestmark = pytest.mark.usefixtures("deployed")


def _items(api: Api, number: int) -> list[dict[str, Any]]:
    for _ in range(number):
        api.start("payment-flow")
    tasks = api.fetch(max_tasks=number)
    return [{"task_id": task["task_id"], "worker": "w1", "lease": task["lease_id"]} for task in tasks]


def _told(outcome: Any) -> Any:
    if isinstance(outcome, engine.EngineError):
        return (type(outcome), outcome.message, outcome.details)
    return outcome


def test_completions_with_refusals_come_back_as_they_were(api: Api) -> None:
    items = _items(api, 2)
    items.append({"task_id": NOBODY, "worker": "w1"})
    items.append({**items[0], "worker": "somebody else"})
    items.append({**items[1], "variables": {"odd": float("nan")}})
    key = Idempotency("ann", "k", "f")
    first = engine.complete_external_tasks(items, key=key)
    events = HistoryEvent.objects.count()
    again = engine.complete_external_tasks(items, key=key)
    assert HistoryEvent.objects.count() == events
    assert [_told(one) for one in again] == [_told(one) for one in first]
    refused = [type(one).__name__ for one in first if isinstance(one, engine.EngineError)]
    assert refused == ["TaskNotFound", "LeaseConflict", "VariableInvalid"]


def test_retries_of_many_come_back_as_they_were(api: Api) -> None:
    items = _items(api, 1)
    engine.fail_external_task(items[0]["task_id"], worker="w1", error="down", retries=0)
    (incident,) = api.get("/incidents").items
    key = Idempotency("ann", "k", "f")
    named = [incident["incident_id"], NOBODY]
    first, again = (engine.retry_incidents(named, key=key) for _ in range(2))
    assert [(name, _told(one)) for name, one in again] == [(name, _told(one)) for name, one in first]
    assert isinstance(first[1][1], engine.errors.IncidentNotFound)


def test_a_wrong_plan_under_a_key_keeps_no_record(api: Api) -> None:
    definition = api.instance(api.start("approval"))["definition_id"]
    plan = engine.MigrationPlan(source=definition, target=definition, mappings={"approve": "nowhere"})
    for _ in range(2):
        with pytest.raises(engine.errors.PlanInvalid) as refused:
            engine.execute_migration(plan, key=Idempotency("ann", "k", "f"))
        assert refused.value.problems[0].element == "approve"
    assert not IdempotencyRecord.objects.exists()


def test_migrations_of_many_come_back_as_they_were(api: Api) -> None:
    instance = api.start("approval")
    definition = api.instance(instance)["definition_id"]
    plan = engine.MigrationPlan(source=definition, target=definition)
    key = Idempotency("ann", "k", "f")
    first = engine.execute_migration(plan, [instance, NOBODY], key=key)
    again = engine.execute_migration(plan, [instance, NOBODY], key=key)
    assert [(name, _told(one)) for name, one in again] == [(name, _told(one)) for name, one in first]
    assert [isinstance(one, engine.EngineError) for _, one in first] == [False, True]
