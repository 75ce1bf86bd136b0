"""Signals: everybody who waits at that moment gets one, in a command of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bpm import engine
from bpm.core import errors
from bpm.core.ids import NIL
from bpm.models import Outbox
from tests.support.between import (
    END,
    START,
    at,
    check_all,
    deploy,
    event,
    instances,
    node,
    nothing_on_the_way,
    only,
    process,
    start,
    status,
    user,
    variables,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _checked() -> Iterator[None]:
    yield
    check_all()


CATCH = event("intermediateCatchEvent", "c", "signal", "x")
WAITER = process("waiter", START, CATCH, user("got"), END, line="s c got e")
STARTER = process("starter", event("startEvent", "s", "signal", "x"), user("begun"), END, line="s begun e")
THROWER = process("thrower", START, event("intermediateThrowEvent", "t", "signal", "x"), END, line="s t e")


def test_everybody_who_waits_gets_it_with_its_variables() -> None:
    deploy(WAITER, STARTER, signal_x="alert")
    waiting = [start("waiter") for _ in range(3)]
    answer = engine.signal("alert", variables={"n": 9007199254740993, "t": 'a"b'})
    assert answer == {"signal": "alert", "instances": 3, "starts": 1}
    for instance in (*waiting, only("starter")):
        assert variables(instance) == {"n": 9007199254740993, "t": 'a"b'}
    assert [at(instance) for instance in waiting] == [["got"]] * 3
    assert at(only("starter")) == ["begun"]
    assert nothing_on_the_way()


def test_no_receiver_is_no_error() -> None:
    assert engine.signal("nobody") == {"signal": "nobody", "instances": 0, "starts": 0}


def test_every_start_event_of_every_process_starts_an_instance() -> None:
    two = process(
        "two",
        event("startEvent", "a", "signal", "x"),
        event("startEvent", "b", "signal", "x"),
        user("ua"),
        user("ub"),
        line="a ua;b ub",
    )
    deploy(two, STARTER, signal_x="alert")
    engine.signal("alert")
    assert sorted(at(instance)[0] for instance in (*instances("two"), only("starter"))) == [
        "begun",
        "ua",
        "ub",
    ]


def test_a_thrown_signal_reaches_other_instances_and_starts() -> None:
    deploy(WAITER, STARTER, THROWER, signal_x="alert")
    waiting = start("waiter")
    assert status(start("thrower")) == "COMPLETED"
    assert (at(waiting), at(only("starter"))) == (["got"], ["begun"])
    assert nothing_on_the_way()


def test_a_signal_thrown_and_caught_in_one_instance_is_not_delivered_twice() -> None:
    boundary = event("boundaryEvent", "b", "signal", "x", attachedToRef="work", cancelActivity="false")
    both = process(
        "both",
        START,
        node("parallelGateway", "f"),
        user("work"),
        boundary,
        user("more"),
        event("intermediateThrowEvent", "t", "signal", "x"),
        user("last"),
        line="s f work;f t last;b more",
    )
    deploy(both, signal_x="alert")
    instance = start("both")
    assert [name for name in at(instance) if name == "more"] == ["more"]


def test_a_computed_name_is_the_one_of_that_moment() -> None:
    deploy(WAITER, signal_x="alert-${who}")
    first, second = (start("waiter", variables={"who": who}) for who in ("a", "b"))
    engine.signal("alert-b")
    assert (at(first), at(second)) == (["c"], ["got"])


def test_all_that_one_instance_waits_for_comes_in_one_command_in_order_of_creation() -> None:
    two = process(
        "two",
        START,
        node("parallelGateway", "f"),
        event("intermediateCatchEvent", "a", "signal", "x"),
        event("intermediateCatchEvent", "b", "signal", "x"),
        user("ua"),
        user("ub"),
        line="s f a ua;f b ub",
    )
    deploy(two, signal_x="alert")
    instance = start("two")
    assert engine.signal("alert")["instances"] == 1
    assert at(instance) == ["ua", "ub"]


def test_who_begins_to_wait_after_the_signal_was_thrown_does_not_get_it() -> None:
    again = process("again", START, CATCH, CATCH.replace('"c"', '"c2"'), user("u"), line="s c c2 u")
    deploy(again, signal_x="alert")
    instance = start("again")
    engine.signal("alert")
    assert at(instance) == ["c2"]


def test_a_suspended_instance_gets_it_when_it_is_activated() -> None:
    deploy(WAITER, signal_x="alert")
    instance = start("waiter")
    engine.suspend(instance)
    engine.signal("alert")
    Outbox.objects.update(available_at="2000-01-01T00:00:00Z")
    assert engine.deliver_due(10).found == 0
    assert at(instance) == ["c"]
    engine.activate(instance)
    assert at(instance) == ["got"]
    assert nothing_on_the_way()


def test_tenants_do_not_hear_each_other() -> None:
    deploy(WAITER, STARTER, signal_x="alert", tenant="A")
    waiting = start("waiter", tenant="A")
    assert engine.signal("alert") == {"signal": "alert", "instances": 0, "starts": 0}
    assert at(waiting) == ["c"]
    assert engine.signal("alert", tenant="A") == {"signal": "alert", "instances": 1, "starts": 1}


def test_a_signal_for_one_instance_or_one_activity_of_it() -> None:
    deploy(WAITER, signal_x="alert")
    first, second = start("waiter"), start("waiter")
    with pytest.raises(errors.SubscriptionNotFound):
        engine.signal("alert", instance=first, activity="elsewhere")
    engine.signal("alert", instance=first, activity="c")
    assert (at(first), at(second)) == (["got"], ["c"])
    for wrong in (first, second):
        with pytest.raises(errors.SubscriptionNotFound):
            engine.signal("alert" if wrong == first else "other", instance=wrong)
    with pytest.raises(errors.InstanceNotFound):
        engine.signal("alert", instance=NIL)


def test_many_receivers_are_served_by_this_process_and_the_loops() -> None:
    deploy(WAITER, signal_x="alert")
    waiting = [start("waiter") for _ in range(230)]
    assert engine.signal("alert")["instances"] == 230
    assert sum(at(instance) == ["got"] for instance in waiting) == 200
    Outbox.objects.update(available_at="2000-01-01T00:00:00Z")
    engine.deliver_due(200)
    assert all(at(instance) == ["got"] for instance in waiting)
