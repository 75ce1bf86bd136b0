"""/process-instances/{id}/modify, and starts by instructions."""

from __future__ import annotations

from typing import Any

import pytest

from bpm import engine
from tests.api.caller import NOBODY, Api
from tests.api.definitions import END, START, bpmn, line

pytestmark = pytest.mark.usefixtures("deployed")

LOOP = "<multiInstanceLoopCharacteristics><loopCardinality>4</loopCardinality></multiInstanceLoopCharacteristics>"
MANY = bpmn(
    "many",
    START
    + f'<userTask id="m">{LOOP}</userTask><userTask id="last"/>'
    + END
    + line("start", "m", "last", "end"),
)


def _nodes(api: Api, instance: str) -> list[str]:
    return sorted(task["node_id"] for task in api.get("/tasks", instance_id=instance).items)


def _modify(api: Api, instance: str, *instructions: dict[str, Any], **fields: object) -> Any:
    return api.post(f"/process-instances/{instance}/modify", {"instructions": instructions, **fields})


def test_instructions_are_carried_out_and_stand_in_the_history(api: Api) -> None:
    instance = api.start("fork")
    token = next(row for row in api.instance(instance)["tokens"] if row["node_id"] == "a")
    answer = _modify(
        api,
        instance,
        {"type": "cancel", "token_id": token["token_id"]},
        {"type": "cancel", "node_id": "b"},
        {"type": "start_before", "node_id": "c", "variables": {"x": 1}, "local_variables": {"own": 2}},
        {"type": "start_after", "node_id": "a"},
        {"type": "start_at", "flow_id": "b-join"},
    ).ok()
    assert len(answer["started"]) == 3
    assert _nodes(api, instance) == ["c", "c"]
    assert api.instance(instance)["variables"] == {"x": 1}
    (event,) = [one for one in api.events(instance) if one["event_type"] == "InstanceModified"]
    assert event["actor"] == "olga"
    assert [told["instruction"] for told in event["payload"]["instructions"]] == [
        "CancelToken",
        "CancelAll",
        "StartBefore",
        "StartAfter",
        "StartAtFlow",
    ]
    assert event["payload"]["instructions"][2] == {
        "instruction": "StartBefore",
        "node": "c",
        "variables": ["x"],
        "local_variables": ["own"],
    }


def test_a_preview_shows_what_the_modification_then_does(api: Api) -> None:
    engine.deploy([("many.bpmn", MANY)])
    instance = api.start("many")
    moves = ({"type": "cancel", "node_id": "m"}, {"type": "start_before", "node_id": "last"})
    before, events = api.instance(instance), api.events(instance)
    preview = _modify(api, instance, *moves, preview=True).ok()
    assert (api.instance(instance), api.events(instance)) == (before, events)
    _modify(api, instance, *moves).ok()
    found = [(row["node_id"], row["status"]) for row in api.instance(instance)["tokens"]]
    assert found == [(row["node_id"], row["status"]) for row in preview["tokens"]] == [("last", "Waiting")]


@pytest.mark.parametrize(
    ("instruction", "places"),
    [
        ({"type": "jump"}, {("/instructions/0", "choice")}),
        ({}, {("/instructions/0", "choice")}),
        ({"type": 1}, {("/instructions/0", "choice")}),
        ("x", {("/instructions/0", "type")}),
        ({"type": "cancel"}, {("/instructions/0", "either")}),
        ({"type": "cancel", "node_id": "a", "token_id": NOBODY}, {("/instructions/0", "either")}),
        ({"type": "start_before"}, {("/instructions/0/node_id", "required")}),
        ({"type": "start_at", "flow_id": "f", "node_id": "a"}, {("/instructions/0/node_id", "unknown")}),
        ({"type": "start_after", "node_id": "a", "variables": 1}, {("/instructions/0/variables", "type")}),
    ],
)
def test_an_instruction_that_is_none_is_refused_by_its_place(
    api: Api, instruction: Any, places: set[tuple[str, str]]
) -> None:
    instance = api.start("fork")
    assert _modify(api, instance, instruction).problem(400, "RequestInvalid").places == places


def test_what_the_engine_refuses_changes_nothing(api: Api, user: Api) -> None:
    instance = api.start("fork")
    length = len(api.events(instance))
    twice = {"type": "cancel", "token_id": api.instance(instance)["tokens"][0]["token_id"]}
    _modify(api, instance, twice, twice).problem(409, "Conflict")
    _modify(api, instance, {"type": "cancel", "token_id": NOBODY}).problem(404, "TokenNotFound")
    _modify(api, instance, {"type": "start_before", "node_id": "nowhere"}).problem(400, "Invalid")
    _modify(api, NOBODY, twice).problem(404, "InstanceNotFound")
    _modify(user, instance, twice).problem(403, "NotAllowed")
    assert len(api.events(instance)) == length


def test_an_instance_starts_where_its_instructions_say(api: Api) -> None:
    starts = [{"type": "start_before", "node_id": "b"}, {"type": "start_after", "node_id": "a"}]
    instance = api.start("fork", start_instructions=starts)
    assert _nodes(api, instance) == ["b"]
    body = {"process_def_id": "fork", "start_instructions": [{"type": "cancel", "node_id": "a"}]}
    answer = api.post("/process-instances", body).problem(400, "RequestInvalid")
    assert answer.places == {("/start_instructions/0", "choice")}
    body["start_instructions"] = [{"type": "start_before", "node_id": "nowhere"}]
    api.post("/process-instances", body).problem(400, "Invalid")
