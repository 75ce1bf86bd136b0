"""What an explanation says, one test per kind of waiting."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from bpm import engine, handlers
from bpm.shell.clock import frozen
from tests.api.caller import Api
from tests.support.bpmn_text import bpmn, flows, one_task, subprocess
from tests.support.clock import START

pytestmark = pytest.mark.usefixtures("db")
ROOTS = (
    '<message id="m" name="paid"/><signal id="sig" name="alarm"/><error id="err" errorCode="E"/>'
    '<escalation id="esc" escalationCode="X"/>'
)
EVENT = {
    "message": '<messageEventDefinition messageRef="m"/>',
    "signal": '<signalEventDefinition signalRef="sig"/>',
    "condition": "<conditionalEventDefinition><condition>${level &gt; 3}</condition></conditionalEventDefinition>",
    "timer": "<timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition>",
}
ENDS = '<startEvent id="s"/><endEvent id="e"/>'


def catch(name: str, kind: str) -> str:
    return f'<intermediateCatchEvent id="{name}">{EVENT[kind]}</intermediateCatchEvent>'


def begin(api: Api, *body: str, key: str = "p", **variables: object) -> str:
    engine.deploy([(f"{key}.bpmn", bpmn(*body, key=key, roots=ROOTS))])
    return api.start(key, variables=variables)


def explained(api: Api, instance: str, node: str) -> dict[str, Any]:
    """Return the explanation of the innermost token at a node."""
    answer = api.get(f"/process-instances/{instance}/explain").ok()
    tokens = [token for token in answer["tokens"] if token["node_id"] == node]
    assert tokens, answer
    return dict(tokens[-1])


@pytest.mark.parametrize(
    ("kind", "name", "moved_by"),
    [
        ("message", "paid", "The message comes."),
        ("signal", "alarm", "The signal comes."),
        ("condition", "0", "Variables make the condition true."),
    ],
)
def test_a_catch_event_names_what_it_waits_for(api: Api, kind: str, name: str, moved_by: str) -> None:
    token = explained(api, begin(api, ENDS, catch("c", kind), flows("s c", "c e"), level=1), "c")
    assert (token["waits_for"], token["moved_by"]) == (kind, moved_by)
    (wait,) = token["subscriptions"]
    assert (wait["kind"], wait["name"], wait["node_id"]) == (kind, name, "c")


def test_a_message_tells_the_key_that_it_must_have(api: Api) -> None:
    keyed = (
        '<message id="m" name="paid"><extensionElements><zeebe:subscription correlationKey="=order"/>'
        "</extensionElements></message>"
    )
    source = bpmn(ENDS, catch("c", "message"), flows("s c", "c e"), roots=keyed)
    engine.deploy([("p.bpmn", source)])
    token = explained(api, api.start("p", variables={"order": "A 7"}), "c")
    assert [wait["correlation"] for wait in token["subscriptions"]] == ['"A 7"']


def test_an_event_gateway_tells_all_that_may_come(api: Api) -> None:
    body = '<eventBasedGateway id="g"/>' + catch("c1", "message") + catch("c2", "timer")
    instance = begin(api, ENDS, body, flows("s g", "g c1", "g c2", "c1 e", "c2 e"))
    token = explained(api, instance, "g")
    assert (token["waits_for"], token["moved_by"]) == ("events", "One of the events comes.")
    assert [wait["node_id"] for wait in token["subscriptions"]] == ["c1"]
    assert [wait["node_id"] for wait in token["timers"]] == ["c2"]


def test_a_timer_that_is_overdue_says_so(api: Api) -> None:
    with frozen(START):
        instance = begin(api, ENDS, catch("c", "timer"), flows("s c", "c e"))
        (early,) = explained(api, instance, "c")["timers"]
    with frozen(START + timedelta(hours=2)):
        (late,) = explained(api, instance, "c")["timers"]
    assert datetime.fromisoformat(early["due_at"]) == START + timedelta(hours=1)
    assert (early["overdue"], late["overdue"]) == (False, True)


def test_a_lease_that_has_run_out_holds_nobody(api: Api) -> None:
    body = '<serviceTask id="x" camunda:type="external" camunda:topic="t"/>'
    with frozen(START):
        instance = begin(api, ENDS, body, flows("s x", "x e"))
        engine.fetch_and_lock("w7", topics=["t"], max_tasks=1, lock_ms=1_000)
        held = explained(api, instance, "x")
    assert held["moved_by"].startswith("The worker that holds the lease completes")
    with frozen(START + timedelta(minutes=1)):
        free = explained(api, instance, "x")
    assert free["external_task"]["worker_id"] == "w7"
    assert free["moved_by"] == "The lease has run out: a worker fetches the task and completes it."


def test_an_external_task_in_back_off_says_from_when_it_is_fetched(api: Api) -> None:
    body = '<serviceTask id="x" camunda:type="external" camunda:topic="t"/>'
    with frozen(START):
        instance = begin(api, ENDS, body, flows("s x", "x e"))
        (task,) = engine.fetch_and_lock("w", topics=["t"], max_tasks=1, lock_ms=1_000)
        engine.fail_external_task(task["task_id"], worker="w", error="down", retry_after_ms=60_000)
        told = explained(api, instance, "x")["external_task"]
    assert (told["retries"], told["error"], told["worker_id"]) == (2, "down", None)
    assert datetime.fromisoformat(told["available_at"]) == START + timedelta(minutes=1)


def test_a_dead_letter_is_an_incident(api: Api) -> None:
    body = '<serviceTask id="x" camunda:type="external" camunda:topic="t"/>'
    instance = begin(api, ENDS, body, flows("s x", "x e"))
    (task,) = engine.fetch_and_lock("w", topics=["t"], max_tasks=1, lock_ms=60_000)
    engine.fail_external_task(task["task_id"], worker="w", error="down", retries=0)
    token = explained(api, instance, "x")
    assert (token["waits_for"], token["incident"]["kind"]) == ("incident", "ExternalTaskFailed")
    assert token["moved_by"] == "The incident is resolved by a retry."


@pytest.fixture
def handler() -> Iterator[None]:
    handlers.service("told")(lambda work: None)
    yield
    handlers.unregister("service", "told")


@pytest.mark.usefixtures("handler")
def test_a_job_tells_its_retries_and_from_when_it_is_taken_again(api: Api) -> None:
    cycle = "<camunda:failedJobRetryTimeCycle>R3/PT5M</camunda:failedJobRetryTimeCycle>"
    task = f'<serviceTask id="x" camunda:class="told"><extensionElements>{cycle}</extensionElements></serviceTask>'
    with frozen(START):
        instance = begin(api, ENDS, task, flows("s x", "x e"))
        assert explained(api, instance, "x")["job"]["retries"] == 3
        (claimed,) = engine.claim_jobs("c1", limit=1, lease_ms=30_000)
        running = explained(api, instance, "x")
        assert (running["job"]["owner"], running["moved_by"][:11]) == ("c1", "The handler")
        engine.fail_job(claimed.work.job_id, attempt=1, error="down")
        waiting = explained(api, instance, "x")
    assert (waiting["waits_for"], waiting["job"]["status"], waiting["job"]["retries"]) == ("job", "READY", 2)
    assert waiting["job"]["owner"] is None
    assert datetime.fromisoformat(waiting["job"]["available_at"]) == START + timedelta(minutes=5)
    assert waiting["moved_by"] == "A cluster takes the job."


def test_an_asynchronous_continuation_is_a_job(api: Api) -> None:
    instance = begin(api, ENDS, '<userTask id="x" camunda:asyncBefore="true"/>', flows("s x", "x e"))
    token = explained(api, instance, "x")
    assert (token["status"], token["waits_for"], token["job"]["kind"]) == ("Ready", "job", "before")


def test_an_inclusive_join_tells_what_can_still_come(api: Api) -> None:
    gateways = '<inclusiveGateway id="f"/><inclusiveGateway id="j"/><userTask id="a"/><userTask id="b"/>'
    instance = begin(api, ENDS, gateways, flows("s f", "f a", "f b", "a j", "b j", "j e"))
    task = next(row for row in api.get("/tasks").items if row["node_id"] == "a")
    api.post(f"/tasks/{task['task_id']}/complete").ok()
    token = explained(api, instance, "j")
    assert (token["waits_for"], token["join"]["kind"], token["join"]["arrived"]) == ("join", "inclusive", 1)
    (missing,) = token["join"]["missing"]
    assert (missing["flow_id"], missing["can_come"]) == ("b_j", True)
    assert missing["tokens"] == [explained(api, instance, "b")["token_id"]]


def test_a_complex_gateway_is_a_join_too(api: Api) -> None:
    gateways = (
        '<parallelGateway id="f"/><userTask id="a"/><userTask id="b"/><complexGateway id="j">'
        "<activationCondition>${activationCount &gt; 1}</activationCondition></complexGateway>"
    )
    instance = begin(api, ENDS, gateways, flows("s f", "f a", "f b", "a j", "b j", "j e"))
    task = next(row for row in api.get("/tasks").items if row["node_id"] == "a")
    api.post(f"/tasks/{task['task_id']}/complete").ok()
    token = explained(api, instance, "j")
    assert (token["waits_for"], token["join"]["kind"]) == ("join", "complex")
    assert [flow["flow_id"] for flow in token["join"]["missing"]] == ["b_j"]


def test_an_activity_that_needs_several_tokens_is_one_as_well(api: Api) -> None:
    instance = begin(api, ENDS, '<userTask id="x" startQuantity="2"/>', flows("s x", "x e"))
    token = explained(api, instance, "x")
    assert (token["waits_for"], token["join"]["kind"]) == ("join", "quantity")
    assert (token["join"]["arrived"], token["join"]["expected"]) == (1, 2)


def test_a_subprocess_and_a_multi_instance_wait_for_what_is_inside(api: Api) -> None:
    loop = (
        '<userTask id="multi"><multiInstanceLoopCharacteristics><loopCardinality>3</loopCardinality>'
        "</multiInstanceLoopCharacteristics></userTask>"
    )
    nodes = ENDS + '<parallelGateway id="f"/>' + subprocess("sub", one_task("u")) + loop
    instance = begin(api, nodes, flows("s f", "f sub", "f multi", "sub e", "multi e"))
    answer = api.get(f"/process-instances/{instance}/explain").ok()
    outer = [token for token in answer["tokens"] if token["waits_for"] == "scope"]
    inside = {(token["node_id"], token["scope"]["kind"], token["scope"]["live_tokens"]) for token in outer}
    assert inside >= {("sub", "subprocess", 1), ("multi", "multiInstance", 3)}
    assert {token["moved_by"] for token in outer} == {"Everything inside is done."}


def test_a_call_names_the_called_instance_and_how_it_is(transactional_db: None, api: Api) -> None:
    engine.deploy([("called.bpmn", bpmn(one_task("u"), key="called"))])
    instance = begin(api, ENDS, '<callActivity id="x" calledElement="called"/>', flows("s x", "x e"))
    token = explained(api, instance, "x")
    assert (token["waits_for"], token["moved_by"]) == ("call", "The called instance ends.")
    called = api.get("/process-instances", parent_instance_id=instance).items[0]["instance_id"]
    assert token["call"] == {"instance_id": called, "status": "RUNNING"}


def test_what_was_thrown_and_is_offered_to_the_caller_waits_for_its_answer(
    transactional_db: None, api: Api
) -> None:
    thrower = (
        '<startEvent id="s"/><endEvent id="t"><errorEventDefinition errorRef="err"/></endEvent>',
        flows("s t"),
    )
    engine.deploy([("called.bpmn", bpmn(*thrower, key="called", roots=ROOTS))])
    instance = begin(api, ENDS, '<callActivity id="x" calledElement="called"/>', flows("s x", "x e"))
    engine.suspend(instance)
    called = api.get("/process-instances", parent_instance_id=instance).items[0]["instance_id"]
    token = explained(api, called, "t")
    assert token["waits_for"] in ("caller", "incident")


def test_a_throwing_token_waits_for_the_compensation_that_it_has_started(api: Api) -> None:
    undo = (
        '<userTask id="a"/><boundaryEvent id="b" attachedToRef="a"><compensateEventDefinition/></boundaryEvent>'
        '<userTask id="undo" isForCompensation="true"/><association id="as" sourceRef="b" targetRef="undo"/>'
        '<intermediateThrowEvent id="t"><compensateEventDefinition/></intermediateThrowEvent>'
    )
    instance = begin(api, ENDS, undo, flows("s a", "a t", "t e"))
    (task,) = api.get("/tasks").items
    api.post(f"/tasks/{task['task_id']}/complete").ok()
    token = explained(api, instance, "t")
    assert (token["waits_for"], token["moved_by"]) == ("compensation", "What it compensates is done.")
    assert explained(api, instance, "undo")["waits_for"] == "user_task"


@pytest.mark.parametrize("kind", ["message", "timer", "signal", "condition"])
def test_a_boundary_event_and_an_event_subprocess_are_told_of_their_scope(api: Api, kind: str) -> None:
    inside = f'<startEvent id="h" isInterrupting="false">{EVENT[kind]}</startEvent><endEvent id="he"/>'
    handler = subprocess("handler", inside, flows("h he"), attributes='triggeredByEvent="true"')
    boundary = f'<boundaryEvent id="b" attachedToRef="x">{EVENT[kind]}</boundaryEvent><endEvent id="be"/>'
    if kind == "message":
        boundary = boundary.replace('messageRef="m"', 'messageRef="other"')
    roots = ROOTS + '<message id="other" name="other"/>'
    body = (ENDS, '<userTask id="x"/>', boundary, handler, flows("s x", "x e", "b be"))
    engine.deploy([("p.bpmn", bpmn(*body, roots=roots))])
    instance = api.start("p", variables={"level": 1})
    scopes = api.get(f"/process-instances/{instance}/explain").ok()["scopes"]
    part = "timers" if kind == "timer" else "subscriptions"
    told = {scope["node_id"]: [row["node_id"] for row in scope[part]] for scope in scopes}
    assert told == {"p": ["h"], "x": ["b"]}


def test_in_a_suspended_instance_everything_waits_for_activation_first(api: Api) -> None:
    instance = begin(api, ENDS, catch("c", "timer"), flows("s c", "c e"))
    api.post(f"/process-instances/{instance}/suspend").ok()
    token = explained(api, instance, "c")
    assert (token["suspended"], token["status"], token["waits_for"]) == (True, "Suspended", "timer")
    assert token["moved_by"] == "The instance is activated; then: The timer fires."
    assert len(token["timers"]) == 1
