"""/process-instances/{id}/explain."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bpm import engine, handlers
from bpm.queries.explain import explain
from tests.api.caller import NOBODY, Api
from tests.api.definitions import END, START, bpmn, flow, line

pytestmark = pytest.mark.usefixtures("deployed")


def _explained(api: Api, instance: str) -> dict[str, Any]:
    """Return node to the explanation of its token."""
    answer = api.get(f"/process-instances/{instance}/explain").ok()
    return {token["node_id"]: token for token in answer["tokens"]}


def test_a_user_task_waits_for_a_person(api: Api) -> None:
    token = _explained(api, api.start("approval"))["approve"]
    assert (token["waits_for"], token["status"]) == ("user_task", "Waiting")
    assert token["moved_by"] == "Somebody completes the task."
    assert token["user_task"]["candidate_users"] == ["ann", "bob"]
    assert token["external_task"] is token["incident"] is token["join"] is None


def test_an_external_task_says_who_holds_it_and_until_when(api: Api) -> None:
    instance = api.start("payment-flow")
    free = _explained(api, instance)["pay"]
    assert (free["external_task"]["status"], free["moved_by"]) == (
        "READY",
        "A worker fetches the task and completes it.",
    )
    (task,) = api.fetch("w7")
    held = _explained(api, instance)["pay"]
    assert held["external_task"]["worker_id"] == "w7"
    assert held["external_task"]["lock_expires_at"] == task["lock_expires_at"]
    assert "lease runs out" in held["moved_by"]


def test_a_timer_says_when_it_is_due(api: Api) -> None:
    token = _explained(api, api.start("waiting"))["pause"]
    ((timer,), (row,)) = token["timers"], api.get("/timers").items
    assert (timer["timer_id"], timer["due_at"], timer["overdue"]) == (row["timer_id"], row["due_at"], False)
    assert token["moved_by"] == "The timer fires."


def test_a_join_names_its_missing_flows_and_the_tokens_that_can_still_come(api: Api) -> None:
    instance = api.start("fork")
    task = next(row for row in api.get("/tasks").items if row["node_id"] == "a")
    api.post(f"/tasks/{task['task_id']}/complete").ok()
    tokens = _explained(api, instance)
    join = tokens["join"]["join"]
    assert (join["arrived"], join["expected"]) == (1, 3)
    assert {flow["source_node_id"]: flow["tokens"] for flow in join["missing"]} == {
        name: [tokens[name]["token_id"]] for name in "bc"
    }
    assert tokens["join"]["moved_by"] == "A token comes by every missing flow."


def test_a_scope_in_which_only_joins_wait_is_deadlocked(api: Api) -> None:
    body = (
        START
        + '<exclusiveGateway id="x"/><parallelGateway id="join"/><userTask id="other"/>'
        + END
        + flow("start", "x")
        + flow("x", "join", "${true}")
        + flow("x", "other", "${false}")
        + flow("other", "join")
        + flow("join", "end")
    )
    engine.deploy([("stuck.bpmn", bpmn("stuck", body))])
    instance = api.start("stuck")
    answer = api.get(f"/process-instances/{instance}/explain").ok()
    (token,), (scope,) = answer["tokens"], answer["scopes"]
    assert [flow["can_come"] for flow in token["join"]["missing"]] == [False]
    assert "modification" in token["moved_by"]
    assert (scope["scope_id"], scope["deadlocked"]) == (instance, True)


def test_an_incident_and_a_suspension_are_told(api: Api) -> None:
    instance = api.start("choice")
    token = _explained(api, instance)["which"]
    assert (token["waits_for"], token["incident"]["kind"]) == ("incident", "ExpressionFailed")
    api.post(f"/process-instances/{instance}/suspend").ok()
    answer = api.get(f"/process-instances/{instance}/explain").ok()
    assert (answer["status"], answer["suspended_because"]) == ("SUSPENDED", "operator")
    (token,) = answer["tokens"]
    assert (token["suspended"], token["waits_for"]) == (True, "incident")
    assert token["moved_by"].startswith("The instance is activated; then: ")


def test_jobs_boundary_events_and_inner_scopes_are_told(api: Api) -> None:
    handlers.service("explained")(lambda work: None)
    try:
        body = (
            START
            + '<serviceTask id="pay" camunda:delegateExpression="explained"/>'
            + '<boundaryEvent id="late" attachedToRef="pay"><timerEventDefinition>'
            + "<timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent>"
            + END
            + line("start", "pay", "end")
            + '<endEvent id="lateEnd"/>'
            + line("late", "lateEnd")
        )
        engine.deploy([("job.bpmn", bpmn("job", body))])
        instance = api.start("job")
        answer = api.get(f"/process-instances/{instance}/explain").ok()
        outer, inner = answer["tokens"]
        assert (outer["waits_for"], outer["scope"]["live_tokens"]) == ("scope", 1)
        assert (inner["waits_for"], inner["job"]["handler"], inner["job"]["owner"]) == (
            "job",
            "service:explained",
            None,
        )
        (scope,) = answer["scopes"]
        assert [timer["node_id"] for timer in scope["timers"]] == ["late"]
        engine.claim_jobs("cluster-1", limit=1, lease_ms=60_000)
        running = api.get(f"/process-instances/{instance}/explain").ok()["tokens"][1]
        assert (running["status"], running["job"]["owner"]) == ("Executing", "cluster-1")
        assert running["job"]["lease_expires_at"] is not None
    finally:
        handlers.unregister("service", "explained")


def test_an_ended_instance_waits_for_nothing(api: Api) -> None:
    answer = api.get(f"/process-instances/{api.start('minimal')}/explain").ok()
    assert (answer["status"], answer["tokens"], answer["scopes"]) == ("COMPLETED", [], [])
    api.get(f"/process-instances/{NOBODY}/explain").problem(404, "InstanceNotFound")


def test_an_explanation_takes_at_most_six_statements(api: Api) -> None:
    instance = api.start("fork")
    explain(instance, tenant="")
    with CaptureQueriesContext(connection) as queries:
        explain(instance, tenant="")
    assert len(queries) <= 6
