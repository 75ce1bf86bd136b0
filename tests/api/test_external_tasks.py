"""/external-tasks: what workers do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bpm.models import HistoryEvent
from bpm.shell.clock import frozen
from tests.api.caller import NOBODY, Answer, Api

pytestmark = pytest.mark.usefixtures("deployed")
FETCH = "/external-tasks/fetch-and-lock"
HOLDERS_BODIES: dict[str, dict[str, Any]] = {
    "complete": {},
    "fail": {"error": "broken"},
    "bpmn-error": {"error_code": "E1"},
    "extend-lock": {"lock_duration_ms": 1_000},
    "unlock": {},
}


def act(api: Api, task: str, action: str, **fields: object) -> Answer:
    """Say something about a task as worker w1 unless told otherwise."""
    body = {"worker_id": "w1"} | HOLDERS_BODIES[action] | fields
    return api.post(f"/external-tasks/{task}/{action}", body)


def lost(answer: Answer) -> None:
    """Check that the answer says the lease is lost."""
    answer.problem(409, "LeaseConflict")
    assert answer.headers["X-Invariant-Violation"] == "ExternalTaskLeaseConflict"


def test_a_fetched_task_tells_a_worker_all_it_needs(api: Api) -> None:
    instance = api.start("payment-flow", business_key="order 1", variables={"amount": "100"})
    (task,) = api.fetch()
    assert task["instance_id"] == instance
    assert (task["task_type"], task["node_id"], task["process_def_id"]) == ("payment", "pay", "payment-flow")
    assert (task["business_key"], task["variables"], task["retries"]) == ("order 1", {"amount": "100"}, 3)
    assert (task["lease_id"], task["worker_id"], task["attempt"]) == (1, "w1", 1)
    assert datetime.fromisoformat(task["lock_expires_at"]) > datetime.now(UTC)
    assert api.fetch("w2") == []
    shown = api.get(f"/external-tasks/{task['task_id']}").ok()
    assert (shown["status"], shown["worker_id"], shown["lease_id"]) == ("LOCKED", "w1", 1)
    assert api.get(f"/tasks/{task['task_id']}").ok() == shown


def test_the_fetch_obeys_topics_number_priority_and_age(api: Api) -> None:
    instances = [api.start("payment-flow") for _ in range(3)]
    rows = {row["instance_id"]: row["task_id"] for row in api.get("/tasks", type="external").items}
    api.post(f"/external-tasks/{rows[instances[2]]}/priority", {"priority": 9}).ok()
    assert api.fetch(topic="shipping") == []
    first = api.fetch(max_tasks=2)
    assert [task["instance_id"] for task in first] == [instances[2], instances[0]]
    assert [task["instance_id"] for task in api.fetch()] == [instances[1]]


def test_each_filter_of_the_list_narrows(api: Api) -> None:
    first, second = api.start("payment-flow"), api.start("payment-flow")
    (task,) = api.fetch(max_tasks=1)

    def found(**query: object) -> set[str]:
        return {row["instance_id"] for row in api.get("/tasks", type="external", **query).items}

    assert found() == {first, second}
    assert found(task_type="payment", process_def_id="payment-flow", node="pay") == {first, second}
    assert found(task_type="x") == found(process_def_id="x") == found(node="x") == set()
    assert found(worker_id="w1") == {task["instance_id"]}
    assert found(instance_id=second) == {second}


class TestLease:
    """One owner at a time."""

    @pytest.mark.parametrize("action", HOLDERS_BODIES)
    def test_anyone_else_is_refused_and_nothing_changes(self, api: Api, action: str) -> None:
        api.start("payment-flow")
        (task,) = api.fetch()
        events = HistoryEvent.objects.count()
        lost(act(api, task["task_id"], action, worker_id="w2"))
        lost(act(api, task["task_id"], action, lease_id=task["lease_id"] + 1))
        assert HistoryEvent.objects.count() == events
        assert api.get(f"/external-tasks/{task['task_id']}").ok()["status"] == "LOCKED"

    @pytest.mark.parametrize("action", HOLDERS_BODIES)
    def test_nobody_holds_a_task_that_was_never_fetched(self, api: Api, action: str) -> None:
        api.start("payment-flow")
        task = api.get("/tasks", type="external").items[0]["task_id"]
        lost(act(api, task, action))

    @pytest.mark.parametrize("action", HOLDERS_BODIES)
    def test_an_expired_lease_is_no_lease(self, api: Api, action: str) -> None:
        api.start("payment-flow")
        (task,) = api.fetch(lock_duration_ms=1_000)
        events = HistoryEvent.objects.count()
        with frozen(datetime.now(UTC) + timedelta(seconds=2)):
            lost(act(api, task["task_id"], action))
        assert HistoryEvent.objects.count() == events

    def test_a_slow_worker_loses_to_the_one_after_it(self, api: Api) -> None:
        instance = api.start("payment-flow")
        (slow,) = api.fetch("slow", lock_duration_ms=1_000)
        with frozen(datetime.now(UTC) + timedelta(seconds=2)):
            (fast,) = api.fetch("fast")
            assert fast["lease_id"] == slow["lease_id"] + 1
            task = fast["task_id"]
            lost(act(api, task, "complete", worker_id="slow", lease_id=slow["lease_id"]))
            act(api, task, "complete", worker_id="fast", lease_id=fast["lease_id"]).ok()
            lost(act(api, task, "complete", worker_id="slow", lease_id=slow["lease_id"]))
        types = [event["event_type"] for event in api.events(instance)]
        assert types.count("ExternalTaskCompleted") == 1
        assert types.count("ExternalTaskLockExpired") == 1
        assert api.instance(instance)["status"] == "COMPLETED"

    def test_a_worker_is_fenced_against_its_own_earlier_lease(self, api: Api) -> None:
        api.start("payment-flow")
        (first,) = api.fetch(lock_duration_ms=1_000)
        with frozen(datetime.now(UTC) + timedelta(seconds=2)):
            (second,) = api.fetch()
            lost(act(api, first["task_id"], "complete", lease_id=first["lease_id"]))
            act(api, first["task_id"], "complete", lease_id=second["lease_id"]).ok()

    def test_an_extension_moves_the_end(self, api: Api) -> None:
        api.start("payment-flow")
        (task,) = api.fetch()
        body = act(api, task["task_id"], "extend-lock", lock_duration_ms=600_000).ok()
        assert body["lease_id"] == task["lease_id"]
        assert datetime.fromisoformat(body["lock_expires_at"]) > datetime.now(UTC) + timedelta(seconds=500)

    def test_an_unlocked_task_is_there_again_with_its_retries(self, api: Api) -> None:
        api.start("payment-flow")
        (task,) = api.fetch()
        act(api, task["task_id"], "unlock").ok()
        (again,) = api.fetch("w2")
        assert (again["task_id"], again["retries"], again["lease_id"]) == (task["task_id"], 3, 2)

    def test_unlocking_without_worker_is_an_operators_act(self, api: Api, user: Api) -> None:
        api.start("payment-flow")
        (task,) = api.fetch()
        user.post(f"/external-tasks/{task['task_id']}/unlock").problem(403, "NotAllowed")
        api.post(f"/external-tasks/{task['task_id']}/unlock").ok()
        assert len(api.fetch("w2")) == 1


class TestCompletion:
    """The end of the work."""

    def test_the_same_completion_again_answers_the_same_and_does_nothing(self, api: Api) -> None:
        instance = api.start("payment-flow")
        (task,) = api.fetch()
        fields = {"lease_id": task["lease_id"], "variables": {"status": "PAID"}}
        first = act(api, task["task_id"], "complete", **fields).ok()
        events = HistoryEvent.objects.count()
        assert act(api, task["task_id"], "complete", **fields).ok() == first
        lost(act(api, task["task_id"], "complete", lease_id=task["lease_id"], variables={"status": "LATE"}))
        assert HistoryEvent.objects.count() == events
        assert api.instance(instance)["variables"] == {"status": "PAID"}

    def test_a_list_has_one_outcome_per_item_in_order(self, api: Api) -> None:
        api.start("payment-flow"), api.start("payment-flow"), api.start("payment-flow")
        tasks = [task["task_id"] for task in api.fetch()]
        asked = [
            {"task_id": tasks[0], "worker_id": "w1", "variables": {"n": 1}},
            {"task_id": NOBODY, "worker_id": "w1"},
            {"task_id": tasks[1], "worker_id": "w2"},
            {"task_id": tasks[2], "worker_id": "w1", "variables": {"": 1}},
            {"task_id": tasks[2], "worker_id": "w1"},
        ]
        results = api.post("/external-tasks/complete", asked).ok()
        assert [result["task_id"] for result in results] == [item["task_id"] for item in asked]
        assert [result["status"] for result in results] == [200, 404, 409, 400, 200]
        codes = [result["problem"]["code"] for result in results if "problem" in result]
        assert codes == ["TaskNotFound", "LeaseConflict", "VariableInvalid"]
        assert results[0]["instance_status"] == "COMPLETED"
        statuses = [api.get(f"/external-tasks/{task}").ok()["status"] for task in tasks]
        assert statuses == ["COMPLETED", "LOCKED", "COMPLETED"]

    @pytest.mark.parametrize(
        ("asked", "place", "rule"),
        [
            ({}, "", "type"),
            ([], "", "length"),
            ([{"task_id": NOBODY, "worker_id": "w"}] * 1_001, "", "length"),
            ([{"task_id": NOBODY, "worker_id": "w"}, {"worker_id": "w"}], "/1/task_id", "required"),
            ([{"task_id": "1", "worker_id": "w"}], "/0/task_id", "id"),
            ([{"task_id": NOBODY, "worker_id": "w", "x": 1}], "/0/x", "unknown"),
        ],
    )
    def test_a_malformed_list_is_refused_as_a_whole(
        self, api: Api, asked: object, place: str, rule: str
    ) -> None:
        api.start("payment-flow")
        (task,) = api.fetch()
        if isinstance(asked, list) and asked:
            asked = [{"task_id": task["task_id"], "worker_id": "w1"}, *asked[1:], asked[0]]
            place = place.replace("/0", f"/{len(asked) - 1}")
        answer = api.post("/external-tasks/complete", asked).problem(400, "RequestInvalid")
        assert (place, rule) in answer.places
        assert api.get(f"/external-tasks/{task['task_id']}").ok()["status"] == "LOCKED"

    def test_the_largest_variable_that_is_accepted_can_be_fetched(self, api: Api) -> None:
        large = "x" * 3_999_998
        instance = api.start("payment-flow", variables={"large": large})
        body = {"process_def_id": "payment-flow", "variables": {"large": large + "x"}}
        api.post("/process-instances", body).problem(400, "VariableInvalid")
        (task,) = api.fetch()
        assert task["instance_id"] == instance
        assert task["variables"]["large"] == large


class TestFailure:
    """Retries and what follows when there are none."""

    def test_a_failure_takes_one_retry_off_and_waits(self, api: Api) -> None:
        api.start("payment-flow")
        (task,) = api.fetch()
        act(api, task["task_id"], "fail", error="503", details="trace\nline", retry_after_ms=60_000).ok()
        shown = api.get(f"/external-tasks/{task['task_id']}").ok()
        assert (shown["status"], shown["retries"], shown["failures"]) == ("READY", 2, 1)
        assert (shown["error"], shown["error_details"]) == ("503", "trace\nline")
        assert api.fetch() == []
        with frozen(datetime.now(UTC) + timedelta(seconds=61)):
            (again,) = api.fetch()
        assert (again["retries"], again["attempt"]) == (2, 2)

    def test_a_worker_does_not_raise_the_retries(self, api: Api) -> None:
        api.start("payment-flow")
        (task,) = api.fetch()
        act(api, task["task_id"], "fail", retries=2).ok()
        api.fetch()
        answer = act(api, task["task_id"], "fail", retries=5).problem(409, "RetriesNotMonotonic")
        assert answer.headers["X-Invariant-Violation"] == "RetriesNotMonotonic"

    def test_a_bpmn_error_that_nobody_catches_opens_an_incident(self, api: Api) -> None:
        instance = api.start("payment-flow")
        (task,) = api.fetch()
        body = act(api, task["task_id"], "bpmn-error", error_code="E7", error_message="no money").ok()
        assert body["status"] == "FAILED"
        (incident,) = api.get("/incidents", instance_id=instance).items
        assert (incident["kind"], incident["node_id"]) == ("UncaughtError", "pay")
        assert "E7" in incident["message"]

    @pytest.mark.parametrize("action", HOLDERS_BODIES)
    def test_a_task_of_a_cancelled_instance_stays_dead(self, api: Api, action: str) -> None:
        instance = api.start("payment-flow")
        (task,) = api.fetch()
        api.post(f"/process-instances/{instance}/cancel").ok()
        events = HistoryEvent.objects.count()
        assert act(api, task["task_id"], action, lease_id=task["lease_id"]).status == 409
        assert api.fetch() == []
        assert HistoryEvent.objects.count() == events
        shown = api.instance(instance)
        assert (shown["status"], shown["tokens"]) == ("CANCELLED", [])


class TestRefusals:
    """Bad input is named; nothing is written."""

    @pytest.mark.parametrize(
        ("body", "place", "rule"),
        [
            ({"task_types": ["payment"]}, "/worker_id", "required"),
            ({"worker_id": "w"}, "/task_types", "required"),
            ({"worker_id": "w", "task_types": "payment"}, "/task_types", "type"),
            ({"worker_id": "w", "task_types": []}, "/task_types", "length"),
            ({"worker_id": "w", "task_types": [1]}, "/task_types/0", "type"),
            ({"worker_id": "w", "task_types": ["a", "x" * 256]}, "/task_types/1", "length"),
            ({"worker_id": "w" * 256, "task_types": ["a"]}, "/worker_id", "length"),
            ({"worker_id": "w", "task_types": ["a"], "max_tasks": 0}, "/max_tasks", "range"),
            ({"worker_id": "w", "task_types": ["a"], "max_tasks": "1"}, "/max_tasks", "type"),
            ({"worker_id": "w", "task_types": ["a"], "lock_duration_ms": 0}, "/lock_duration_ms", "range"),
            (
                {"worker_id": "w", "task_types": ["a"], "lock_duration_ms": 10**30},
                "/lock_duration_ms",
                "range",
            ),
            ({"worker_id": "w", "task_types": ["a"], "wait_ms": 30_001}, "/wait_ms", "range"),
            ({"worker_id": "w", "task_types": ["a"], "workerId": "w"}, "/workerId", "unknown"),
        ],
    )
    def test_a_wrong_field_of_a_fetch(self, api: Api, body: object, place: str, rule: str) -> None:
        answer = api.post(FETCH, body).problem(400, "RequestInvalid")
        assert answer.places == {(place, rule)}

    @pytest.mark.parametrize(
        ("action", "fields", "place", "rule"),
        [
            ("complete", {"worker_id": None}, "/worker_id", "required"),
            ("complete", {"lease_id": "1"}, "/lease_id", "type"),
            ("complete", {"lease_id": 0}, "/lease_id", "range"),
            ("complete", {"lease_id": 2**31}, "/lease_id", "range"),
            ("complete", {"variables": "x"}, "/variables", "type"),
            ("fail", {"retries": -1}, "/retries", "range"),
            ("fail", {"retries": 1.5}, "/retries", "type"),
            ("fail", {"retry_after_ms": -1}, "/retry_after_ms", "range"),
            ("fail", {"error": "x" * 10_001}, "/error", "length"),
            ("fail", {"message": "x"}, "/message", "unknown"),
            ("bpmn-error", {"error_code": None}, "/error_code", "required"),
            ("bpmn-error", {"error_code": ""}, "/error_code", "length"),
            ("extend-lock", {"lock_duration_ms": None}, "/lock_duration_ms", "required"),
            ("extend-lock", {"lock_duration_ms": 86_400_001}, "/lock_duration_ms", "range"),
            ("unlock", {"worker_id": 7}, "/worker_id", "type"),
        ],
    )
    def test_a_wrong_field_of_a_holder(
        self, api: Api, action: str, fields: dict[str, object], place: str, rule: str
    ) -> None:
        api.start("payment-flow")
        (task,) = api.fetch()
        events = HistoryEvent.objects.count()
        answer = act(api, task["task_id"], action, **fields).problem(400, "RequestInvalid")
        assert answer.places == {(place, rule)}
        assert HistoryEvent.objects.count() == events

    @pytest.mark.parametrize("task", [NOBODY, "1", "0" * 32 + "-" * 4, "%00"])
    def test_a_task_that_is_not_there(self, api: Api, task: str) -> None:
        api.get(f"/external-tasks/{task}").problem(404, "TaskNotFound")
        for action in HOLDERS_BODIES:
            act(api, task, action).problem(404, "TaskNotFound")
        for action in ("retries", "priority"):
            api.post(f"/external-tasks/{task}/{action}", {action: 1}).problem(404, "TaskNotFound")

    def test_a_task_of_another_tenant(self, api: Api) -> None:
        api.start("payment-flow")
        (task,) = api.fetch()
        other = api.but(**{"x-tenant-id": "acme"})
        assert other.fetch() == []
        other.get(f"/external-tasks/{task['task_id']}").problem(404, "TaskNotFound")
        for action in HOLDERS_BODIES:
            act(other, task["task_id"], action).problem(404, "TaskNotFound")
        body = [{"task_id": task["task_id"], "worker_id": "w1"}]
        assert [item["status"] for item in other.post("/external-tasks/complete", body).ok()] == [404]
        assert api.get(f"/external-tasks/{task['task_id']}").ok()["status"] == "LOCKED"

    def test_a_user_task_is_no_external_task(self, api: Api) -> None:
        api.start("approval")
        task = api.get("/tasks", type="user").items[0]["task_id"]
        act(api, task, "complete").problem(404, "TaskNotFound")
        api.get(f"/external-tasks/{task}").problem(404, "TaskNotFound")
