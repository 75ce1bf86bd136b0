"""What goes in as a variable comes out the same, however large or odd it is."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from bpm import engine
from bpm.core.errors import VariableInvalid
from bpm.shell.configuration import setting
from tests.api.caller import Api
from tests.api.definitions import END, START, bpmn, line

pytestmark = pytest.mark.usefixtures("deployed")


def test_a_whole_number_keeps_its_digits_everywhere(api: Api) -> None:
    number = 9007199254740993
    instance = api.start("payment-flow", variables={"n": number, "list": [number, {"n": -(2**80)}]})
    (task,) = api.fetch()
    assert (task["variables"]["n"], task["variables"]["list"]) == (number, [number, {"n": -(2**80)}])
    api.post(f"/process-instances/{instance}/variables", {"variables": {"m": number + 2}}).ok()
    assert str(number + 2).encode() in api.get(f"/process-instances/{instance}/variables").content
    assert api.instance(instance)["variables"]["m"] == number + 2
    events = api.get(f"/process-instances/{instance}/history", category="variable").content
    assert str(number).encode() in events


@pytest.mark.parametrize(
    "value",
    [
        "2026-03-29",
        "2026-03-29T02:30:00.123456+02:00",
        "P1DT2H",
        "0.10",
        "4d5e2b6c-0f0e-4a3c-9f5b-0f3c1d2e4a5b",
    ],
)
def test_dates_durations_and_the_like_are_text_that_stays_as_it_is(api: Api, value: str) -> None:
    instance = api.start("approval", variables={"value": value})
    assert api.instance(instance)["variables"] == {"value": value}


def test_a_decimal_keeps_its_digits(api: Api) -> None:
    instance = engine.start("approval", variables={"value": Decimal("12345678901234567890.10")})[
        "instance_id"
    ]
    assert b"12345678901234567890.10" in api.get(f"/process-instances/{instance}/variables").content


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        date(2026, 1, 1),
        datetime(2026, 1, 1, tzinfo=UTC),
        timedelta(days=1),
        UUID(int=1),
        b"bytes",
        {1: "x"},
        {"a": {2}},
        "\x00",
        "\ud800",
    ],
)
def test_what_json_cannot_hold_is_refused_by_name_and_not_made_into_something_else(value: Any) -> None:
    with pytest.raises(VariableInvalid) as refused:
        engine.start("approval", variables={"good": 1, "odd": value})
    assert "odd" in str(refused.value)


def test_the_largest_variable_that_is_taken_can_be_fetched_completed_and_shown(api: Api) -> None:
    limit: int = setting("MAX_VARIABLE_BYTES")
    text = "x" * (limit - 2)
    instance = engine.start("payment-flow", variables={"large": text})["instance_id"]
    with pytest.raises(VariableInvalid):
        engine.start("payment-flow", variables={"large": text + "xx"})
    (task,) = api.fetch()
    assert (task["instance_id"], task["variables"]["large"]) == (instance, text)
    answer = api.post(
        f"/external-tasks/{task['task_id']}/complete", {"worker_id": "w1", "variables": {"large": text}}
    )
    assert answer.ok()["status"] == "COMPLETED"
    assert api.instance(instance)["variables"]["large"] == text


def test_a_local_variable_of_a_mapping_hides_the_outer_one_and_the_answer_tells_where_it_stands(
    api: Api,
) -> None:
    parameter = '<camunda:inputParameter name="x">inner</camunda:inputParameter>'
    mapping = f"<camunda:inputOutput>{parameter}</camunda:inputOutput>"
    body = f'<userTask id="a"><extensionElements>{mapping}</extensionElements></userTask><userTask id="b"/>'
    engine.deploy([("m.bpmn", bpmn("mapped", START + body + END + line("start", "a", "b", "end")))])
    instance = api.start("mapped", variables={"x": "outer"})
    (task,) = api.get("/tasks", instance_id=instance).items
    assert {row["name"]: row["value"] for row in api.get(f"/tasks/{task['task_id']}/variables").ok()} == {
        "x": "inner"
    }
    api.post(f"/tasks/{task['task_id']}/complete", {"variables": {"x": 2, "y": 3}}).ok()
    assert api.instance(instance)["variables"] == {"x": "outer", "y": 3}
