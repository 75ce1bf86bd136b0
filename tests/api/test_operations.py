"""/dead-letters, /incidents, /tokens/{id}/retry, /external-tasks/{id}/retries and /priority."""

from __future__ import annotations

import pytest

from bpm.models import HistoryEvent
from tests.api.caller import NOBODY, Api

pytestmark = pytest.mark.usefixtures("deployed")


@pytest.fixture
def dead(api: Api) -> str:
    """The id of a task that has failed for good."""
    api.start("payment-flow")
    (task,) = api.fetch()
    body = {"worker_id": "w1", "error": "no connection", "retries": 0}
    api.post(f"/external-tasks/{task['task_id']}/fail", body).ok()
    return str(task["task_id"])


def test_a_task_without_retries_is_a_dead_letter_and_not_fetched(api: Api, dead: str) -> None:
    assert api.fetch() == []
    assert api.get("/tasks").items == []
    (row,) = api.get("/dead-letters").items
    assert (row["task_id"], row["status"], row["retries"], row["error"]) == (dead, "FAILED", 0, "no connection")
    assert api.instance(row["instance_id"])["status"] == "FAILED"
    (incident,) = api.get("/incidents").items
    assert (incident["kind"], incident["token_id"]) == ("ExternalTaskFailed", row["token_id"])
    assert incident["message"] == "no connection"


def test_setting_retries_does_not_raise_the_dead(api: Api, dead: str) -> None:
    api.post(f"/external-tasks/{dead}/retries", {"retries": 1}).problem(409, "TaskClosed")
    assert api.fetch() == []


@pytest.mark.parametrize("retries", [None, 7])
def test_a_retried_dead_letter_is_fetched_once_more(api: Api, dead: str, retries: int | None) -> None:
    body = {} if retries is None else {"retries": retries}
    assert api.post(f"/dead-letters/{dead}/retry", body).ok()["status"] == "RUNNING"
    (task,) = api.fetch()
    assert (task["task_id"], task["retries"]) == (dead, retries or 3)
    assert api.fetch("w2") == []
    assert api.get("/dead-letters").items == []
    assert api.get("/incidents").items == []
    (resolved,) = api.get("/incidents", status="RESOLVED").items
    assert api.get(f"/incidents/{resolved['incident_id']}").ok() == resolved
    api.post(f"/dead-letters/{dead}/retry").problem(409, "NothingToRetry")


def test_resolving_an_incident_retries_its_token(api: Api, dead: str) -> None:
    (incident,) = api.get("/incidents").items
    api.post(f"/incidents/{incident['incident_id']}/resolve", {"retries": 2}).ok()
    (task,) = api.fetch()
    assert (task["task_id"], task["retries"]) == (dead, 2)


def test_resolving_without_repair_opens_the_same_incident_again(api: Api) -> None:
    instance = api.start("choice")
    (first,) = api.get("/incidents").items
    assert first["node_id"] == "which"
    body = api.post(f"/incidents/{first['incident_id']}/resolve").ok()
    assert body["status"] == "FAILED"
    (second,) = api.get("/incidents").items
    assert (second["kind"], second["node_id"]) == (first["kind"], first["node_id"])
    assert second["incident_id"] != first["incident_id"]
    api.post(f"/process-instances/{instance}/variables", {"variables": {"amount": 5}}).ok()
    assert api.post(f"/tokens/{second['token_id']}/retry").ok()["status"] == "COMPLETED"
    assert api.get("/incidents").items == []


def test_each_filter_of_incidents_and_dead_letters_narrows(api: Api, dead: str) -> None:
    choice = api.start("choice")

    def nodes(path: str, **query: object) -> set[str]:
        return {row["node_id"] for row in api.get(path, **query).items}

    assert nodes("/incidents") == {"pay", "which"}
    assert nodes("/incidents", instance_id=choice) == {"which"}
    assert nodes("/incidents", process_def_id="payment-flow") == {"pay"}
    assert nodes("/incidents", kind="ExternalTaskFailed") == {"pay"}
    assert nodes("/incidents", node="which") == {"which"}
    assert nodes("/incidents", status="RESOLVED") == set()
    assert nodes("/dead-letters", task_type="payment", node="pay") == {"pay"}
    assert nodes("/dead-letters", process_def_id="choice") == nodes("/dead-letters", instance_id=choice) == set()
    assert api.get("/incidents", status="OLD").places == {("?status", "choice")}
    assert api.get("/dead-letters", worker_id="w").places == {("?worker_id", "unknown")}


def test_lists_are_paged(api: Api) -> None:
    for _ in range(5):
        api.start("choice")
    whole = [row["incident_id"] for row in api.get("/incidents").items]
    first = api.get("/incidents", limit=2).ok()
    second = api.get("/incidents", limit=3, cursor=first["next"]).ok()
    assert [row["incident_id"] for row in first["items"] + second["items"]] == whole
    assert second["next"] is None


def test_retries_and_priority_of_a_waiting_task(api: Api) -> None:
    api.start("payment-flow")
    task = api.get("/tasks").items[0]["task_id"]
    api.post(f"/external-tasks/{task}/retries", {"retries": 9}).ok()
    api.post(f"/external-tasks/{task}/priority", {"priority": -3}).ok()
    shown = api.get(f"/external-tasks/{task}").ok()
    assert (shown["retries"], shown["priority"]) == (9, -3)
    for body in ({}, {"retries": 0}, {"retries": "1"}, {"retries": 2**31}):
        assert api.post(f"/external-tasks/{task}/retries", body).problem(400, "RequestInvalid").places
    for priority in (2**63, 1.5, None):
        assert api.post(f"/external-tasks/{task}/priority", {"priority": priority}).status == 400
    assert api.get(f"/external-tasks/{task}").ok() == shown


def test_these_are_operators_acts(api: Api, user: Api, dead: str) -> None:
    (incident,) = api.get("/incidents").items
    events = HistoryEvent.objects.count()
    for path in (
        f"/dead-letters/{dead}/retry",
        f"/tokens/{incident['token_id']}/retry",
        f"/incidents/{incident['incident_id']}/resolve",
        f"/external-tasks/{dead}/retries",
        f"/external-tasks/{dead}/priority",
    ):
        user.post(path, {}).problem(403, "NotAllowed")
    assert HistoryEvent.objects.count() == events
    assert user.get("/incidents").items == [incident]


def test_what_has_not_failed_has_nothing_to_retry(api: Api) -> None:
    instance = api.start("payment-flow")
    token = api.instance(instance)["tokens"][0]["token_id"]
    task = api.get("/tasks").items[0]["task_id"]
    events = HistoryEvent.objects.count()
    api.post(f"/tokens/{token}/retry").problem(409, "NothingToRetry")
    api.post(f"/dead-letters/{task}/retry").problem(409, "NothingToRetry")
    assert HistoryEvent.objects.count() == events


@pytest.mark.parametrize("wanted", [NOBODY, "1", "0" * 32 + "-" * 4, "%00"])
def test_what_is_not_there(api: Api, wanted: str) -> None:
    api.post(f"/tokens/{wanted}/retry").problem(404, "TokenNotFound")
    api.post(f"/dead-letters/{wanted}/retry").problem(404, "TaskNotFound")
    api.post(f"/incidents/{wanted}/resolve").problem(404, "IncidentNotFound")
    api.get(f"/incidents/{wanted}").problem(404, "IncidentNotFound")


def test_another_tenant_sees_and_reaches_nothing(api: Api, dead: str) -> None:
    (incident,) = api.get("/incidents").items
    other = api.but(**{"x-tenant-id": "acme"})
    assert other.get("/incidents").items == other.get("/dead-letters").items == []
    other.get(f"/incidents/{incident['incident_id']}").problem(404, "IncidentNotFound")
    other.post(f"/incidents/{incident['incident_id']}/resolve").problem(404, "IncidentNotFound")
    other.post(f"/dead-letters/{dead}/retry").problem(404, "TaskNotFound")
    other.post(f"/tokens/{incident['token_id']}/retry").problem(404, "TokenNotFound")
    assert api.get("/incidents").items == [incident]


def test_retries_must_be_a_number_above_zero(api: Api, dead: str) -> None:
    for retries in (0, -1, "3", 1.0, 2**31):
        answer = api.post(f"/dead-letters/{dead}/retry", {"retries": retries})
        assert {place for place, _ in answer.problem(400, "RequestInvalid").places} == {"/retries"}
    assert api.fetch() == []
