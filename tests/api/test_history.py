"""/process-instances/{id}/history, /trace and /variables."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.api.caller import NOBODY, Api

pytestmark = pytest.mark.usefixtures("deployed")


def test_the_history_is_complete_and_in_order(api: Api) -> None:
    instance = api.start("payment-flow", variables={"amount": 5})
    events = api.events(instance)
    assert [event["sequence"] for event in events] == list(range(len(events)))
    assert events[0]["event_type"] == "InstanceStarted"
    assert events[0]["event_id"] == f"{instance}:0"
    assert {event["category"] for event in events} == {"instance", "token", "variable", "external"}
    assert {event["actor"] for event in events} == {"olga"}
    variable = next(event for event in events if event["event_type"] == "VariableSet")
    assert variable["payload"] == {"name": "amount", "scope": instance, "value": 5}
    assert not variable["erased"]


def test_the_history_narrows_to_token_type_and_category(api: Api) -> None:
    instance = api.start("fork")
    events = api.events(instance)
    token = api.instance(instance)["tokens"][0]["token_id"]

    def found(**query: object) -> list[int]:
        answer = api.get(f"/process-instances/{instance}/history", **query)
        return [event["sequence"] for event in answer.items]

    assert found(token=token) == [event["sequence"] for event in events if event["token_id"] == token]
    created = [event["sequence"] for event in events if event["event_type"] == "TokenCreated"]
    assert found(type="TokenCreated") == created
    assert found(category="task") == [
        event["sequence"] for event in events if event["event_type"] == "UserTaskCreated"
    ]
    assert found(category="task", type="TokenCreated") == []
    assert found(token=NOBODY) == []


@pytest.mark.parametrize("name", ["type", "category"])
def test_a_type_that_no_event_has_is_refused(api: Api, name: str) -> None:
    path = f"/process-instances/{api.start('minimal')}/history"
    for wrong in ("Nope", "tokencreated", "TOKEN", ""):
        answer = api.get(f"{path}?{name}={wrong}").problem(400, "RequestInvalid")
        assert answer.places == {(f"?{name}", "choice")}
    assert api.get(path, type="TimerFired").items == []


def test_the_history_is_paged_by_sequence(api: Api) -> None:
    instance = api.start("fork")
    whole = [event["sequence"] for event in api.events(instance)]
    first = api.get(f"/process-instances/{instance}/history", limit=4).ok()
    second = api.get(f"/process-instances/{instance}/history", limit=1_000, cursor=first["next"]).ok()
    assert [event["sequence"] for event in first["items"] + second["items"]] == whole
    assert second["next"] is None


def test_an_erased_event_says_so(api: Api) -> None:
    instance = api.start("minimal", variables={"name": "Ann"})
    api.post(f"/process-instances/{instance}/erase", {}).ok()
    (event,) = api.get(f"/process-instances/{instance}/history", category="variable").items
    assert (event["payload"], event["erased"]) == (None, True)


@pytest.mark.parametrize(
    ("query", "place"), [({"category": "x"}, "?category"), ({"token": "1"}, "?token"), ({"page": 1}, "?page")]
)
def test_a_bad_filter_is_named(api: Api, query: dict[str, object], place: str) -> None:
    instance = api.start("minimal")
    answer = api.get(f"/process-instances/{instance}/history", **query).problem(400, "RequestInvalid")
    assert {found for found, _ in answer.places} == {place}


def test_the_trace_tells_what_tokens_and_external_tasks_went_through(api: Api) -> None:
    instance = api.start("payment-flow")
    (task,) = api.fetch()
    api.post(f"/external-tasks/{task['task_id']}/complete", {"worker_id": "w1"}).ok()
    told = api.get(f"/process-instances/{instance}/trace").ok()
    assert told["status"] == "COMPLETED"
    (token,) = told["tokens"]
    assert token["token_id"] == task["token_id"]
    at_pay = [step["status"] for step in token["steps"] if step["node_id"] == "pay"]
    assert at_pay == ["Ready", "Waiting", "Ready", "Completed"]
    assert token["steps"][0]["reason"] == "start"
    assert (token["steps"][-1]["status"], token["steps"][-1]["final"]) == ("Terminated", True)
    (work,) = told["external_tasks"]
    assert (work["task_id"], work["node_id"]) == (task["task_id"], "pay")
    assert [step["event_type"] for step in work["steps"]] == [
        "ExternalTaskCreated",
        "ExternalTaskLocked",
        "ExternalTaskCompleted",
    ]
    assert work["steps"][1]["details"]["worker"] == "w1"


def test_pages_of_the_trace_hold_every_step_once(api: Api) -> None:
    instance = api.start("fork")
    whole = api.get(f"/process-instances/{instance}/trace", limit=1_000).ok()
    expected = {step["sequence"] for token in whole["tokens"] for step in token["steps"]}
    seen: list[int] = []
    cursor = None
    while True:
        query = {"limit": 3} | ({"cursor": cursor} if cursor else {})
        page = api.get(f"/process-instances/{instance}/trace", **query).ok()
        seen += [step["sequence"] for token in page["tokens"] for step in token["steps"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert sorted(seen) == sorted(expected)
    assert len(seen) == len(expected)


class TestVariables:
    """GET and POST /process-instances/{id}/variables."""

    def test_what_was_set_is_listed_by_scope_and_name(self, api: Api) -> None:
        instance = api.start("payment-flow", variables={"b": [1, {"c": None}], "a": "x"})
        rows = api.get(f"/process-instances/{instance}/variables").ok()
        assert [(row["scope_id"], row["name"], row["value"]) for row in rows] == [
            (instance, "a", "x"),
            (instance, "b", [1, {"c": None}]),
        ]
        assert api.get(f"/process-instances/{instance}/variables", scope=instance).ok() == rows
        assert api.get(f"/process-instances/{instance}/variables", scope=NOBODY).ok() == []

    def test_setting_changes_and_adds(self, api: Api) -> None:
        instance = api.start("payment-flow", variables={"a": 1})
        body = {"variables": {"a": 2, "b": True}}
        api.post(f"/process-instances/{instance}/variables", body).ok()
        assert api.instance(instance)["variables"] == {"a": 2, "b": True}
        assert api.events(instance)[-1]["actor"] == "olga"

    def test_a_scope_of_another_instance_is_refused(self, api: Api) -> None:
        mine, other = api.start("payment-flow"), api.start("payment-flow")
        body = {"variables": {"a": 2}, "scope": other}
        answer = api.post(f"/process-instances/{mine}/variables", body).problem(400, "RequestInvalid")
        assert answer.places == {("/scope", "scope")}
        assert api.instance(other)["variables"] == {}

    def test_an_ended_instance_refuses(self, api: Api) -> None:
        instance = api.start("minimal")
        body = {"variables": {"a": 2}}
        api.post(f"/process-instances/{instance}/variables", body).problem(409, "InstanceEnded")
        api.post(f"/process-instances/{NOBODY}/variables", body).problem(404, "InstanceNotFound")

    @pytest.mark.parametrize(
        ("name", "place"),
        [
            ("", "/variables/"),
            ("a\nb", "/variables/a\nb"),
            ("$x", "/variables/$x"),
            ("x" * 256, "/variables/" + "x" * 255),
        ],
    )
    def test_a_name_that_cannot_be_stored_is_named(self, api: Api, name: str, place: str) -> None:
        instance = api.start("payment-flow")
        answer = api.post(f"/process-instances/{instance}/variables", {"variables": {name: 1}})
        assert answer.problem(400, "VariableInvalid").places == {(place, "variable")}
        assert api.instance(instance)["variables"] == {}


EXACT = {
    "above 2^53": 9007199254740993,
    "big": 10**400 + 1,
    "negative": -(2**63) - 1,
    "tenth": 0.1,
    "price": Decimal("1.10"),
    "precise": Decimal("0.1000000000000000055511151231257827"),
    "huge": Decimal("1E+400"),
    "whole": 1.0,
    "nested": [Decimal("2.50"), {"n": 9007199254740993}],
    "text": 'ünï 😀 \\ " \u2028',
    "nothing": None,
    "no": False,
    "empty": {},
}


def test_every_digit_survives_from_start_to_worker_and_back(api: Api) -> None:
    instance = api.start("payment-flow", variables=EXACT)
    assert repr(api.instance(instance)["variables"]["price"]) == "Decimal('1.10')"
    assert _written(api.instance(instance)["variables"]) == _written(EXACT)
    (task,) = api.fetch()
    assert _written(task["variables"]) == _written(EXACT)
    back = {"worker_id": "w1", "lease_id": task["lease_id"], "variables": {"again": task["variables"]}}
    api.post(f"/external-tasks/{task['task_id']}/complete", back).ok()
    assert _written(api.instance(instance)["variables"]["again"]) == _written(EXACT)
    rows = {row["name"]: row["value"] for row in api.get(f"/process-instances/{instance}/variables").ok()}
    assert _written(rows["again"]) == _written(EXACT)
    set_events = [event for event in api.events(instance) if event["event_type"] == "VariableSet"]
    values = {event["payload"]["name"]: event["payload"]["value"] for event in set_events}
    assert _written(values["again"]) == _written(EXACT)


def _written(value: object) -> str:
    """Return a text that tells apart what compares equal: 1, 1.0, True, Decimal('1.0')."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{name!r}:{_written(value[name])}" for name in sorted(value)) + "}"
    return f"[{','.join(map(_written, value))}]" if isinstance(value, list) else repr(value)
