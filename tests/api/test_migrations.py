"""/migrations/plan, preview and execute, /process-instances/{id}/migrate."""

from __future__ import annotations

from typing import Any

import pytest

from bpm import engine
from bpm.models import Definition
from tests.api.caller import NOBODY, Api
from tests.api.definitions import END, START, bpmn, line

pytestmark = pytest.mark.usefixtures("deployed")


def _tasks(*names: str) -> bytes:
    nodes = "".join(f'<userTask id="{name}"/>' for name in names)
    return bpmn("moving", START + nodes + END + line("start", *names, "end"))


@pytest.fixture
def versions(db: None) -> tuple[str, str]:
    """Two versions of a process, of which the second has another second task."""
    engine.deploy([("v1.bpmn", _tasks("first", "second"))])
    engine.deploy([("v2.bpmn", _tasks("first", "other"))])
    rows = Definition.objects.filter(key="moving").order_by("version")
    one, two = (str(row.pk) for row in rows)
    return one, two


def _plan(versions: tuple[str, str], **fields: object) -> dict[str, Any]:
    return {"source_definition_id": versions[0], "target_definition_id": versions[1], **fields}


def _nodes(api: Api, instance: str) -> list[str]:
    return [task["node_id"] for task in api.get("/tasks", instance_id=instance).items]


def test_a_plan_is_completed_with_nodes_of_equal_id(api: Api, versions: tuple[str, str]) -> None:
    plan = api.post("/migrations/plan", _plan(versions)).ok()
    assert plan["mappings"] == [
        {"source_node_id": name, "target_node_id": name} for name in ("start", "first", "end")
    ]
    assert (plan["unmapped"], plan["problems"]) == (["second"], [])


def test_a_plan_tells_all_its_problems(api: Api, versions: tuple[str, str]) -> None:
    wrong = [
        {"source_node_id": "first", "target_node_id": "nowhere"},
        {"source_node_id": "second", "target_node_id": "end"},
    ]
    plan = api.post("/migrations/plan", _plan(versions, mappings=wrong)).ok()
    assert [(one["element"], one["rule"]) for one in plan["problems"]] == [
        ("first", "target-node"),
        ("second", "type-differs"),
    ]
    answer = api.post("/migrations/execute", _plan(versions, mappings=wrong)).problem(422, "PlanInvalid")
    assert answer.body["problems"] == plan["problems"]


def test_a_preview_writes_nothing_and_equals_the_result(api: Api, versions: tuple[str, str]) -> None:
    instance = api.start("moving", version=1)
    before, events = api.instance(instance), api.events(instance)
    (preview,) = api.post("/migrations/preview", _plan(versions, instance_ids=[instance])).ok()
    assert (api.instance(instance), api.events(instance)) == (before, events)
    (result,) = api.post("/migrations/execute", _plan(versions, instance_ids=[instance])).ok()
    assert (preview["status"], result["status"], result["instance_status"]) == (200, 200, "RUNNING")
    found = api.instance(instance)
    assert [(row["node_id"], row["status"]) for row in found["tokens"]] == [
        (row["node_id"], row["status"]) for row in preview["tokens"]
    ]
    assert (found["definition_id"], found["version"]) == (versions[1], 2)


def test_each_instance_has_its_own_outcome(api: Api, versions: tuple[str, str]) -> None:
    good, bad, other = api.start("moving", version=1), api.start("moving", version=1), api.start("minimal")
    (task,) = api.get("/tasks", instance_id=bad).items
    api.post(f"/tasks/{task['task_id']}/complete").ok()
    body = _plan(versions, instance_ids=[good, bad, other, NOBODY])
    results = api.post("/migrations/execute", body).ok()
    assert [(row["status"], row["instance_id"]) for row in results] == [
        (200, good),
        (422, bad),
        (409, other),
        (404, NOBODY),
    ]
    assert [one["rule"] for one in results[1]["problem"]["problems"]] == ["token-not-mapped"]
    assert [api.instance(one)["version"] for one in (good, bad)] == [2, 1]
    event = next(one for one in api.events(good) if one["event_type"] == "InstanceMigrated")
    assert (event["actor"], event["payload"]["definition"]) == ("olga", versions[1])


def test_without_names_all_that_run_are_migrated_once(api: Api, versions: tuple[str, str]) -> None:
    running = [api.start("moving", version=1) for _ in range(3)]
    api.post(f"/process-instances/{running[0]}/cancel").ok()
    results = api.post("/migrations/execute", _plan(versions), key="k").ok()
    assert [row["instance_id"] for row in results] == running[1:]
    assert api.post("/migrations/execute", _plan(versions), key="k").ok() == results
    assert api.post("/migrations/execute", _plan(versions)).ok() == []


def test_one_instance_is_migrated_and_goes_on(api: Api, versions: tuple[str, str]) -> None:
    instance = api.start("moving", version=1)
    (task,) = api.get("/tasks", instance_id=instance).items
    api.post(f"/tasks/{task['task_id']}/complete").ok()
    path = f"/process-instances/{instance}/migrate"
    body: dict[str, Any] = {"target_definition_id": versions[1]}
    answer = api.post(path, body).problem(422, "PlanInvalid")
    assert [one["element"] for one in answer.body["problems"]] == ["second"]
    body["mappings"] = [{"source_node_id": "second", "target_node_id": "other"}]
    assert api.post(path, body).ok()["status"] == "RUNNING"
    (task,) = api.get("/tasks", instance_id=instance).items
    assert task["node_id"] == "other"
    assert api.post(f"/tasks/{task['task_id']}/complete").ok()["status"] == "COMPLETED"


def test_only_operators_migrate_and_only_to_what_is_there(
    api: Api, user: Api, versions: tuple[str, str]
) -> None:
    instance = api.start("moving", version=1)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("/migrations/plan", _plan(versions)),
        ("/migrations/preview", _plan(versions, instance_ids=[instance])),
        ("/migrations/execute", _plan(versions)),
        (f"/process-instances/{instance}/migrate", {"target_definition_id": versions[1]}),
    ]
    for path, body in calls:
        user.post(path, body).problem(403, "NotAllowed")
        api.post(path, body | {"target_definition_id": NOBODY}).problem(404, "DefinitionNotFound")
    assert _nodes(api, instance) == ["first"]
