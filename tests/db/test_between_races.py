"""Several threads on one PostgreSQL: one winner each, nothing lost, nothing twice, nobody stuck."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import connections

from bpm import engine
from bpm.core import errors
from bpm.models import MessageBuffer, Outbox, Subscription, Timer
from tests.support.between import (
    END,
    START,
    at,
    call,
    check_all,
    completing,
    deploy,
    event,
    events,
    instances,
    node,
    process,
    start,
    status,
    timer,
    user,
    variables,
    waits,
)
from tests.support.racing import PATIENCE_S, wait_for_locks

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]

ROUNDS = 12


@pytest.fixture(autouse=True)
def _checked() -> Iterator[None]:
    yield
    check_all()


def together(*acts: Callable[[], object]) -> list[object]:
    """Do all at the same moment, each in a thread and on a connection of its own; refusals are results."""
    barrier = threading.Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        try:
            wait_for_locks()
            barrier.wait(PATIENCE_S)
            return act()
        except errors.EngineError as refusal:
            return refusal
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def settle() -> None:
    """Let the loops do what is left on the way."""
    for _ in range(50):
        Outbox.objects.update(available_at="2000-01-01T00:00:00Z")
        if not (engine.deliver_due(200).done or engine.match_buffered(200).done):
            break
    assert not Outbox.objects.exists()


CHILD = process("child", START, user("work"), END, line="s work e")
WAITER = process(
    "waiter", START, event("intermediateCatchEvent", "c", "message", "m"), user("got"), END, line="s c got e"
)


def test_a_boundary_event_against_the_end_of_the_called_instance_has_one_winner() -> None:
    boundary = timer("boundaryEvent", "b", "PT1H", attachedToRef="c")
    parent = process(
        "parent",
        START,
        call("c", "child"),
        boundary,
        user("after"),
        user("late"),
        END,
        line="s c after e;b late e",
    )
    deploy(parent, CHILD)
    for _ in range(ROUNDS):
        caller = start("parent")
        called = instances("child")[-1]
        row = str(Timer.objects.get(instance__id=caller, status="SCHEDULED").id)
        together(completing(called), partial(engine.fire_timer, row))
        settle()
        assert at(caller) in (["after"], ["late"])
        assert status(called) == ("CANCELLED" if events(called, "InstanceCancelled") else "COMPLETED")
        if at(caller) == ["after"]:
            assert status(called) == "COMPLETED"
        assert status(caller) == "RUNNING"


def test_calls_of_one_caller_that_return_together_all_return_at_once() -> None:
    loop = "<multiInstanceLoopCharacteristics><loopCardinality>8</loopCardinality></multiInstanceLoopCharacteristics>"
    many = process(
        "many", START, node("callActivity", "c", loop, calledElement="child"), user("after"), line="s c after"
    )
    deploy(many, CHILD)
    caller = start("many")
    together(*(completing(called) for called in instances("child")))
    settle()
    assert at(caller) == ["after"]
    assert events(caller, "CallEnded") == 8


def test_a_message_against_the_cancellation_of_who_waits_goes_to_the_other_or_waits() -> None:
    deploy(WAITER, message_m="pay")
    for number in range(ROUNDS):
        first, second = start("waiter", business_key=f"{number}"), start("waiter", business_key=f"{number}")
        together(
            partial(engine.cancel, first),
            partial(engine.correlate, "pay", business_key=f"{number}", ttl_ms=60_000, variables={"m": 1}),
        )
        # Ambiguous while both wait: then it was refused, and is sent again.
        if at(second) == ["c"] and not MessageBuffer.objects.exists():
            engine.correlate("pay", business_key=f"{number}", ttl_ms=60_000, variables={"m": 1})
        settle()
        engine.correlate("pay", business_key=f"{number}", ttl_ms=60_000, variables={"m": 2})
        assert (status(first), at(second), variables(second)) == ("CANCELLED", ["got"], {"m": 1})
        assert MessageBuffer.objects.count() == 1
        MessageBuffer.objects.all().delete()


def test_a_message_sent_while_its_receiver_begins_to_wait_is_not_lost() -> None:
    deploy(WAITER, message_m="pay")
    for number in range(ROUNDS):
        together(
            partial(start, "waiter", business_key=f"{number}"),
            partial(engine.correlate, "pay", business_key=f"{number}", ttl_ms=60_000),
        )
        settle()
        assert at(instances("waiter")[-1]) == ["got"]
    assert not MessageBuffer.objects.exists()


def test_one_message_sent_ten_times_under_its_id_is_received_once() -> None:
    starter = process("starter", event("startEvent", "s", "message", "m"), user("u"), line="s u")
    deploy(starter, message_m="go")
    answers = together(*[lambda: engine.correlate("go", message_id="once")] * 6)
    assert len(instances("starter")) == 1
    told = [one for one in answers if not isinstance(one, errors.IdempotencyInProgress)]
    assert told == [told[0]] * len(told)
    assert told


def test_two_messages_for_one_who_waits_one_is_received() -> None:
    deploy(WAITER, message_m="pay")
    for _ in range(ROUNDS):
        instance = start("waiter")
        results = together(*[lambda: engine.correlate("pay")] * 3)
        assert sorted(type(one).__name__ for one in results) == [
            "MessageUnmatched",
            "MessageUnmatched",
            "dict",
        ]
        assert at(instance) == ["got"]


def test_of_an_event_gateway_message_and_timer_leave_no_ghost() -> None:
    race = process(
        "race",
        START,
        node("eventBasedGateway", "g"),
        event("intermediateCatchEvent", "m1", "message", "m"),
        timer("intermediateCatchEvent", "t1", "PT1H"),
        user("um"),
        user("ut"),
        line="s g m1 um;g t1 ut",
    )
    deploy(race, message_m="pay")
    for _ in range(ROUNDS):
        instance = start("race")
        row = str(Timer.objects.get(instance__id=instance, status="SCHEDULED").id)
        together(partial(engine.correlate, "pay"), partial(engine.fire_timer, row))
        assert at(instance) in (["um"], ["ut"])
        assert waits(instance__id=instance) == 0
        assert not Timer.objects.filter(instance__id=instance, status="SCHEDULED").exists()


def test_several_loops_fire_a_timer_start_once() -> None:
    deploy(*(process(f"t{n}", timer("startEvent", "s", "PT0S"), user("u"), line="s u") for n in range(10)))
    together(*[lambda: engine.fire_due_starts(20)] * 4)
    engine.fire_due_starts(20)
    assert [len(instances(f"t{n}")) for n in range(10)] == [1] * 10


def test_several_loops_deliver_a_row_once(monkeypatch: pytest.MonkeyPatch) -> None:
    deploy(process("parent", START, call("c", "child"), END, line="s c e"), CHILD)
    with monkeypatch.context() as dead:
        dead.setattr("bpm.shell.outbox.drain", lambda rows: 0)
        for _ in range(20):
            start("parent")
    Outbox.objects.update(available_at="2000-01-01T00:00:00Z")
    together(*[lambda: engine.deliver_due(50)] * 4)
    settle()
    assert len(instances("child")) == 20


def test_a_new_version_against_a_start_by_message_starts_exactly_one_version() -> None:
    def version(number: int) -> str:
        return process("p", event("startEvent", "s", "message", "m"), user(f"u{number}"), line=f"s u{number}")

    deploy(version(0), message_m="go")
    for number in range(1, ROUNDS):
        _, sent = together(partial(deploy, version(number), message_m="go"), partial(engine.correlate, "go"))
        assert isinstance(sent, dict), sent
        assert len(instances("p")) == number
        assert at(instances("p")[-1]) in ([f"u{number}"], [f"u{number - 1}"])
    assert Subscription.objects.filter(definition__isnull=False, status="OPEN").count() == 1


def test_two_processes_deployed_together_cannot_both_start_by_one_message() -> None:
    def starting(key: str) -> str:
        return process(key, event("startEvent", "s", "message", "m"), user("u"), line="s u")

    results = together(
        lambda: deploy(starting("p"), message_m="go"), lambda: deploy(starting("q"), message_m="go")
    )
    assert sorted(type(one).__name__ for one in results) == ["DefinitionInvalid", "list"]
    engine.correlate("go")
    assert len(instances("p")) + len(instances("q")) == 1


def test_cancelling_the_root_against_a_recursion_that_grows_ends_all() -> None:
    deploy(process("again", START, call("c", "again"), user("u"), END, line="s c u e"))

    def cancel_root() -> None:
        while not instances("again"):
            threading.Event().wait(0.01)
        engine.cancel(instances("again")[0])

    together(lambda: start("again"), cancel_root)
    settle()
    assert {status(instance) for instance in instances("again")} == {"CANCELLED"}


def test_a_signal_against_the_end_of_a_receiver_reaches_the_others() -> None:
    waiter = process(
        "w", START, event("intermediateCatchEvent", "c", "signal", "x"), user("got"), line="s c got"
    )
    deploy(waiter, signal_x="alert")
    for _ in range(ROUNDS // 2):
        first, second = start("w"), start("w")
        together(partial(engine.cancel, first), lambda: engine.signal("alert"))
        settle()
        assert (status(first), at(second)) == ("CANCELLED", ["got"])
