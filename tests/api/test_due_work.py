"""/jobs, /timers, /incidents/retry."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bpm import engine, handlers
from tests.api.caller import NOBODY, Api
from tests.api.definitions import END, START, bpmn, line

pytestmark = pytest.mark.usefixtures("deployed")

ASYNC = bpmn(
    "later", START + '<userTask id="a" camunda:asyncBefore="true"/>' + END + line("start", "a", "end")
)
HANDLED = bpmn(
    "handled",
    START + '<serviceTask id="pay" camunda:delegateExpression="tested"/>' + END + line("start", "pay", "end"),
)


@pytest.fixture
def handled(db: None) -> Iterator[None]:
    """A definition whose service task is a job of this process."""
    handlers.service("tested")(lambda work: None)
    engine.deploy([("handled.bpmn", HANDLED)])
    yield
    handlers.unregister("service", "tested")


def _job(api: Api, **query: object) -> Any:
    (job,) = api.get("/jobs", **query).items
    return job


def test_a_job_of_the_engine_is_done_at_once(api: Api) -> None:
    engine.deploy([("later.bpmn", ASYNC)])
    instance = api.start("later")
    job = _job(api, instance_id=instance)
    assert (job["kind"], job["status"]) == ("before", "READY")
    assert api.post(f"/jobs/{job['job_id']}/run").ok()["done"] is True
    assert [task["node_id"] for task in api.get("/tasks").items] == ["a"]
    api.post(f"/jobs/{job['job_id']}/run").problem(409, "JobClosed")


@pytest.mark.usefixtures("handled")
def test_a_failed_job_is_tried_again_with_new_retries(api: Api) -> None:
    instance = api.start("handled")
    (claimed,) = engine.claim_jobs("c", limit=1, lease_ms=60_000)
    engine.fail_job(claimed.work.job_id, attempt=1, error="broken", retries=0)
    job = _job(api, status="FAILED")
    answer = api.post(f"/jobs/{job['job_id']}/retries", {"retries": 2}).ok()
    assert (answer["instance_id"], answer["status"]) == (instance, "RUNNING")
    assert (_job(api)["status"], _job(api)["retries"]) == ("READY", 2)
    assert api.get("/incidents").items == []
    assert api.post(f"/jobs/{job['job_id']}/retries", {"retries": 0}).places == {("/retries", "range")}


@pytest.mark.usefixtures("handled")
def test_a_job_becomes_due_at_another_time_and_at_once_when_it_shall_run(api: Api) -> None:
    api.start("handled")
    job = _job(api)["job_id"]
    later = datetime.now(UTC) + timedelta(hours=1)
    api.patch(f"/jobs/{job}", {"available_at": later.isoformat()}).ok()
    assert engine.claim_jobs("c", limit=1, lease_ms=60_000) == []
    assert api.post(f"/jobs/{job}/run").ok()["done"] is False
    assert len(engine.claim_jobs("c", limit=1, lease_ms=60_000)) == 1
    api.send_as("DELETE", f"/jobs/{job}").problem(409, "JobClosed")


def test_a_deleted_job_leaves_an_incident(api: Api) -> None:
    engine.deploy([("later.bpmn", ASYNC)])
    instance = api.start("later")
    assert api.send_as("DELETE", f"/jobs/{_job(api)['job_id']}").ok()["status"] == "FAILED"
    (incident,) = api.get("/incidents", instance_id=instance).items
    assert incident["kind"] == "JobDeleted"


def test_a_timer_is_moved_fired_and_deleted(api: Api) -> None:
    first, second = api.start("waiting"), api.start("waiting")
    timers = {row["instance_id"]: row["timer_id"] for row in api.get("/timers").items}
    due = datetime(2030, 1, 1, tzinfo=UTC)
    assert (
        api.patch(f"/timers/{timers[first]}", {"due_at": due.isoformat()}).ok()["timer_id"] == timers[first]
    )
    (row,) = api.get("/timers", instance_id=first).items
    assert row["due_at"] == due.isoformat()
    assert api.post(f"/timers/{timers[first]}/fire").ok()["status"] == "COMPLETED"
    answer = api.post(f"/timers/{timers[first]}/fire").problem(409, "TimerClosed")
    assert answer.headers["X-Invariant-Violation"] == "TimerFiredTwice"
    assert api.send_as("DELETE", f"/timers/{timers[second]}").ok()["status"] == "FAILED"


def test_only_operators_touch_what_is_due(api: Api, user: Api) -> None:
    calls = [
        ("POST", "/jobs/{}/retries", {"retries": 1}, "JobNotFound"),
        ("POST", "/jobs/{}/run", None, "JobNotFound"),
        ("PATCH", "/jobs/{}", {"available_at": "2030-01-01T00:00:00Z"}, "JobNotFound"),
        ("DELETE", "/jobs/{}", None, "JobNotFound"),
        ("PATCH", "/timers/{}", {"due_at": "2030-01-01T00:00:00Z"}, "TimerNotFound"),
        ("POST", "/timers/{}/fire", None, "TimerNotFound"),
        ("DELETE", "/timers/{}", None, "TimerNotFound"),
    ]
    for method, path, body, code in calls:
        user.send_as(method, path.format(NOBODY), body).problem(403, "NotAllowed")
        api.send_as(method, path.format(NOBODY), body).problem(404, code)
        api.send_as(method, path.format("nonsense"), body).problem(404, code)
    user.post("/incidents/retry", {}).problem(403, "NotAllowed")


# many incidents


def test_many_incidents_are_retried_each_with_its_own_outcome(api: Api) -> None:
    good, bad = api.start("choice"), api.start("choice")
    api.post(f"/process-instances/{good}/variables", {"variables": {"amount": 5}}).ok()
    incidents = [row["incident_id"] for row in api.get("/incidents").items]
    results = api.post("/incidents/retry", {"incident_ids": [*incidents, NOBODY]}).ok()
    assert [(row["status"], row["incident_id"]) for row in results] == [
        (200, incidents[0]),
        (200, incidents[1]),
        (404, NOBODY),
    ]
    assert [row["instance_status"] for row in results[:2]] == ["COMPLETED", "FAILED"]
    (left,) = api.get("/incidents").items
    assert left["instance_id"] == bad


def test_incidents_are_retried_by_what_they_are_like(api: Api) -> None:
    for _ in range(3):
        api.start("choice")
    assert api.post("/incidents/retry", {"kind": "NoSuchKind"}).ok() == []
    assert api.post("/incidents/retry", {"process_def_id": "payment-flow"}).ok() == []
    two = api.post("/incidents/retry", {"process_def_id": "choice", "node": "which", "limit": 2}).ok()
    assert len(two) == 2
    assert len(api.post("/incidents/retry", {}, key="once").ok()) == 3
    before = [row["incident_id"] for row in api.get("/incidents").items]
    assert len(api.post("/incidents/retry", {}, key="once").ok()) == 3
    assert [row["incident_id"] for row in api.get("/incidents").items] == before


def test_naming_and_describing_incidents_exclude_each_other(api: Api) -> None:
    body = {"incident_ids": [NOBODY], "kind": "NoFlow"}
    assert api.post("/incidents/retry", body).places == {("/incident_ids", "either")}


def test_a_suspended_instance_refuses_its_retry_and_leaves_the_others(api: Api) -> None:
    first, _ = api.start("choice"), api.start("choice")
    api.post(f"/process-instances/{first}/suspend").ok()
    results = api.post("/incidents/retry", {}).ok()
    assert [row["status"] for row in results] == [409, 200]
    assert results[0]["problem"]["code"] == "Suspended"
