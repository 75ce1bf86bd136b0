"""A request that meets a broken instance: 500, nothing of it is kept, and nothing moves until an operator says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bpm.models import ExternalTask, IdempotencyRecord, Token, UserTask, Variable
from tests.api.caller import Answer, Api
from tests.support.proof import in_table, sql

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("deployed")]

Break = Callable[[str], None]


def _number_taken(instance: str) -> None:
    # The next event gets the number of another one.
    sql("UPDATE bpm_processinstance SET last_sequence = last_sequence - 2 WHERE id = %s", in_table(instance))


def _token_over(instance: str) -> None:
    # A task is open whose token has been terminated.
    sql(
        "UPDATE bpm_token SET status = 'Terminated', final = true WHERE instance_id = %s AND NOT final",
        in_table(instance),
    )


BREAKS = pytest.mark.parametrize(
    ("damage", "invariant"),
    [
        (_number_taken, "SequenceGap"),
        (_token_over, "TokenInvalidTransition"),
    ],
)


def _rows(instance: str) -> list[Any]:
    """Return what a command could have changed, besides what freezing changes."""
    return [
        list(UserTask.objects.filter(instance__id=instance).values_list("status", "assignee")),
        list(ExternalTask.objects.filter(instance__id=instance).values_list("status", "worker", "lease")),
        list(Variable.objects.filter(instance__id=instance).values_list("name", "value")),
        list(Token.objects.filter(instance__id=instance).values_list("id", "node", "final")),
    ]


def _task(api: Api, instance: str) -> str:
    (task,) = api.get("/tasks", instance_id=instance).items
    return str(task["task_id"])


def _violated(answer: Answer, invariant: str) -> None:
    answer.problem(500, invariant)
    assert answer.headers["X-Invariant-Violation"] == invariant


def _assert_frozen(api: Api, instance: str, invariant: str, command: str) -> None:
    shown = api.instance(instance)
    assert (shown["status"], shown["suspended_because"]) == ("SUSPENDED", "invariant")
    (incident,) = api.get("/incidents", instance_id=instance, kind="InvariantViolated").items
    assert incident["status"] == "OPEN"
    for word in (command, "olga", invariant):
        assert word in incident["message"]
    assert api.get(f"/incidents/{incident['incident_id']}").ok() == incident
    api.post(f"/process-instances/{instance}/activate").problem(409, "Suspended")


@BREAKS
def test_a_violation_is_answered_kept_as_an_incident_and_nothing_else(
    api: Api, damage: Break, invariant: str
) -> None:
    instance, other = api.start("approval"), api.start("approval")
    task = _task(api, instance)
    damage(instance)
    before, told = _rows(instance), len(api.events(instance))
    _violated(api.post(f"/tasks/{task}/complete", {"variables": {"approved": True}}), invariant)
    assert _rows(instance) == before
    assert {event["event_type"] for event in api.events(instance)[told:]} <= {
        "IncidentOpened",
        "IncidentDescribed",
        "TokenSuspended",
        "InstanceSuspended",
    }
    _assert_frozen(api, instance, invariant, "CompleteUserTask")
    frozen = _rows(instance), len(api.events(instance))
    api.post(f"/tasks/{task}/complete", {"variables": {"approved": True}}).problem(409, "Suspended")
    api.post(f"/tasks/{task}/claim").problem(409, "Suspended")
    assert (_rows(instance), len(api.events(instance))) == frozen
    # Only this instance has stopped.
    api.post(f"/tasks/{_task(api, other)}/complete").ok()
    assert api.instance(other)["status"] == "COMPLETED"


def test_after_its_release_by_an_operator_the_same_call_goes_on(api: Api, user: Api) -> None:
    instance = api.start("approval")
    task = _task(api, instance)
    _number_taken(instance)
    call = f"/tasks/{task}/complete", {"variables": {"approved": True}}
    _violated(api.post(*call, key="k"), "SequenceGap")
    # A failed call leaves no record of its key, so the key is free for its repetition.
    assert not IdempotencyRecord.objects.filter(key="k").exists()
    _assert_frozen(api, instance, "SequenceGap", "CompleteUserTask")
    api.post(*call, key="k").problem(409, "Suspended")
    release = f"/process-instances/{instance}/activate", {"release": True}
    user.post(*release).problem(403, "NotAllowed")
    assert api.post(*release).ok()["status"] == "RUNNING"
    (resolved,) = api.get("/incidents", instance_id=instance, status="RESOLVED").items
    assert resolved["kind"] == "InvariantViolated"
    first = api.post(*call, key="k").ok()
    assert api.post(*call, key="k").ok() == first
    assert api.instance(instance)["status"] == "COMPLETED"
    assert api.get(f"/process-instances/{instance}/verify").ok()["sound"] is True


@BREAKS
def test_a_worker_is_told_and_its_result_is_not_kept(api: Api, damage: Break, invariant: str) -> None:
    instance = api.start("payment-flow")
    (task,) = api.fetch()
    damage(instance)
    before = _rows(instance)
    done = {"worker_id": "w1", "lease_id": task["lease_id"], "variables": {"paid": True}}
    _violated(api.post(f"/external-tasks/{task['task_id']}/complete", done), invariant)
    assert _rows(instance) == before
    _assert_frozen(api, instance, invariant, "CompleteExternalTask")
    api.post(f"/external-tasks/{task['task_id']}/complete", done).problem(409, "Suspended")
    assert api.fetch() == []


def test_in_a_list_only_the_broken_one_fails(api: Api) -> None:
    instances = [api.start("payment-flow") for _ in range(3)]
    tasks = {task["instance_id"]: task for task in api.fetch()}
    _number_taken(instances[1])
    items = [
        {"task_id": tasks[one]["task_id"], "worker_id": "w1", "lease_id": tasks[one]["lease_id"]}
        for one in instances
    ]
    results = api.post("/external-tasks/complete", items).ok()
    assert [result["status"] for result in results] == [200, 500, 200], results
    assert [api.instance(one)["status"] for one in instances] == ["COMPLETED", "SUSPENDED", "COMPLETED"]
    _assert_frozen(api, instances[1], "SequenceGap", "CompleteExternalTask")
