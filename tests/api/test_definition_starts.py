"""/process-definitions/{id}/starts, and /timers for what starts by time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bpm import engine
from bpm.core.values import from_text
from bpm.models import DefinitionEvent, ProcessInstance
from bpm.shell.clock import frozen
from tests.api.caller import NOBODY, Api
from tests.support.bpmn_text import bpmn, flows

pytestmark = pytest.mark.usefixtures("db")
NOW = datetime(2046, 5, 1, 12, tzinfo=UTC)
"""Later than the wall clock, so that nothing is overdue where a test does not say so."""
ROOTS = '<message id="m" name="ordered"/><signal id="sig" name="alarm"/>'
BY = {
    "timer": "<timerEventDefinition><timeCycle>R3/PT1H</timeCycle></timerEventDefinition>",
    "message": '<messageEventDefinition messageRef="m"/>',
    "signal": '<signalEventDefinition signalRef="sig"/>',
    "condition": "<conditionalEventDefinition><condition>${level &gt; 3}</condition></conditionalEventDefinition>",
}


@pytest.fixture
def definition() -> str:
    """A version with one start of each kind, deployed at NOW."""
    nodes = "".join(f'<startEvent id="by_{kind}">{inner}</startEvent>' for kind, inner in BY.items())
    nodes += '<userTask id="a"/><endEvent id="e"/>'
    source = bpmn(nodes, flows(*(f"by_{kind} a" for kind in BY), "a e"), key="started", roots=ROOTS)
    with frozen(NOW):
        (row,) = engine.deploy([("started.bpmn", source)])["definitions"]
    assert [start["node"] for start in row["timer_starts"]] == ["by_timer"]
    hours = [datetime.fromisoformat(at) - NOW for at in row["timer_starts"][0]["firings"]]
    assert hours == [timedelta(hours=number) for number in (1, 2, 3)]
    return str(row["id"])


def starts(api: Api, definition: str) -> dict[str, Any]:
    return {row["kind"]: row for row in api.get(f"/process-definitions/{definition}/starts").ok()}


def path(api: Api, definition: str, kind: str) -> str:
    return f"/process-definitions/{definition}/starts/{starts(api, definition)[kind]['start_id']}"


def noted(event: str) -> list[tuple[str, dict[str, Any]]]:
    rows = DefinitionEvent.objects.filter(event_type=event).order_by("sequence")
    return [(row.actor, from_text(row.payload)) for row in rows]


def test_all_starts_are_listed_timers_with_their_next_due_times(api: Api, definition: str) -> None:
    found = starts(api, definition)
    assert found.keys() == BY.keys()
    assert {kind: row["node_id"] for kind, row in found.items()} == {kind: f"by_{kind}" for kind in BY}
    names = {kind: row["name"] for kind, row in found.items()}
    assert names == {"timer": "R3/PT1H", "message": "ordered", "signal": "alarm", "condition": "0"}
    assert len(found["timer"]["firings"]) == 3
    assert found["timer"]["firings"][0] == found["timer"]["due_at"]
    (timer,) = api.get("/timers", definition_id=definition).items
    assert (timer["timer_id"], timer["instance_id"]) == (found["timer"]["start_id"], None)
    assert api.get("/timers", definition_id=NOBODY).items == []
    api.get(f"/process-definitions/{NOBODY}/starts").problem(404, "DefinitionNotFound")


@pytest.mark.parametrize("kind", BY)
def test_a_start_is_triggered_now(api: Api, definition: str, kind: str) -> None:
    body = {"business_key": "B", "variables": {"n": 9007199254740993}}
    answer = api.post(f"{path(api, definition, kind)}/trigger", body).ok()
    assert (answer["kind"], answer["node_id"], answer["status"]) == (kind, f"by_{kind}", "RUNNING")
    shown = api.instance(answer["instance_id"])
    assert (shown["business_key"], shown["variables"]) == ("B", {"n": 9007199254740993})
    assert shown["current_nodes"] == ["a"]
    assert noted("StartTriggered")[0] == (
        "olga",
        {
            "definition": definition,
            "version": 1,
            "start": answer["start_id"],
            "node": f"by_{kind}",
            "instance": answer["instance_id"],
        },
    )
    assert api.events(answer["instance_id"])[0]["actor"] == "olga"


def test_a_triggered_cycle_goes_on_with_its_next_due_time(api: Api, definition: str) -> None:
    timer = starts(api, definition)["timer"]["start_id"]
    answer = api.post(f"/timers/{timer}/fire").ok()
    assert (answer["timer_id"], answer["definition_id"], answer["status"]) == (timer, definition, "RUNNING")
    following = starts(api, definition)["timer"]
    assert following["start_id"] != timer
    api.post(f"/timers/{timer}/fire").problem(409, "TimerClosed")
    assert ProcessInstance.objects.count() == 1


@pytest.mark.parametrize("way", ["timers", "starts"])
def test_a_timer_start_becomes_due_at_another_time(api: Api, definition: str, way: str) -> None:
    timer = starts(api, definition)["timer"]["start_id"]
    at = NOW + timedelta(minutes=5)
    target = f"/timers/{timer}" if way == "timers" else path(api, definition, "timer")
    api.patch(target, {"due_at": at.isoformat(), "priority": 7}).ok()
    shown = starts(api, definition)["timer"]
    assert (datetime.fromisoformat(shown["due_at"]), shown["priority"]) == (at, 7)
    with frozen(at - timedelta(seconds=1)):
        assert engine.fire_due_starts(10).done == []
    with frozen(at):
        assert len(engine.fire_due_starts(10).done) == 1
    assert starts(api, definition)["timer"]["priority"] == 7
    ((actor, told),) = noted("StartChanged")
    assert (actor, told["due_at"], told["priority"]) == ("olga", at.isoformat(), 7)


@pytest.mark.parametrize("kind", BY)
def test_a_disarmed_start_starts_nothing_until_the_next_version(api: Api, definition: str, kind: str) -> None:
    target = path(api, definition, kind)
    assert api.send_as("DELETE", target).ok()["kind"] == kind
    assert starts(api, definition).keys() == BY.keys() - {kind}
    with frozen(NOW + timedelta(days=1)):
        engine.fire_due_starts(10)
    engine.signal("alarm")
    engine.evaluate_conditions(variables={"level": 9})
    api.post("/messages", {"name": "ordered", "all": True}).ok()
    with frozen(NOW + timedelta(days=2)):
        while engine.deliver_due(10).done:
            pass
    began = {event["node_id"] for row in ProcessInstance.objects.all() for event in api.events(str(row.pk))}
    assert f"by_{kind}" not in began
    assert {f"by_{other}" for other in BY if other != kind} <= began
    api.send_as("DELETE", target).problem(404, "SubscriptionNotFound")
    api.post(f"{target}/trigger").problem(404, "SubscriptionNotFound")
    assert [actor for actor, _ in noted("StartDisarmed")] == ["olga"]


def test_what_no_start_can_do_is_refused(api: Api, definition: str) -> None:
    message, timer = path(api, definition, "message"), path(api, definition, "timer")
    api.patch(message, {"due_at": NOW.isoformat()}).problem(400, "Invalid")
    api.patch(timer, {}).problem(400, "Invalid")
    api.patch(timer, {"priority": 2**63}).problem(400, "RequestInvalid")
    api.post(f"/process-definitions/{NOBODY}/starts/{NOBODY}/trigger").problem(404, "DefinitionNotFound")
    api.post(f"/process-definitions/{definition}/starts/{NOBODY}/trigger").problem(
        404, "SubscriptionNotFound"
    )
    api.post(f"/process-definitions/{definition}/suspend").ok()
    api.post(f"{timer}/trigger").problem(422, "NotStartable")
    assert starts(api, definition)["timer"]["suspended"] is True


def test_the_same_trigger_under_the_same_key_starts_once(api: Api, definition: str) -> None:
    target = f"{path(api, definition, 'message')}/trigger"
    first, again = (api.post(target, {}, key="k").ok() for _ in range(2))
    assert first == again
    assert ProcessInstance.objects.count() == 1
