"""/process-instances/{id}/replay, verify, history/proof, history/export, erase, and sessions under /replay."""

from __future__ import annotations

import pytest

from bpm import engine
from bpm.models import HistoryEvent, ProcessInstance, UserTask
from bpm.shell.export import verify_export
from tests.api.caller import NOBODY, Api

pytestmark = pytest.mark.usefixtures("deployed")


def _ended(api: Api) -> str:
    instance = api.start("approval", variables={"amount": 12, "name": "Kim"})
    (task,) = api.get("/tasks", instance_id=instance).items
    api.post(f"/tasks/{task['task_id']}/complete", {"variables": {"name": "Lee"}}).ok()
    return instance


def test_an_instance_is_shown_as_it_was(api: Api) -> None:
    instance = _ended(api)
    path = f"/process-instances/{instance}/replay"
    events = api.events(instance)
    newest = api.get(path).ok()
    assert newest["sequence"] == newest["last_sequence"] == len(events) - 1
    for event in events:
        shown = api.get(path, cursor=event["sequence"]).ok()
        assert (shown["sequence"], shown["event"]) == (event["sequence"], event)
    waiting = next(event["sequence"] for event in events if event["event_type"] == "TokenBlocked")
    shown = api.get(path, cursor=waiting).ok()
    assert shown["status"] == "RUNNING"
    assert shown["variables"][instance]["name"] == "Kim"
    assert [task["status"] for task in shown["user_tasks"]] == ["OPEN"]
    assert api.get(path, cursor=-1).ok()["status"] is None


def test_a_cursor_that_is_none_is_refused(api: Api) -> None:
    instance = api.start("approval")
    path = f"/process-instances/{instance}/replay"
    api.get(path, cursor=10_000).problem(400, "Invalid")
    api.get(path, cursor=-2).problem(400, "RequestInvalid")
    api.get(path, cursor="x").problem(400, "RequestInvalid")
    api.post(path, {"cursor": 10_000}).problem(400, "Invalid")
    api.get(f"/process-instances/{NOBODY}/replay").problem(404, "InstanceNotFound")
    api.post(f"/process-instances/{NOBODY}/replay").problem(404, "InstanceNotFound")


def test_a_session_goes_through_the_events(api: Api, user: Api) -> None:
    instance = _ended(api)
    opened = api.post(f"/process-instances/{instance}/replay").ok(201)
    path = f"/replay/{opened['session_id']}"
    assert (opened["cursor"], opened["instance_id"]) == (-1, instance)
    assert api.post(f"{path}/step").ok()["cursor"] == 0
    assert api.post(f"{path}/step", {"events": 3}).ok()["cursor"] == 3
    assert api.get(f"{path}/snapshot").ok()["sequence"] == 3
    assert api.post(f"{path}/seek", {"cursor": 1}).ok()["cursor"] == 1
    assert api.get(path).ok()["cursor"] == 1
    api.post(f"{path}/seek", {"cursor": 10_000}).problem(400, "Invalid")
    api.post(f"{path}/seek").problem(400, "RequestInvalid")
    for other in (user.get(path), user.get(f"{path}/snapshot"), user.post(f"{path}/step")):
        other.problem(404, "ReplayNotFound")
    api.send_as("DELETE", path).ok(204)
    api.get(path).problem(404, "ReplayNotFound")
    api.send_as("DELETE", path).problem(404, "ReplayNotFound")


def test_a_step_under_its_key_is_made_once(api: Api) -> None:
    opened = api.post(f"/process-instances/{api.start('approval')}/replay", key="o").ok(201)
    path = f"/replay/{opened['session_id']}/step"
    assert api.post(path, key="k").ok() == api.post(path, key="k").ok()
    assert api.post(path).ok()["cursor"] == 1


def test_a_sound_instance_and_a_broken_one(api: Api) -> None:
    instance = api.start("approval")
    path = f"/process-instances/{instance}/verify"
    result = api.get(path).ok()
    assert (result["sound"], result["findings"]) == (True, [])
    assert result["events"] == len(api.events(instance))
    proof = api.get(f"/process-instances/{instance}/history/proof").ok()
    assert proof == {"instance_id": instance, "sequence": result["through"], "head": result["head"]}
    UserTask.objects.filter(instance__id=instance).update(name="other")
    broken = api.get(path).ok()
    assert broken["sound"] is False
    (finding,) = broken["findings"]
    assert (finding["rule"], finding["place"]) == ("RowsDiffer", "user_tasks")
    assert finding["sequence"] is not None
    api.get(f"/process-instances/{NOBODY}/verify").problem(404, "InstanceNotFound")


def test_an_export_can_be_verified_elsewhere(api: Api) -> None:
    instance = _ended(api)
    answer = api.get(f"/process-instances/{instance}/history/export")
    assert answer.headers["Content-Type"] == "application/x-ndjson"
    lines = answer.content.decode().splitlines(keepends=True)
    (result,) = verify_export(lines)
    assert (result.instance, result.findings) == (instance, [])
    api.get(f"/process-instances/{NOBODY}/history/export").problem(404, "InstanceNotFound")


def test_personal_data_is_erased_by_operators(api: Api, user: Api) -> None:
    instance = _ended(api)
    path = f"/process-instances/{instance}/erase"
    user.post(path).problem(403, "NotAllowed")
    api.post(path, {"variables": []}).problem(400, "RequestInvalid")
    erased = api.post(path, {"variables": ["name"], "reason": "asked for"}, key="k").ok()
    assert (erased["erased_events"], erased["erased_values"]) == (2, 1)
    assert api.post(path, {"variables": ["name"], "reason": "asked for"}, key="k").ok() == erased
    events = api.events(instance)
    assert [event["event_type"] for event in events if event["erased"]] == ["VariableSet", "VariableSet"]
    assert (events[-1]["event_type"], events[-1]["actor"]) == ("PersonalDataErased", "olga")
    assert events[-1]["payload"]["reason"] == "asked for"
    assert api.get(f"/process-instances/{instance}/verify").ok()["sound"] is True
    stored = HistoryEvent.objects.filter(instance__id=instance, payload__contains="Lee")
    assert not stored.exists()
    api.post(f"/process-instances/{NOBODY}/erase").problem(404, "InstanceNotFound")


def test_another_tenant_sees_none_of_it(api: Api) -> None:
    instance = api.start("approval")
    elsewhere = api.but(**{"x-tenant-id": "other"})
    for path in ("replay", "verify", "history/proof", "history/export"):
        elsewhere.get(f"/process-instances/{instance}/{path}").problem(404, "InstanceNotFound")
    elsewhere.post(f"/process-instances/{instance}/erase").problem(404, "InstanceNotFound")


def test_a_frozen_instance_is_shown_as_such(api: Api) -> None:
    instance = api.start("approval")
    assert engine.freeze(instance, "broken by hand")
    assert api.instance(instance)["suspended_because"] == "invariant"
    (incident,) = api.get("/incidents", instance_id=instance).items
    assert (incident["kind"], incident["message"]) == ("InvariantViolated", "broken by hand")
    api.post(f"/process-instances/{instance}/activate").problem(409, "Suspended")
    api.post(f"/process-instances/{instance}/activate", {"release": True}).ok()
    assert ProcessInstance.objects.get(id=instance).status == "RUNNING"
    assert api.get("/incidents", instance_id=instance).items == []
