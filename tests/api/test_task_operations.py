"""PATCH /tasks/{id}, bpmn-error, escalation, delegate, resolve, variables of tasks and activities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bpm import engine
from tests.api.caller import NOBODY, Api
from tests.api.definitions import END, START, bpmn, line

pytestmark = pytest.mark.usefixtures("deployed")

_BOUNDARY = (
    '<boundaryEvent id="wrong" attachedToRef="approve"><errorEventDefinition errorRef="err"/></boundaryEvent>'
    '<boundaryEvent id="told" attachedToRef="approve" cancelActivity="false">'
    '<escalationEventDefinition escalationRef="esc"/></boundaryEvent><userTask id="repair"/><userTask id="note"/>'
)
CATCHING = bpmn(
    "catching",
    START
    + '<userTask id="approve" camunda:assignee="ulf"/>'
    + _BOUNDARY
    + END
    + line("start", "approve", "end")
    + line("wrong", "repair")
    + line("told", "note"),
).replace(
    b"<process ",
    b'<error id="err" errorCode="E1"/><escalation id="esc" escalationCode="X1"/><process ',
)


def _task(api: Api, process: str, **fields: object) -> str:
    instance = api.start(process, **fields)
    (task,) = api.get("/tasks", instance_id=instance).items
    return str(task["task_id"])


@pytest.fixture
def caught(api: Api) -> str:
    """A task of Ulf's at which errors and escalations are caught."""
    engine.deploy([("catching.bpmn", CATCHING)])
    return _task(api, "catching")


def _nodes(api: Api) -> list[str]:
    return [task["node_id"] for task in api.get("/tasks").items]


def test_a_task_ends_by_an_error(api: Api, user: Api, caught: str) -> None:
    body = {"error_code": "E1", "message": "no", "variables": {"why": 1}}
    assert user.post(f"/tasks/{caught}/bpmn-error", body).ok()["status"] == "RUNNING"
    assert _nodes(api) == ["repair"]
    user.post(f"/tasks/{caught}/bpmn-error", body).problem(409, "TaskClosed")


def test_an_escalation_starts_what_catches_it(api: Api, user: Api, caught: str) -> None:
    user.post(f"/tasks/{caught}/escalation", {"escalation_code": "X1"}).ok()
    assert _nodes(api) == ["approve", "note"]
    problem = user.post(f"/tasks/{caught}/escalation", {"escalation_code": "X2"})
    problem.problem(409, "EscalationUncaught")
    assert user.post(f"/tasks/{caught}/escalation", {}).places == {("/escalation_code", "required")}


def test_only_who_may_complete_the_task_ends_it(caller_named: Callable[..., Api], caught: str) -> None:
    other = caller_named("otto")
    other.post(f"/tasks/{caught}/bpmn-error", {"error_code": "E1"}).problem(403, "TaskNotYours")
    other.post(f"/tasks/{caught}/escalation", {"escalation_code": "X1"}).problem(403, "TaskNotYours")


# changes


def test_what_is_named_changes_and_null_takes_away(api: Api) -> None:
    task = _task(api, "approval")
    body: dict[str, Any] = {
        "name": "Look",
        "due_at": "2026-05-01T10:00:00+01:00",
        "owner": "kim",
        "priority": 7,
        "candidate_groups": ["ops"],
    }
    api.patch(f"/tasks/{task}", body).ok()
    row = api.get(f"/tasks/{task}").ok()
    assert (row["name"], row["due_at"], row["owner"], row["priority"]) == (
        "Look",
        "2026-05-01T09:00:00+00:00",
        "kim",
        7,
    )
    assert (row["candidate_users"], row["candidate_groups"]) == (["ann", "bob"], ["ops"])
    assert [one["task_id"] for one in api.get("/tasks", candidate_group="ops", type="user").items] == [task]
    assert api.get("/tasks", candidate_group="bosses", type="user").items == []
    api.patch(f"/tasks/{task}", {"due_at": None, "owner": None}).ok()
    row = api.get(f"/tasks/{task}").ok()
    assert (row["name"], row["due_at"], row["owner"]) == ("Look", None, None)


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ({"name": None}, {("/name", "type")}),
        ({"priority": "high"}, {("/priority", "type")}),
        ({"status": "COMPLETED"}, {("/status", "unknown")}),
        ({"candidate_users": ["", "x"]}, {("/candidate_users/0", "length")}),
        ({}, {("", "length")}),
        ([], {("", "type")}),
    ],
)
def test_a_change_that_cannot_be_is_refused(api: Api, body: Any, places: set[tuple[str, str]]) -> None:
    task = _task(api, "approval")
    assert api.patch(f"/tasks/{task}", body).problem(400, "RequestInvalid").places == places


def test_only_operators_change_tasks(user: Api, api: Api) -> None:
    task = _task(api, "approval")
    user.patch(f"/tasks/{task}", {"priority": 1}).problem(403, "NotAllowed")
    api.patch(f"/tasks/{NOBODY}", {"priority": 1}).problem(404, "TaskNotFound")


def test_a_delegated_task_is_resolved_before_it_is_completed(
    api: Api, user: Api, caller_named: Callable[..., Api], caught: str
) -> None:
    otto = caller_named("otto")
    otto.post(f"/tasks/{caught}/delegate", {"assignee": "otto"}).problem(403, "TaskNotYours")
    user.post(f"/tasks/{caught}/delegate", {"assignee": "otto"}).ok()
    row = api.get(f"/tasks/{caught}").ok()
    assert (row["assignee"], row["owner"], row["delegation"]) == ("otto", "ulf", "PENDING")
    otto.post(f"/tasks/{caught}/complete", {}).problem(409, "TaskDelegated")
    user.post(f"/tasks/{caught}/resolve").problem(403, "TaskNotYours")
    otto.post(f"/tasks/{caught}/resolve", {"variables": {"checked": True}}).ok()
    otto.post(f"/tasks/{caught}/resolve").problem(409, "Conflict")
    row = api.get(f"/tasks/{caught}").ok()
    assert (row["assignee"], row["delegation"]) == ("ulf", "RESOLVED")
    assert user.post(f"/tasks/{caught}/complete", {}).ok()["status"] == "COMPLETED"


# variables


def test_variables_of_a_task_are_seen_inner_ones_first(api: Api) -> None:
    task = _task(api, "approval", variables={"x": 1, "y": 1})
    answer = api.put(f"/tasks/{task}/variables", {"variables": {"x": 2}, "local": True}).ok()
    assert answer["scope_id"] != answer["instance_id"]
    assert api.put(f"/tasks/{task}/variables", {"variables": {"z": 3}}).ok()["scope_id"] is None
    rows = api.get(f"/tasks/{task}/variables").ok()
    assert [(row["name"], row["value"], row["local"]) for row in rows] == [
        ("x", 2, True),
        ("y", 1, False),
        ("z", 3, False),
    ]
    assert [row["name"] for row in api.get(f"/tasks/{task}/variables", local="true").ok()] == ["x"]
    assert api.send_as("DELETE", f"/tasks/{task}/variables/x").ok()["removed"] == ["x"]
    assert api.send_as("DELETE", f"/tasks/{task}/variables/x").ok()["removed"] == []
    assert [row["value"] for row in api.get(f"/tasks/{task}/variables").ok()] == [1, 1, 3]
    api.get(f"/tasks/{NOBODY}/variables").problem(404, "TaskNotFound")


def test_variables_of_an_activity_stand_in_its_own_scope(api: Api) -> None:
    instance = api.start("fork")
    token = next(row for row in api.instance(instance)["tokens"] if row["node_id"] == "a")
    answer = api.put(f"/tokens/{token['token_id']}/variables", {"variables": {"own": 1}}).ok()
    scopes = api.get(f"/process-instances/{instance}/scopes").ok()
    assert [(row["scope_id"], row["kind"], row["node_id"]) for row in scopes] == [
        (instance, "process", "fork"),
        (answer["scope_id"], "activity", "a"),
    ]
    api.put(f"/tokens/{NOBODY}/variables", {"variables": {"own": 1}}).problem(404, "TokenNotFound")


def test_variables_of_an_instance_are_put_and_deleted(api: Api) -> None:
    instance = api.start("approval", variables={"x": 1})
    api.put(f"/process-instances/{instance}/variables", {"variables": {"y z": 2}}).ok()
    assert api.send_as("DELETE", f"/process-instances/{instance}/variables/y%20z").ok()["removed"] == ["y z"]
    assert api.instance(instance)["variables"] == {"x": 1}
    path = f"/process-instances/{instance}/variables/x"
    assert api.send_as("DELETE", f"{path}?scope={NOBODY}").places == {("?scope", "scope")}
    api.send_as("DELETE", f"/process-instances/{NOBODY}/variables/x").problem(404, "InstanceNotFound")
