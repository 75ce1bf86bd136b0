"""Suspending and deleting versions and deployments."""

from __future__ import annotations

from typing import Any

import pytest

from bpm import engine
from bpm.core.errors import DefinitionInvalid
from bpm.core.values import from_text
from bpm.models import Definition, DefinitionEvent, Subscription, Timer
from tests.api.caller import NOBODY, Api
from tests.api.definitions import APPROVAL, END, bpmn, line

pytestmark = pytest.mark.usefixtures("deployed")


def _version(key: str, number: int = 1) -> str:
    return str(Definition.objects.get(key=key, version=number).pk)


def _by_message(key: str, message: str, task: str = "a") -> bytes:
    start = '<startEvent id="begin"><messageEventDefinition messageRef="m"/></startEvent>'
    body = start + f'<userTask id="{task}"/>' + END + line("begin", task, "end")
    return bpmn(key, body).replace(b"<process ", f'<message id="m" name="{message}"/><process '.encode())


def _by_timer(key: str, name: str = "x") -> bytes:
    start = (
        '<startEvent id="begin"><timerEventDefinition><timeCycle>R/PT1H</timeCycle>'
        "</timerEventDefinition></startEvent>"
    )
    return bpmn(key, start + f'<userTask id="{name}"/>' + END + line("begin", name, "end"))


def _events(key: str) -> list[tuple[int, str, str, Any]]:
    rows = DefinitionEvent.objects.filter(key=key).order_by("sequence")
    return [(row.sequence, row.event_type, row.actor, from_text(row.payload)) for row in rows]


# suspension


def test_a_suspended_version_is_not_started_and_its_instances_go_on(api: Api) -> None:
    instance = api.start("approval")
    definition = _version("approval")
    answer = api.post(f"/process-definitions/{definition}/suspend").ok()
    assert answer == {"definition_id": definition, "suspended": True, "instances": 0, "missed": []}
    api.post("/process-instances", {"process_def_id": "approval"}).problem(422, "NotStartable")
    assert api.instance(instance)["status"] == "RUNNING"
    assert api.get(f"/process-definitions/{definition}").ok()["suspended"] is True
    api.post(f"/process-definitions/{definition}/activate").ok()
    api.start("approval")
    assert [event[1:3] for event in _events("approval")[1:]] == [
        ("DefinitionSuspended", "olga"),
        ("DefinitionActivated", "olga"),
    ]


def test_instances_are_suspended_and_activated_with_their_version(api: Api) -> None:
    running, ended = [api.start("approval") for _ in range(3)], api.start("minimal")
    definition = _version("approval")
    body = {"include_instances": True}
    assert api.post(f"/process-definitions/{definition}/suspend", body).ok()["instances"] == 3
    assert {api.instance(one)["suspended_because"] for one in running} == {"definition"}
    assert api.post(f"/process-definitions/{definition}/suspend", body).ok()["instances"] == 0
    assert api.post(f"/process-definitions/{definition}/activate", body).ok()["instances"] == 3
    assert {api.instance(one)["status"] for one in running} == {"RUNNING"}
    assert api.instance(ended)["status"] == "COMPLETED"


def test_timer_and_message_starts_of_a_suspended_version_are_held(api: Api) -> None:
    engine.deploy([("t.bpmn", _by_timer("timed")), ("m.bpmn", _by_message("told", "go"))])
    Timer.objects.filter(definition__key="timed").update(due_at="2020-01-01T00:00:00Z")
    for key in ("timed", "told"):
        api.post(f"/process-definitions/{_version(key)}/suspend").ok()
    assert engine.fire_due_starts(10).done == []
    with pytest.raises(engine.errors.MessageUnmatched):
        engine.correlate("go")
    for key in ("timed", "told"):
        api.post(f"/process-definitions/{_version(key)}/activate").ok()
    assert len(engine.fire_due_starts(10).done) == 1
    engine.correlate("go")
    assert len(api.get("/tasks").items) == 2


# deletion


def test_the_latest_version_gives_its_starts_back_to_the_one_before(api: Api) -> None:
    engine.deploy([("m.bpmn", _by_message("told", "go", "first"))])
    engine.deploy([("m.bpmn", _by_message("told", "go", "second"))])
    second = _version("told", 2)
    deleted = api.send_as("DELETE", f"/process-definitions/{second}").ok()["deleted"]
    assert deleted == [{"id": second, "key": "told", "version": 2}]
    engine.correlate("go")
    assert [task["node_id"] for task in api.get("/tasks").items] == ["first"]
    assert [row["version"] for row in api.get("/process-definitions", process_def_id="told").items] == [1]
    assert _events("told")[-1] == (
        2,
        "DefinitionDeleted",
        "olga",
        {"definition": second, "version": 2, "cascade": False},
    )
    engine.deploy([("m.bpmn", _by_message("told", "go", "second"))])
    assert Definition.objects.get(key="told", deleted_at=None, version__gt=1).version == 3


def test_deleting_an_older_version_leaves_the_starts_where_they_are(api: Api) -> None:
    engine.deploy([("t.bpmn", _by_timer("timed", "first"))])
    engine.deploy([("t.bpmn", _by_timer("timed", "second"))])
    before = list(Timer.objects.filter(status="SCHEDULED").values_list("id", "definition"))
    api.send_as("DELETE", f"/process-definitions/{_version('timed')}").ok()
    assert list(Timer.objects.filter(status="SCHEDULED").values_list("id", "definition")) == before
    api.send_as("DELETE", f"/process-definitions/{_version('timed', 2)}").ok()
    assert not Timer.objects.filter(status="SCHEDULED", definition__key="timed").exists()
    api.post("/process-instances", {"process_def_id": "timed"}).problem(404, "DefinitionNotFound")


def test_a_version_whose_instances_run_is_only_deleted_with_them(api: Api) -> None:
    instance = api.start("approval")
    definition = _version("approval")
    api.send_as("DELETE", f"/process-definitions/{definition}").problem(409, "InstancesRunning")
    assert api.get(f"/process-definitions/{definition}").ok()["deleted_at"] is None
    api.send_as("DELETE", f"/process-definitions/{definition}?cascade=true").ok()
    assert api.instance(instance)["status"] == "CANCELLED"
    assert api.events(instance)[-1]["actor"] == "olga"
    for body in ({"process_def_id": "approval"}, {"process_def_id": definition}):
        api.post("/process-instances", body).problem(404, "DefinitionNotFound")
    api.send_as("DELETE", f"/process-definitions/{definition}").problem(404, "DefinitionNotFound")
    assert api.get(f"/process-definitions/{definition}").ok()["deleted_at"] is not None


def test_a_deployment_is_deleted_as_a_whole_or_not_at_all(api: Api) -> None:
    files = [
        ("a.bpmn", APPROVAL.replace(b"approval", b"left")),
        ("b.bpmn", APPROVAL.replace(b"approval", b"right")),
    ]
    deployment = engine.deploy(files)["deployment_id"]
    instance = api.start("right")
    api.send_as("DELETE", f"/deployments/{deployment}").problem(409, "InstancesRunning")
    api.start("left")
    answer = api.send_as("DELETE", f"/deployments/{deployment}?cascade=true").ok()
    assert [row["key"] for row in answer["deleted"]] == ["left", "right"]
    assert api.instance(instance)["status"] == "CANCELLED"
    api.send_as("DELETE", f"/deployments/{deployment}").problem(404, "DeploymentNotFound")


def test_a_start_that_another_process_has_taken_keeps_the_version(api: Api) -> None:
    engine.deploy([("m.bpmn", _by_message("told", "go", "first"))])
    engine.deploy([("m.bpmn", _by_message("told", "other"))])
    engine.deploy([("n.bpmn", _by_message("rival", "go"))])
    with pytest.raises(DefinitionInvalid):
        engine.delete_definition(_version("told", 2))
    assert Definition.objects.get(key="told", version=2).deleted_at is None
    assert Subscription.objects.filter(definition__key="told", status="OPEN").count() == 1


def test_only_operators_change_definitions_and_only_those_there(api: Api, user: Api) -> None:
    calls = [
        ("POST", "/process-definitions/{}/suspend", "DefinitionNotFound"),
        ("POST", "/process-definitions/{}/activate", "DefinitionNotFound"),
        ("DELETE", "/process-definitions/{}", "DefinitionNotFound"),
        ("DELETE", "/deployments/{}", "DeploymentNotFound"),
    ]
    for method, path, code in calls:
        user.send_as(method, path.format(NOBODY)).problem(403, "NotAllowed")
        api.send_as(method, path.format(NOBODY)).problem(404, code)
        api.send_as(method, path.format("nonsense")).problem(404, code)
    api.but(**{"x-tenant-id": "other"}).send_as(
        "DELETE", f"/process-definitions/{_version('approval')}"
    ).problem(404, "DefinitionNotFound")
