"""/messages, /signals and /conditions."""

from __future__ import annotations

import pytest

from bpm import engine
from bpm.models import MessageBuffer, ProcessInstance
from tests.api.caller import NOBODY, Api
from tests.support.between import END, START, event, file, process, user

pytestmark = pytest.mark.django_db(transaction=True)

WAITER = process(
    "waiter", START, event("intermediateCatchEvent", "c", "message", "m"), user("got"), END, line="s c got e"
)
STARTER = process("starter", event("startEvent", "s", "message", "go"), user("begun"), line="s begun")
LISTENER = process(
    "listener", START, event("intermediateCatchEvent", "c", "signal", "x"), user("got"), line="s c got"
)
CONDITION = process(
    "condition",
    '<startEvent id="s"><conditionalEventDefinition><condition>${foo &gt; 1}</condition>'
    "</conditionalEventDefinition></startEvent>",
    user("u"),
    line="s u",
)


@pytest.fixture
def events(api: Api) -> Api:
    """A caller, with definitions that wait for things."""
    roots = {"message_m": "pay", "message_go": "begin", "signal_x": "alert"}
    files = [
        (f"{n}.bpmn", file(text, **roots)) for n, text in enumerate((WAITER, STARTER, LISTENER, CONDITION))
    ]
    engine.deploy(files)
    return api


def test_a_message_reaches_the_one_who_waits(events: Api) -> None:
    instance = events.start("waiter", business_key="b")
    body = events.post(
        "/messages", {"name": "pay", "business_key": "b", "variables": {"x": 9007199254740993}}
    ).ok()
    assert (body["outcome"], body["message"]) == ("triggered", "pay")
    assert [receiver["instance_id"] for receiver in body["receivers"]] == [instance]
    shown = events.instance(instance)
    assert (shown["current_nodes"], shown["variables"]) == (["got"], {"x": 9007199254740993})


def test_a_message_starts_an_instance(events: Api) -> None:
    body = events.post("/messages", {"name": "begin", "variables": {"x": 1}}).ok()
    assert body["outcome"] == "started"
    assert events.instance(body["receivers"][0]["instance_id"])["current_nodes"] == ["begun"]


def test_nobody_is_a_404_and_several_are_a_409(events: Api) -> None:
    events.post("/messages", {"name": "pay"}).problem(404, "MessageUnmatched")
    for _ in range(2):
        events.start("waiter")
    events.post("/messages", {"name": "pay"}).problem(409, "MessageAmbiguous")
    assert len(events.post("/messages", {"name": "pay", "all": True}).ok()["receivers"]) == 2
    assert events.post("/messages", {"name": "pay", "all": True}).ok()["outcome"] == "none"


def test_keys_and_an_instance_say_who_is_meant(events: Api) -> None:
    first, second = (events.start("waiter", variables={"order": number}) for number in (1, 2))
    body = events.post("/messages", {"name": "pay", "correlation_keys": {"order": 2}}).ok()
    assert body["receivers"][0]["instance_id"] == second
    body = events.post("/messages", {"instance_id": first}).ok()
    assert body["receivers"][0]["instance_id"] == first


def test_a_message_can_wait(events: Api) -> None:
    body = events.post("/messages", {"name": "pay", "ttl_ms": 60_000}).ok()
    assert (body["outcome"], body["receivers"]) == ("buffered", [])
    assert body["expires_at"] is not None
    assert events.instance(events.start("waiter"))["current_nodes"] == ["got"]
    assert not MessageBuffer.objects.exists()


def test_a_message_under_an_id_or_a_key_is_sent_once(events: Api) -> None:
    body = {"name": "begin", "message_id": "m1"}
    assert events.post("/messages", body).ok() == events.post("/messages", body).ok()
    other = body | {"variables": {"x": 1}}
    events.post("/messages", other).problem(422, "IdempotencyMismatch")
    plain = {"name": "begin"}
    assert events.post("/messages", plain, key="k").ok() == events.post("/messages", plain, key="k").ok()
    assert ProcessInstance.objects.count() == 2


@pytest.mark.parametrize(
    ("body", "place", "rule"),
    [
        ({"name": ""}, "/name", "length"),
        ({"name": 1}, "/name", "type"),
        ({"name": "pay", "ttl_ms": 0}, "/ttl_ms", "range"),
        ({"name": "pay", "ttl_ms": "1"}, "/ttl_ms", "type"),
        ({"name": "pay", "all": "yes"}, "/all", "type"),
        ({"name": "pay", "correlation_keys": []}, "/correlation_keys", "type"),
        ({"name": "pay", "messageName": "x"}, "/messageName", "unknown"),
    ],
)
def test_bad_messages_are_refused_with_place_and_rule(
    events: Api, body: dict[str, object], place: str, rule: str
) -> None:
    assert (place, rule) in events.post("/messages", body).problem(400, "RequestInvalid").places


def test_messages_for_nobody_in_particular_or_an_unknown_instance_are_refused(events: Api) -> None:
    events.post("/messages", {}).problem(400, "Invalid")
    events.post("/messages", {"business_key": "b", "ttl_ms": 1}).problem(400, "Invalid")
    events.post("/messages", {"name": "pay", "instance_id": "nobody"}).problem(404, "InstanceNotFound")
    events.post("/messages", {"name": "pay", "instance_id": NOBODY}).problem(404, "MessageUnmatched")
    events.post("/messages", {"name": "pay", "variables": {"$x": 1}}).problem(400, "VariableInvalid")


def test_a_signal_reaches_all(events: Api) -> None:
    waiting = [events.start("listener") for _ in range(2)]
    assert events.post("/signals", {"name": "alert", "variables": {"x": 1}}).ok() == {
        "signal": "alert",
        "instances": 2,
        "starts": 0,
    }
    assert [events.instance(instance)["current_nodes"] for instance in waiting] == [["got"]] * 2
    assert events.post("/signals", {"name": "alert"}).ok()["instances"] == 0


def test_a_signal_for_one_instance(events: Api) -> None:
    first, second = events.start("listener"), events.start("listener")
    events.post("/signals", {"name": "alert", "instance_id": second, "activity_id": "c"}).ok()
    assert events.instance(first)["current_nodes"] == ["c"]
    events.post("/signals", {"name": "alert", "instance_id": second}).problem(404, "SubscriptionNotFound")
    events.post("/signals", {"name": "alert", "instance_id": NOBODY}).problem(404, "InstanceNotFound")
    refused = events.post("/signals", {"name": "alert", "activity_id": "c"}).problem(400, "RequestInvalid")
    assert refused.places == {("/activity_id", "instance")}
    assert ("/name", "required") in events.post("/signals", {}).problem(400, "RequestInvalid").places


def test_conditions_start_what_is_true(events: Api) -> None:
    body = events.post("/conditions", {"variables": {"foo": 2}, "business_key": "b"}).ok()
    (started,) = body["started"]
    assert (started["process_def_id"], started["business_key"]) == ("condition", "b")
    assert events.post("/conditions", {"variables": {"foo": 1}}).ok() == {"started": []}
    events.post("/conditions", {"process_def_id": "nothing"}).problem(404, "DefinitionNotFound")


def test_another_tenant_hears_nothing(events: Api) -> None:
    events.start("waiter")
    events.start("listener")
    events.post("/messages", {"name": "pay"}, tenant="other").problem(404, "MessageUnmatched")
    assert events.post("/signals", {"name": "alert"}, tenant="other").ok()["instances"] == 0
    assert events.post("/conditions", {"variables": {"foo": 2}}, tenant="other").ok() == {"started": []}


def test_a_deployment_shows_when_it_will_start_by_itself(api: Api) -> None:
    timed = process(
        "timed",
        '<startEvent id="s"><timerEventDefinition><timeCycle>R3/PT1H</timeCycle></timerEventDefinition></startEvent>',
        END,
        line="s e",
    )
    (definition,) = api.deploy(file(timed)).ok(201)["definitions"]
    (shown,) = definition["timer_starts"]
    assert (shown["node"], len(shown["firings"])) == ("s", 3)
