"""Topics of a fetch that say more than their names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.api.caller import Api

pytestmark = pytest.mark.usefixtures("deployed")
FETCH = "/external-tasks/fetch-and-lock"


def fetch(api: Api, *topics: dict[str, Any], **more: object) -> Any:
    body = {"worker_id": "w1", "max_tasks": 10, "topics": list(topics), **more}
    return api.post(FETCH, body).ok()


def test_each_limit_narrows_the_fetch(api: Api) -> None:
    first = api.start("payment-flow", business_key="A", variables={"amount": 1, "who": "ann"})
    second = api.start("payment-flow", business_key="B", variables={"amount": 2})
    definition = api.instance(first)["definition_id"]

    def found(**limits: object) -> set[str]:
        tasks = fetch(api, {"task_type": "payment", "lock_duration_ms": 60_000, **limits})
        for task in tasks:
            api.post(f"/external-tasks/{task['task_id']}/unlock", {"worker_id": "w1"}).ok()
        return {task["instance_id"] for task in tasks}

    assert found() == {first, second}
    assert found(process_def_ids=["payment-flow"]) == found(definition_ids=[definition]) == {first, second}
    assert found(process_def_ids=["other"]) == found(version_tags=["v1"]) == set()
    assert found(instance_ids=[second]) == found(business_keys=["B", "C"]) == {second}
    assert found(process_variables={"amount": 1}) == {first}
    assert found(process_variables={"amount": 1}, business_keys=["B"]) == set()


def test_a_topic_has_its_own_lease_time_and_variables(api: Api) -> None:
    api.start("payment-flow", variables={"amount": 1, "who": "ann"})
    topic = {"task_type": "payment", "lock_duration_ms": 3_600_000, "variables": ["who"]}
    (task,) = fetch(api, topic, lock_duration_ms=1)
    assert datetime.fromisoformat(task["lock_expires_at"]) > datetime.now(UTC) + timedelta(minutes=30)
    assert task["variables"] == {"who": "ann"}


def test_names_and_topics_stand_side_by_side(api: Api) -> None:
    api.start("payment-flow")
    assert len(fetch(api, {"task_type": "shipping"}, task_types=["payment"])) == 1


@pytest.mark.parametrize(
    ("members", "place", "rule"),
    [
        ({}, "/task_types", "required"),
        ({"topics": []}, "/topics", "length"),
        ({"topics": [{"task_type": "t", "colour": 1}]}, "/topics/0/colour", "unknown"),
        ({"topics": [{}]}, "/topics/0/task_type", "required"),
        ({"topics": [{"task_type": "t", "instance_ids": ["x"]}]}, "/topics/0/instance_ids/0", "id"),
        ({"topics": [{"task_type": "t", "process_variables": [1]}]}, "/topics/0/process_variables", "type"),
        ({"topics": [{"task_type": "t", "lock_duration_ms": 0}]}, "/topics/0/lock_duration_ms", "range"),
        ({"task_types": ["t"] * 60, "topics": [{"task_type": "t"}] * 60}, "/topics", "length"),
    ],
)
def test_a_wrong_topic_is_named(api: Api, members: dict[str, Any], place: str, rule: str) -> None:
    answer = api.post(FETCH, {"worker_id": "w1", **members}).problem(400, "RequestInvalid")
    assert (place, rule) in answer.places


def test_two_demands_on_one_topic_are_refused(api: Api) -> None:
    body = {"worker_id": "w1", "task_types": ["t"], "topics": [{"task_type": "t", "lock_duration_ms": 5}]}
    assert "once" in api.post(FETCH, body).problem(400, "Invalid").body["detail"]


def test_a_fetch_under_a_key_that_found_nothing_keeps_no_record(api: Api) -> None:
    body = {"worker_id": "w1", "topics": [{"task_type": "payment", "variables": []}]}
    assert api.post(FETCH, body, key="k").ok() == []
    api.start("payment-flow", variables={"amount": 1})
    (task,) = api.post(FETCH, body, key="k").ok()
    assert task["variables"] == {}
    assert api.post(FETCH, body, key="k").ok() == [task]
