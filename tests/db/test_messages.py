"""Messages: who gets one, what waits for whom, and that none is lost or given twice."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils.timezone import now

from bpm import engine
from bpm.core import errors
from bpm.core.ids import NIL, IdSource
from bpm.core.values import to_text
from bpm.engine import Idempotency
from bpm.models import MessageBuffer, Outbox, ProcessInstance, Subscription
from bpm.shell import correlation
from bpm.shell.clock import frozen
from bpm.shell.messages import Message
from tests.support.between import (
    END,
    START,
    at,
    check_all,
    complete,
    deploy,
    event,
    events,
    instances,
    node,
    nothing_on_the_way,
    only,
    process,
    start,
    status,
    timer,
    user,
    variables,
    waits,
)
from tests.support.clock import START as BEGIN
from tests.support.clock import next_millisecond

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _checked() -> Iterator[None]:
    yield
    check_all()


CATCH = event("intermediateCatchEvent", "c", "message", "m")
WAITER = process("waiter", START, CATCH, user("got"), END, line="s c got e")
STARTER = process("starter", event("startEvent", "s", "message", "m"), user("begun"), END, line="s begun e")


def waiter(**fields: Any) -> str:
    return start("waiter", **fields)


# exactly one receiver


def test_the_one_who_waits_gets_it_with_its_variables() -> None:
    deploy(WAITER, message_m="pay")
    instance = waiter()
    answer = engine.correlate("pay", variables={"amount": 3})
    assert (at(instance), variables(instance)) == (["got"], {"amount": 3})
    assert answer["outcome"] == "triggered"
    (receiver,) = answer["receivers"]
    assert (receiver["instance_id"], receiver["node_id"], receiver["started"]) == (instance, "c", False)


def test_without_a_receiver_it_is_refused_and_nothing_changes() -> None:
    deploy(WAITER, message_m="pay")
    instance = waiter()
    with pytest.raises(errors.MessageUnmatched):
        engine.correlate("other", variables={"x": 1})
    assert (at(instance), variables(instance)) == (["c"], {})
    assert nothing_on_the_way()


def test_two_receivers_are_refused_and_both_still_wait() -> None:
    deploy(WAITER, message_m="pay")
    first, second = waiter(), waiter()
    with pytest.raises(errors.MessageAmbiguous):
        engine.correlate("pay")
    assert (at(first), at(second)) == (["c"], ["c"])


def test_for_everybody_each_gets_it_and_none_is_enough() -> None:
    deploy(WAITER, message_m="pay")
    waiting = []
    for _ in range(3):
        next_millisecond()
        waiting.append(waiter())
    answer = engine.correlate("pay", all=True, variables={"x": 1})
    assert [receiver["instance_id"] for receiver in answer["receivers"]] == waiting
    assert {tuple(at(instance)) for instance in waiting} == {("got",)}
    assert engine.correlate("pay", all=True)["outcome"] == "none"


def test_for_everybody_is_for_all_or_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(correlation, "MOST", 2)
    deploy(WAITER, message_m="pay")
    waiting = [waiter() for _ in range(3)]
    with pytest.raises(errors.TooLarge) as refused:
        engine.correlate("pay", all=True)
    assert refused.value.details["limit"] == 2
    assert {tuple(at(instance)) for instance in waiting} == {("c",)}
    engine.cancel(waiting.pop())
    assert len(engine.correlate("pay", all=True)["receivers"]) == 2


def test_the_business_key_says_who_is_meant() -> None:
    deploy(WAITER, message_m="pay")
    first, second = waiter(business_key="1"), waiter(business_key="2")
    engine.correlate("pay", business_key="2")
    assert (at(first), at(second)) == (["c"], ["got"])


@pytest.mark.parametrize("value", [7, "7", True, None, {"a": [1]}])
def test_correlation_keys_are_process_variables(value: object) -> None:
    deploy(WAITER, message_m="pay")
    first = waiter(variables={"order": value, "y": 1})
    waiter(variables={"order": [value], "y": 1})
    waiter(variables={"y": 1})
    engine.correlate("pay", correlation_keys={"order": value, "y": 1})
    assert at(first) == ["got"]
    with pytest.raises(errors.MessageUnmatched):
        engine.correlate("pay", correlation_keys={"order": value, "y": 1})


def test_an_instance_can_be_named_and_the_name_left_out() -> None:
    deploy(WAITER, message_m="pay")
    first, second = waiter(), waiter()
    engine.correlate(None, instance=second)
    assert (at(first), at(second)) == (["c"], ["got"])
    with pytest.raises(errors.Invalid):
        engine.correlate(None)
    with pytest.raises(errors.InstanceNotFound):
        engine.correlate("pay", instance="nobody")


def test_a_key_of_the_model_must_match() -> None:
    deploy(WAITER, keyed_m="pay|=order")
    first, second = waiter(variables={"order": 1}), waiter(variables={"order": "1"})
    with pytest.raises(errors.MessageUnmatched):
        engine.correlate("pay")
    engine.correlate("pay", correlation_keys={"anything": "1"})
    assert (at(first), at(second)) == (["c"], ["got"])
    engine.correlate("pay", correlation_keys={"order": 1})
    assert at(first) == ["got"]


def test_a_key_taken_from_the_item_belongs_to_that_item() -> None:
    handler = (
        '<subProcess id="h" triggeredByEvent="true">'
        + event("startEvent", "hs", "message", "m")
        + user("handled")
        + '<sequenceFlow id="f9" sourceRef="hs" targetRef="handled"/></subProcess>'
    )
    loop = "<multiInstanceLoopCharacteristics camunda:collection='${items}' camunda:elementVariable='item'/>"
    inside = (
        node("startEvent", "is") + user("work") + '<sequenceFlow id="f8" sourceRef="is" targetRef="work"/>'
    )
    many = process("many", START, node("subProcess", "sub", loop + inside + handler), END, line="s sub e")
    deploy(many, keyed_m="stop|=item")
    instance = start("many", variables={"items": ["x", "y"]})
    rows = Subscription.objects.filter(instance__id=instance, status="OPEN").order_by("id")
    assert list(rows.values_list("correlation", flat=True)) == ['"x"', '"y"']
    engine.correlate("stop", correlation_keys={"item": "y"})
    assert list(rows.values_list("correlation", flat=True)) == ['"x"']
    assert [name for name in at(instance) if name in ("work", "handled")] == ["handled", "work"]


def test_a_suspended_instance_gets_none() -> None:
    deploy(WAITER, message_m="pay")
    first, second = waiter(), waiter()
    engine.suspend(second)
    engine.correlate("pay")
    assert at(first) == ["got"]
    with pytest.raises(errors.MessageUnmatched):
        engine.correlate("pay")
    engine.activate(second)
    engine.correlate("pay")
    assert at(second) == ["got"]


# starts


def test_a_message_starts_an_instance_of_the_newest_version() -> None:
    deploy(STARTER, message_m="go")
    deploy(STARTER.replace("begun", "newer"), message_m="go")
    answer = engine.correlate("go", variables={"x": 1}, business_key="b")
    assert answer["outcome"] == "started"
    instance = only("starter")
    assert (at(instance), variables(instance)) == (["newer"], {"x": 1})
    assert answer["receivers"][0]["business_key"] == "b"


def test_who_waits_is_preferred_to_a_start() -> None:
    both = process(
        "both",
        START,
        event("startEvent", "ms", "message", "m"),
        CATCH,
        user("u"),
        line="s c u;ms u",
    )
    deploy(both, message_m="go")
    waiting = start("both")
    engine.correlate("go")
    assert at(waiting) == ["u"]
    engine.correlate("go")
    assert len(instances("both")) == 2


def test_start_only_leaves_out_who_waits_and_keys_leave_out_starts() -> None:
    both = process(
        "both", START, event("startEvent", "ms", "message", "m"), CATCH, user("u"), line="s c u;ms u"
    )
    deploy(both, message_m="go")
    waiting = start("both")
    engine.correlate("go", start_only=True)
    engine.correlate("go", definition="both")
    assert (at(waiting), len(instances("both"))) == (["c"], 3)
    with pytest.raises(errors.MessageUnmatched):
        engine.correlate("go", definition="another")
    with pytest.raises(errors.Invalid):
        engine.correlate("go", start_only=True, correlation_keys={"a": 1})
    engine.correlate("go")
    with pytest.raises(errors.MessageUnmatched):
        engine.correlate("go", correlation_keys={"a": 1})


def test_two_processes_cannot_start_by_one_message() -> None:
    deploy(STARTER, message_m="go")
    with pytest.raises(errors.DefinitionInvalid) as refused:
        deploy(STARTER.replace('"starter"', '"another"'), message_m="go")
    assert [problem.rule for problem in refused.value.problems] == ["start-message-taken"]
    with pytest.raises(errors.DefinitionInvalid):
        deploy(STARTER.replace('"starter"', '"p"'), STARTER.replace('"starter"', '"q"'), message_m="both")
    engine.correlate("go")
    assert len(instances("starter")) == 1


def test_a_message_may_pass_from_one_process_to_another_in_one_deployment() -> None:
    deploy(STARTER, message_m="go")
    plain = process("starter", START, END, line="s e")
    deploy(STARTER.replace('"starter"', '"another"'), plain, message_m="go")
    engine.correlate("go")
    assert (len(instances("another")), len(instances("starter"))) == (1, 0)


def test_tenants_do_not_hear_each_other() -> None:
    for tenant in ("A", "B"):
        deploy(STARTER, WAITER, message_m="go", tenant=tenant)
    waiting = waiter(tenant="A")
    engine.correlate("go", tenant="B")
    assert at(waiting) == ["c"]
    engine.correlate("go", tenant="A")
    assert at(waiting) == ["got"]
    with pytest.raises(errors.MessageUnmatched):
        engine.correlate("go")


def test_a_receive_task_starts_instances() -> None:
    receive = node("receiveTask", "r", messageRef="m", instantiate="true")
    deploy(process("p", receive, user("u"), END, line="r u e"), message_m="go")
    engine.correlate("go", variables={"x": 1})
    assert (at(only("p")), variables(only("p"))) == (["u"], {"x": 1})


def test_the_first_event_behind_an_exclusive_gateway_starts_an_instance() -> None:
    deploy(_gateway(), message_ma="a", message_mb="b")
    engine.correlate("b")
    assert at(only("p")) == ["ub"]
    assert waits(instance__id=only("p")) == 0


def test_all_events_behind_a_parallel_gateway_are_waited_for() -> None:
    deploy(_gateway(eventGatewayType="Parallel"), message_ma="a", message_mb="b")
    engine.correlate("b")
    instance = only("p")
    assert at(instance) == ["a", "ub"]
    engine.correlate("a")
    assert at(instance) == ["ua", "ub"]
    for name in ("ua", "ub"):
        complete(instance, name)
    assert status(instance) == "COMPLETED"


def _gateway(**attributes: str) -> str:
    return process(
        "p",
        node("eventBasedGateway", "g", instantiate="true", **attributes),
        event("intermediateCatchEvent", "a", "message", "ma"),
        event("intermediateCatchEvent", "b", "message", "mb"),
        user("ua"),
        user("ub"),
        line="g a ua;g b ub",
    )


# the buffer


def test_a_message_with_time_to_live_waits_for_the_first_subscription() -> None:
    deploy(WAITER, message_m="pay")
    answer = engine.correlate("pay", ttl_ms=60_000, variables={"x": 1})
    assert (answer["outcome"], answer["receivers"]) == ("buffered", [])
    first, second = waiter(), waiter()
    assert (at(first), variables(first), at(second)) == (["got"], {"x": 1}, ["c"])
    assert nothing_on_the_way()


def test_a_buffered_message_remembers_for_whom_it_is() -> None:
    deploy(WAITER, message_m="pay")
    engine.correlate("pay", ttl_ms=60_000, business_key="2", correlation_keys={"k": 1})
    waiter(business_key="1", variables={"k": 1})
    waiter(business_key="2", variables={"k": 2})
    assert MessageBuffer.objects.count() == 1
    meant = waiter(business_key="2", variables={"k": 1})
    assert at(meant) == ["got"]


def test_a_buffered_message_starts_what_is_deployed_later_and_goes_before_a_later_one() -> None:
    engine.correlate("go", ttl_ms=60_000, variables={"n": 1})
    deploy(STARTER, message_m="go")
    engine.correlate("go", variables={"n": 2})
    assert [variables(instance) for instance in instances("starter")] == [{"n": 1}, {"n": 2}]


def test_a_later_message_does_not_overtake_one_that_could_not_be_delivered_yet() -> None:
    deploy(STARTER, message_m="go")
    _buffer_directly("go", {"n": 1})
    engine.correlate("go", variables={"n": 2})
    assert [variables(instance) for instance in instances("starter")] == [{"n": 1}, {"n": 2}]


def _buffer_directly(name: str, values: dict[str, object]) -> None:
    """Leave a message as a sender does that died before it looked again."""
    at_this_moment = now()
    MessageBuffer.objects.create(
        id=IdSource(at_this_moment, 1).next(),
        name=name,
        correlation=Message(name=name).correlation_text(),
        payload=to_text(values),
        created_at=at_this_moment,
        expires_at=at_this_moment + timedelta(minutes=1),
    )


def test_the_loop_matches_what_neither_side_has_matched() -> None:
    deploy(WAITER, message_m="pay")
    instance = waiter()
    _buffer_directly("pay", {"x": 1})
    assert at(instance) == ["c"]
    assert len(engine.match_buffered(10).done) == 1
    assert (at(instance), variables(instance)) == (["got"], {"x": 1})
    assert nothing_on_the_way()


def test_the_loop_gets_past_messages_that_nobody_waits_for() -> None:
    deploy(WAITER, message_m="pay")
    for _ in range(5):
        engine.correlate("pay", ttl_ms=60_000, business_key="nobody")
    instance = waiter(business_key="me")
    engine.correlate("unknown", ttl_ms=60_000)
    _buffer_directly("pay", {})
    for _ in range(5):
        engine.match_buffered(2)
    assert at(instance) == ["got"]
    assert MessageBuffer.objects.count() == 6


def test_a_message_is_dropped_when_its_time_is_over() -> None:
    deploy(WAITER, message_m="pay")
    with frozen(BEGIN):
        engine.correlate("pay", ttl_ms=1_000)
    with frozen(BEGIN + timedelta(seconds=2)):
        instance = waiter()
        assert at(instance) == ["c"]
        engine.match_buffered(10)
    assert MessageBuffer.objects.count() == 0


def test_a_message_id_makes_sending_idempotent() -> None:
    deploy(STARTER, message_m="go")
    first = engine.correlate("go", message_id="m1", variables={"x": 1})
    assert engine.correlate("go", message_id="m1", variables={"x": 1}) == first
    with pytest.raises(errors.IdempotencyMismatch):
        engine.correlate("go", message_id="m1", variables={"x": 2})
    assert len(instances("starter")) == 1
    key = Idempotency("me", "k", "f")
    second = engine.correlate("go", message_id="m2", key=key)
    assert engine.correlate("go", message_id="m2", key=key) == second
    assert engine.correlate("go", message_id="m2") == second
    assert len(instances("starter")) == 2


def test_a_refused_message_may_be_sent_again_under_its_id() -> None:
    deploy(WAITER, message_m="pay")
    with pytest.raises(errors.MessageUnmatched):
        engine.correlate("pay", message_id="m1")
    instance = waiter()
    engine.correlate("pay", message_id="m1")
    assert at(instance) == ["got"]


# thrown by a process


def thrower(tag: str = "intermediateThrowEvent", throw: str = "") -> str:
    event_or_task = throw or event(tag, "t", "message", "m")
    return process("thrower", START, event_or_task, END, line="s t e")


@pytest.mark.parametrize("throw", ["", node("sendTask", "t", messageRef="m")])
def test_a_thrown_message_reaches_who_waits_for_it(throw: str) -> None:
    deploy(WAITER, thrower(throw=throw), message_m="pay")
    instance = waiter()
    assert status(start("thrower")) == "COMPLETED"
    assert at(instance) == ["got"]
    assert nothing_on_the_way()


def test_data_goes_along_with_a_thrown_message() -> None:
    data = (
        '<dataInput id="d" name="sum"/><dataInputAssociation><targetRef>d</targetRef>'
        "<assignment><from>${2 + 3}</from><to>d</to></assignment></dataInputAssociation>"
    )
    throw = node("intermediateThrowEvent", "t", data + '<messageEventDefinition messageRef="m"/>')
    deploy(WAITER, thrower(throw=throw), message_m="pay")
    waiting = start("waiter")
    assert status(start("thrower")) == "COMPLETED"
    assert variables(waiting) == {"sum": 5}


def test_a_thrown_message_starts_an_instance() -> None:
    deploy(STARTER, thrower(), message_m="go")
    start("thrower")
    assert at(only("starter")) == ["begun"]


def test_a_thrown_message_that_nobody_waits_for_is_buffered_and_no_incident() -> None:
    deploy(WAITER, thrower(), message_m="pay")
    assert status(start("thrower")) == "COMPLETED"
    row = MessageBuffer.objects.get()
    assert row.expires_at - row.created_at == timedelta(hours=1)
    assert at(waiter()) == ["got"]


def test_a_thrown_message_carries_the_key_of_the_model() -> None:
    deploy(WAITER, thrower(), keyed_m="pay|=order")
    first, second = waiter(variables={"order": 1}), waiter(variables={"order": 2})
    start("thrower", variables={"order": 2})
    assert (at(first), at(second)) == (["c"], ["got"])


def test_a_thrown_message_for_which_two_wait_is_kept_until_one_is_left() -> None:
    deploy(WAITER, thrower(), message_m="pay")
    first, second = waiter(), waiter()
    start("thrower")
    assert (at(first), at(second)) == (["c"], ["c"])
    engine.cancel(first)
    engine.match_buffered(10)
    assert at(second) == ["got"]


def test_messages_thrown_by_one_instance_arrive_in_order() -> None:
    twice = process(
        "thrower",
        START,
        event("intermediateThrowEvent", "t1", "message", "m"),
        event("intermediateThrowEvent", "t2", "message", "n"),
        END,
        line="s t1 t2 e",
    )
    deploy(
        STARTER,
        STARTER.replace('"starter"', '"other"').replace('"m"', '"n"'),
        twice,
        message_m="a",
        message_n="b",
    )
    start("thrower")
    started = ProcessInstance.objects.order_by("started_at", "id").values_list("definition_key", flat=True)
    assert list(started) == ["thrower", "starter", "other"]


def test_the_thrower_can_be_the_receiver() -> None:
    both = process(
        "self",
        START,
        node("parallelGateway", "f"),
        CATCH,
        event("endEvent", "t", "message", "m"),
        user("u"),
        line="s f c u;f t",
    )
    deploy(both, message_m="pay")
    instance = start("self")
    assert at(instance) == ["u"]


# aimed at one place


def test_a_message_for_one_place_of_an_instance() -> None:
    two = process(
        "two",
        START,
        node("parallelGateway", "f"),
        event("intermediateCatchEvent", "a", "message", "m"),
        event("intermediateCatchEvent", "b", "message", "m"),
        END,
        line="s f a e;f b e",
    )
    deploy(two, message_m="pay")
    instance = start("two")
    with pytest.raises(errors.MessageAmbiguous):
        engine.trigger_message(instance, message="pay")
    engine.trigger_message(instance, activity="b", variables={"x": 1})
    assert (at(instance), variables(instance)) == (["a"], {"x": 1})
    with pytest.raises(errors.SubscriptionNotFound):
        engine.trigger_message(instance, message="other")
    with pytest.raises(errors.SubscriptionNotFound):
        engine.trigger_message(instance, activity="b")
    with pytest.raises(errors.InstanceNotFound):
        engine.trigger_message(NIL, message="pay")


def test_a_receive_task_goes_on_without_its_message() -> None:
    receive = process("p", START, node("receiveTask", "r", messageRef="m"), user("u"), END, line="s r u e")
    deploy(receive, message_m="pay")
    instance = start("p")
    with pytest.raises(errors.SubscriptionNotFound):
        engine.trigger_receive_task(instance, "u")
    engine.trigger_receive_task(instance, "r", variables={"x": 1})
    assert (at(instance), variables(instance), waits()) == (["u"], {"x": 1}, 0)


def test_a_receive_task_without_message_waits_to_be_continued() -> None:
    deploy(process("p", START, node("receiveTask", "r"), user("u"), END, line="s r u e"))
    instance = start("p")
    engine.trigger_receive_task(instance, "r")
    assert at(instance) == ["u"]


# races inside one instance


def test_of_an_event_gateway_only_one_event_is_left_over_for_nobody() -> None:
    race = process(
        "race",
        START,
        node("eventBasedGateway", "g"),
        CATCH,
        timer("intermediateCatchEvent", "t", "PT1S"),
        user("um"),
        user("ut"),
        line="s g c um;g t ut",
    )
    deploy(race, message_m="pay")
    with frozen(BEGIN):
        by_message, by_timer = start("race", business_key="1"), start("race", business_key="2")
        engine.correlate("pay", business_key="1")
    with frozen(BEGIN + timedelta(seconds=2)):
        engine.fire_due_timers(10)
    assert (at(by_message), at(by_timer)) == (["um"], ["ut"])
    assert waits() == 0
    with pytest.raises(errors.MessageUnmatched):
        engine.correlate("pay", business_key="2")
    assert events(by_message, "TimerCancelled") == 1


def test_a_non_interrupting_boundary_event_takes_every_message() -> None:
    boundary = event("boundaryEvent", "b", "message", "m", attachedToRef="work", cancelActivity="false")
    deploy(
        process("p", START, user("work"), boundary, user("more"), END, line="s work e;b more"),
        message_m="pay",
    )
    instance = start("p")
    for _ in range(3):
        engine.correlate("pay")
    assert [name for name in at(instance) if name == "more"] == ["more"] * 3
    assert Outbox.objects.count() == 0
