"""Where a variable stands that cannot be stored: at the place in the body, not always below `variables`."""

from __future__ import annotations

from typing import Any

import pytest

from api.openapi import document
from bpm.models import HistoryEvent, UserTask
from tests.api.caller import NOBODY, Api

pytestmark = pytest.mark.usefixtures("deployed")
BAD = {"good": 1, "$a": 1}
FETCH = {"worker_id": "w", "task_types": ["a", "b"]}
START = {"type": "start_before", "node_id": "approve"}


@pytest.mark.parametrize(
    ("path", "body", "place"),
    [
        ("/process-instances", {"process_def_id": "minimal", "variables": BAD}, "/variables/$a"),
        (
            "/process-instances",
            {"process_def_id": "approval", "start_instructions": [START, {**START, "local_variables": BAD}]},
            "/start_instructions/1/local_variables/$a",
        ),
        (
            "/process-instances",
            {"process_def_id": "approval", "start_instructions": [{**START, "variables": BAD}]},
            "/start_instructions/0/variables/$a",
        ),
        ("/messages", {"name": "m", "variables": BAD}, "/variables/$a"),
        ("/messages", {"name": "m", "correlation_keys": BAD}, "/correlation_keys/$a"),
        ("/messages", {"name": "m", "local_correlation_keys": BAD}, "/local_correlation_keys/$a"),
        ("/messages", {"name": "m", "correlation_keys": {"": 1}}, "/correlation_keys/"),
        ("/signals", {"name": "s", "variables": BAD}, "/variables/$a"),
        ("/conditions", {"variables": BAD}, "/variables/$a"),
        (
            "/external-tasks/fetch-and-lock",
            {**FETCH, "topics": [{"task_type": "c"}, {"task_type": "d", "process_variables": BAD}]},
            "/topics/1/process_variables/$a",
        ),
        (
            "/external-tasks/fetch-and-lock",
            {"worker_id": "w", "topics": [{"task_type": "d", "process_variables": {"a/~b\n": 1}}]},
            "/topics/0/process_variables/a~1~0b\n",
        ),
        (f"/external-tasks/{NOBODY}/complete", {"worker_id": "w", "variables": BAD}, "/variables/$a"),
    ],
)
def test_a_call_names_the_place_in_its_body(api: Api, path: str, body: dict[str, Any], place: str) -> None:
    answer = api.post(path, body).problem(400, "VariableInvalid")
    assert answer.places == {(place, "variable")}
    assert HistoryEvent.objects.count() == 0


def test_a_modification_names_the_place_in_its_body(api: Api) -> None:
    instance = api.start("approval")
    body = {"instructions": [{"type": "cancel", "node_id": "approve"}, {**START, "variables": BAD}]}
    answer = api.post(f"/process-instances/{instance}/modify", body).problem(400, "VariableInvalid")
    assert answer.places == {("/instructions/1/variables/$a", "variable")}
    assert UserTask.objects.get().status == "OPEN"


def test_each_item_of_a_list_names_its_own_place_again_and_again(api: Api) -> None:
    for _ in range(2):
        api.start("payment-flow")
    leased = [{"task_id": one["task_id"], "worker_id": "w1"} for one in api.fetch()]
    items = [{**leased[0], "variables": {"good": 1}}, {**leased[1], "variables": BAD}]
    first = api.post("/external-tasks/complete", items, key="k").ok()
    assert [one["status"] for one in first] == [200, 400]
    (error,) = first[1]["problem"]["errors"]
    assert (error["place"], error["rule"]) == ("/1/variables/$a", "variable")
    assert api.post("/external-tasks/complete", items, key="k").ok() == first


def test_a_scope_in_a_query_is_named_as_one(api: Api) -> None:
    instance = api.start("payment-flow", variables={"a": 1})
    path = f"/process-instances/{instance}/variables"
    assert api.send_as("DELETE", f"{path}/a?scope={NOBODY}").places == {("?scope", "scope")}
    assert api.post(path, {"variables": {"a": 1}, "scope": NOBODY}).places == {("/scope", "scope")}


def _open_objects(schema: Any) -> set[str]:
    """Return the names of members, at any depth, that take any object."""
    if isinstance(schema, list):
        return set[str]().union(*map(_open_objects, schema))
    if not isinstance(schema, dict):
        return set()
    own = {
        name
        for name, member in schema.get("properties", {}).items()
        if member.get("additionalProperties") is True
    }
    return own.union(*map(_open_objects, schema.values()))


def test_these_are_all_objects_of_variables_that_a_body_can_hold() -> None:
    bodies = [
        call["requestBody"]["content"]
        for methods in document()["paths"].values()
        for call in methods.values()
        if "requestBody" in call
    ]
    tried = {
        "variables",
        "local_variables",
        "process_variables",
        "correlation_keys",
        "local_correlation_keys",
    }
    assert _open_objects(bodies) == tried
