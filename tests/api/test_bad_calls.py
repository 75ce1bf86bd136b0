"""Calls that cannot be, each with a clear answer and without any effect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from bpm import engine
from bpm.models import HistoryEvent
from tests.api.caller import NOBODY, Api
from tests.support.bpmn_text import bpmn, flows

pytestmark = pytest.mark.django_db(transaction=True)
ROOTS = (
    '<message id="m" name="stop"/><error id="err" errorCode="E"/><escalation id="esc" escalationCode="X"/>'
)
SOURCE = bpmn(
    '<startEvent id="s"/><userTask id="a"/><serviceTask id="x" camunda:type="external" camunda:topic="t"/>'
    '<boundaryEvent id="b" attachedToRef="a"><messageEventDefinition messageRef="m"/></boundaryEvent>'
    '<boundaryEvent id="xb" attachedToRef="x"><messageEventDefinition messageRef="m2"/></boundaryEvent>'
    '<parallelGateway id="f"/><userTask id="after"/><endEvent id="e"/>',
    flows("s f", "f a", "f x", "a e", "x e", "b after", "after e", "xb e"),
    roots=ROOTS + '<message id="m2" name="halt"/>',
)


@pytest.fixture
def instance(api: Api) -> str:
    engine.deploy([("p.bpmn", SOURCE)])
    return api.start("p", business_key="B")


def task_of(api: Api, node: str) -> str:
    return next(str(row["task_id"]) for row in api.get("/tasks").items if row["node_id"] == node)


def unchanged(instance: str) -> int:
    return HistoryEvent.objects.filter(instance_id=UUID(instance)).count()


def test_a_message_of_another_name_finds_nobody(api: Api, instance: str) -> None:
    before = unchanged(instance)
    answer = api.post("/messages", {"name": "stopp", "business_key": "B"}).problem(404, "MessageUnmatched")
    assert answer.body["details"]["message"] == "stopp"
    assert unchanged(instance) == before


def test_of_several_who_wait_one_must_be_named(api: Api, instance: str) -> None:
    second = api.start("p", business_key="B")
    answer = api.post("/messages", {"name": "stop", "business_key": "B"}).problem(409, "MessageAmbiguous")
    assert "all" in answer.body["detail"]
    api.post("/messages", {"name": "stop", "instance_id": second}).ok()
    assert (
        len(api.post("/messages", {"name": "stop", "business_key": "B", "all": True}).ok()["receivers"]) == 1
    )


def test_what_a_boundary_event_has_cancelled_is_not_completed(api: Api, instance: str) -> None:
    task = task_of(api, "a")
    (leased,) = engine.fetch_and_lock("w", topics=["t"], max_tasks=1, lock_ms=60_000)
    for name in ("stop", "halt"):
        api.post("/messages", {"name": name}).ok()
    before = unchanged(instance)
    answer = api.post(f"/tasks/{task}/complete").problem(409, "TaskClosed")
    assert answer.body["details"]["status"] == "CANCELLED"
    late = {"worker_id": "w", "lease_id": leased["lease_id"]}
    refused = api.post(f"/external-tasks/{leased['task_id']}/complete", late).problem(409, "LeaseConflict")
    assert refused.headers["X-Invariant-Violation"] == "ExternalTaskLeaseConflict"
    api.post(f"/external-tasks/{leased['task_id']}/fail", late).problem(409, "LeaseConflict")
    assert unchanged(instance) == before


@pytest.mark.parametrize(
    ("instruction", "status", "code"),
    [
        ({"type": "start_before", "node_id": "nowhere"}, 400, "Invalid"),
        ({"type": "start_after", "node_id": "e"}, 400, "Invalid"),
        ({"type": "start_at", "flow_id": "nowhere"}, 400, "Invalid"),
        ({"type": "cancel", "node_id": "nowhere"}, 400, "Invalid"),
        ({"type": "cancel", "token_id": NOBODY}, 404, "TokenNotFound"),
        ({"type": "cancel", "scope_id": NOBODY}, 400, "Invalid"),
        ({"type": "start_before", "node_id": "a", "ancestor_scope_id": NOBODY}, 400, "Invalid"),
        ({"type": "teleport"}, 400, "RequestInvalid"),
        ({"type": "cancel"}, 400, "RequestInvalid"),
    ],
)
def test_an_instance_is_not_modified_into_nowhere(
    api: Api, instance: str, instruction: dict[str, Any], status: int, code: str
) -> None:
    before = unchanged(instance)
    body = {"instructions": [{"type": "cancel", "node_id": "a"}, instruction]}
    api.post(f"/process-instances/{instance}/modify", body).problem(status, code)
    assert unchanged(instance) == before
    assert task_of(api, "a")


def test_a_migration_that_cannot_map_a_token_names_its_place(api: Api, instance: str) -> None:
    without = SOURCE.replace(b'"a"', b'"other"').replace(b'"s f"', b'"s f"')
    without = without.replace(b'"f_a"', b'"f_other"').replace(b'"a_e"', b'"other_e"')
    target = engine.deploy([("p.bpmn", without)])["definitions"][0]["id"]
    before = unchanged(instance)
    answer = api.post(f"/process-instances/{instance}/migrate", {"target_definition_id": target})
    answer.problem(422, "PlanInvalid")
    assert "a" in [problem["element"] for problem in answer.body["problems"]]
    assert unchanged(instance) == before
    mapped = [{"source_node_id": "a", "target_node_id": "nowhere"}]
    body = {"target_definition_id": target, "mappings": mapped}
    api.post(f"/process-instances/{instance}/migrate", body).problem(422, "PlanInvalid")
    api.post(f"/process-instances/{instance}/migrate", {"target_definition_id": NOBODY}).problem(
        404, "DefinitionNotFound"
    )


def test_a_user_task_ends_by_an_error_and_an_escalation_that_nobody_catches_is_refused(
    api: Api, instance: str
) -> None:
    task = task_of(api, "a")
    api.post(f"/tasks/{task}/escalation", {"escalation_code": "X"}).problem(409, "EscalationUncaught")
    api.post(f"/tasks/{task}/bpmn-error", {}).problem(400, "RequestInvalid")
    api.post(f"/tasks/{task}/bpmn-error", {"error_code": "E"}).ok()
    (incident,) = api.get("/incidents", instance_id=instance).items
    assert (incident["kind"], incident["node_id"]) == ("UncaughtError", "a")
    api.post(f"/tasks/{task}/complete").problem(409, "TaskClosed")


def test_what_has_ended_is_told_to_have_ended(api: Api, instance: str) -> None:
    task = task_of(api, "a")
    api.post(f"/process-instances/{instance}/cancel").ok()
    path = f"/process-instances/{instance}"
    api.post(f"{path}/cancel").problem(409, "InstanceEnded")
    api.post(f"{path}/suspend").problem(409, "InstanceEnded")
    api.post(f"{path}/variables", {"variables": {"x": 1}}).problem(409, "InstanceEnded")
    api.post(f"{path}/modify", {"instructions": [{"type": "cancel", "node_id": "a"}]}).problem(
        409, "InstanceEnded"
    )
    assert api.post(f"/tasks/{task}/complete").status == 409
    api.post("/messages", {"name": "stop", "instance_id": instance}).problem(404, "MessageUnmatched")


def test_variables_of_another_instances_scope_are_not_reached(api: Api, instance: str) -> None:
    other = api.start("p")
    for wrong in (other, NOBODY):
        answer = api.post(f"/process-instances/{instance}/variables", {"variables": {"x": 1}, "scope": wrong})
        assert answer.status == 400
    api.post(f"/process-instances/{NOBODY}/variables", {"variables": {"x": 1}}).problem(
        404, "InstanceNotFound"
    )
    assert api.instance(other)["variables"] == api.instance(instance)["variables"] == {}


@pytest.mark.parametrize(
    ("act", "what"),
    [(engine.set_variables, {"variables": {"x": 1}}), (engine.remove_variables, {"names": ["x"]})],
)
def test_the_engine_itself_guards_scopes_too(
    instance: str, api: Api, act: Callable[..., Any], what: dict[str, Any]
) -> None:
    other = api.start("p")
    for scope in (other, "no id", NOBODY):
        with pytest.raises(engine.errors.Invalid):
            act(instance, scope=scope, **what)
    for wrong in ({}, {"scope": NOBODY}):
        with pytest.raises(engine.errors.InstanceNotFound):
            act(NOBODY, **wrong, **what)
    assert not HistoryEvent.objects.filter(event_type__in=["VariableSet", "VariableRemoved"]).exists()


def test_a_start_tells_its_version_and_a_wrong_one_is_not_found(api: Api, instance: str) -> None:
    body = {"process_def_id": "p"}
    assert api.post("/process-instances", body).ok(201)["version"] == 1
    api.post("/process-instances", {**body, "version": 2}).problem(404, "DefinitionNotFound")
    engine.deploy([("p.bpmn", SOURCE.replace(b'id="after"', b'id="after" name="x"'))])
    assert api.post("/process-instances", body).ok(201)["version"] == 2
    assert api.post("/process-instances", {**body, "version": 1}).ok(201)["version"] == 1


@pytest.mark.parametrize("operation", ["cancel", "suspend", "modify"])
def test_what_is_too_large_is_refused_or_left_to_a_job(
    api: Api, instance: str, settings: Any, operation: str
) -> None:
    settings.BPM = {**settings.BPM, "MAX_ROWS_AT_ONCE": 1}
    instructions = [{"type": "cancel", "node_id": "a"}]
    body: dict[str, Any] = {"instructions": instructions} if operation == "modify" else {}
    answer = api.post(f"/process-instances/{instance}/{operation}", body).problem(409, "TooLarge")
    assert answer.body["details"]["limit"] == 1
    answer = api.post(f"/process-instances/{instance}/{operation}", {**body, "async": True}, key="k")
    assert (answer.status, answer.body["postponed"], answer.body["status"]) == (202, True, "RUNNING")
    again = api.post(f"/process-instances/{instance}/{operation}", {**body, "async": True}, key="k")
    assert (again.status, again.body) == (202, answer.body)
    assert len(engine.deliver_due(10).done) == 1
    events = {"cancel": "InstanceCancelled", "suspend": "InstanceSuspended", "modify": "InstanceModified"}
    (event,) = [row for row in api.events(instance) if row["event_type"] == events[operation]]
    assert event["actor"] == "olga"
