"""The outbox: what one instance sends another, delivered once, in order, whatever stands in the way."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from bpm import engine
from bpm.core import between as b
from bpm.core import errors
from bpm.core.ids import NIL
from bpm.core.values import to_text
from bpm.models import Outbox, ProcessInstance, Token
from bpm.shell import deliveries
from bpm.shell.clock import frozen
from bpm.shell.execute import prepare as prepare_requests
from bpm.shell.outgoing import GRACE
from tests.support.between import (
    END,
    START,
    at,
    call,
    check_all,
    complete,
    deploy,
    event,
    events,
    incidents,
    instances,
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


CHILD = process("child", START, user("work"), END, line="s work e")
QUICK = process("child", START, END, line="s e")
PARENT = process("parent", START, call("c", "child"), user("after"), END, line="s c after e")


def let_loops_deliver() -> int:
    """Let the grace of new rows pass, and the loops deliver once; return how many."""
    Outbox.objects.update(available_at="2000-01-01T00:00:00Z")
    return len(engine.deliver_due(200).done)


class Died(BaseException):
    """The process is killed."""


# after a crash


def test_what_a_dead_process_has_left_the_loops_deliver(monkeypatch: pytest.MonkeyPatch) -> None:
    deploy(PARENT, CHILD)
    with monkeypatch.context() as dead:
        dead.setattr("bpm.shell.outbox.drain", _die)
        with pytest.raises(Died):
            start("parent")
    caller = only("parent")
    assert (at(caller), instances("child")) == (["c"], [])
    with frozen(Outbox.objects.get().created_at + GRACE - timedelta(milliseconds=1)):
        assert engine.deliver_due(200).found == 0  # the process that wrote it may still be at it
    assert let_loops_deliver() == 1
    with monkeypatch.context() as dead:
        dead.setattr("bpm.shell.outbox.drain", _die)
        with pytest.raises(Died):
            complete(only("child"))
    assert (status(only("child")), at(caller)) == ("COMPLETED", ["c"])
    assert let_loops_deliver() == 1
    assert at(caller) == ["after"]
    assert nothing_on_the_way()


def _die(rows: Any) -> None:
    raise Died


def test_a_crash_before_the_commit_of_a_delivery_delivers_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    deploy(PARENT, CHILD)

    def die(*_: Any, **__: Any) -> None:
        raise Died

    with monkeypatch.context() as dead:
        dead.setattr(deliveries, "flush_batch", die)
        with pytest.raises(Died):
            start("parent")
    assert instances("child") == []
    assert Outbox.objects.count() == 1
    let_loops_deliver()
    assert at(only("child")) == ["work"]


def test_the_tick_delivers_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    from bpm.jobs.tick import tick_once

    deploy(PARENT, CHILD)
    with monkeypatch.context() as dead:
        dead.setattr("bpm.shell.outbox.drain", _die)
        with pytest.raises(Died):
            start("parent")
    Outbox.objects.update(available_at="2000-01-01T00:00:00Z")
    assert tick_once()["outbox"] == 1
    assert at(only("child")) == ["work"]


# inside a caller's transaction


def test_a_callers_transaction_delivers_after_its_commit_and_never_after_a_rollback() -> None:
    deploy(PARENT, CHILD)
    with transaction.atomic():
        start("parent")
        assert (instances("child"), Outbox.objects.count()) == ([], 1)
    assert at(only("child")) == ["work"]
    with transaction.atomic():
        start("parent")
        transaction.set_rollback(True)
    assert (len(instances("parent")), Outbox.objects.count()) == (1, 0)


def test_an_idempotent_call_keeps_what_its_own_transaction_knew() -> None:
    deploy(PARENT.replace('<userTask id="after"></userTask>', '<task id="after"/>'), QUICK)
    key = engine.Idempotency("me", "k", "f")
    first = engine.start("parent", key=key)
    assert (first["status"], status(first["instance_id"])) == ("RUNNING", "COMPLETED")
    assert engine.start("parent", key=key) == first
    assert len(instances("child")) == 1


# order


def test_rows_of_one_target_arrive_in_order_and_only_from_the_oldest_on() -> None:
    deploy(PARENT, CHILD)
    caller = start("parent")
    called = only("child")
    first = _row(called, b.NoteDropped(command="one", target=None, reason="r"), at="2100-01-01T00:00:00Z")
    second = _row(called, b.NoteDropped(command="two", target=None, reason="r"))
    assert engine.deliver_due(10).found == 0
    assert deliveries.deliver([second]).done == []
    Outbox.objects.filter(id=first).update(available_at="2000-01-01T00:00:00Z")
    assert len(engine.deliver_due(10).done) == 2
    assert _dropped(called) == ["one", "two"]
    assert at(caller) == ["c"]


def _row(
    target: str, content: Any, *, at: str = "2000-01-01T00:00:00Z", source: str = NIL, attempts: int = 0
) -> int:
    values = {name: getattr(content, name) for name in content.__dataclass_fields__ if name != "actor"}
    return Outbox.objects.create(
        source=source,
        target=target,
        command=type(content).__name__,
        payload=to_text(values),
        attempts=attempts,
        available_at=at,
        created_at=at,
    ).pk


def _dropped(instance: str) -> list[str]:
    from bpm.core.values import from_text
    from bpm.models import HistoryEvent

    rows = HistoryEvent.objects.filter(instance__id=instance, event_type="DeliveryDropped").order_by(
        "sequence"
    )
    return [from_text(row.payload)["command"] for row in rows]


def test_a_cancel_behind_a_call_that_has_not_started_yet_comes_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deploy(PARENT, CHILD)
    with monkeypatch.context() as dead:
        dead.setattr("bpm.shell.outbox.drain", lambda rows: None)
        caller = start("parent")
        engine.cancel(caller)
    assert list(Outbox.objects.order_by("id").values_list("command", flat=True)) == [
        "CallProcess",
        "CancelInstance",
    ]
    while let_loops_deliver():
        pass
    assert (instances("child"), status(caller)) == ([], "CANCELLED")
    assert sorted(_dropped(caller)) == ["CallProcess", "CancelInstance"]
    assert nothing_on_the_way()


# what cannot arrive


def test_what_comes_too_late_is_dropped_with_an_event_at_its_source(monkeypatch: pytest.MonkeyPatch) -> None:
    deploy(PARENT, CHILD)
    caller = start("parent")
    with monkeypatch.context() as dead:
        dead.setattr("bpm.shell.outbox.drain", lambda rows: None)
        complete(only("child"))
        engine.cancel(caller)
    while let_loops_deliver():
        pass
    assert (status(only("child")), status(caller)) == ("COMPLETED", "CANCELLED")
    assert (_dropped(only("child")), _dropped(caller)) == (["CompleteCall"], ["CancelInstance"])


def test_rows_for_a_suspended_instance_wait_but_its_cancellation_does_not() -> None:
    deploy(PARENT, CHILD)
    caller = start("parent")
    engine.suspend(caller)
    assert status(only("child")) == "SUSPENDED"
    engine.activate(only("child"))
    complete(only("child"))
    assert let_loops_deliver() == 0
    assert at(caller) == ["c"]
    engine.activate(caller)
    while let_loops_deliver():
        pass
    assert at(caller) == ["after"]
    again = start("parent")
    called = instances("child")[1]
    engine.suspend(called)
    engine.cancel(again)
    assert status(called) == "CANCELLED"


def test_suspension_and_activation_go_down_to_what_was_called() -> None:
    middle = process("child", START, call("cc", "leaf"), END, line="s cc e")
    deploy(PARENT, middle, CHILD.replace('"child"', '"leaf"'))
    caller = start("parent")
    engine.suspend(caller)
    assert [status(only(key)) for key in ("parent", "child", "leaf")] == ["SUSPENDED"] * 3
    engine.activate(caller)
    assert [status(only(key)) for key in ("parent", "child", "leaf")] == ["RUNNING"] * 3


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Let what is read for these targets be broken."""
    targets: list[str] = []
    original = prepare_requests

    def prepare(requests: Any, sql: Any) -> Any:
        if any(getattr(request, "instance", None) in targets for request in requests):
            raise ValueError("broken")
        return original(requests, sql)

    monkeypatch.setattr(deliveries, "prepare", prepare)
    yield targets
    targets.clear()


def test_five_failures_are_an_incident_at_the_source(
    broken: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    deploy(PARENT, CHILD)
    caller = start("parent")
    broken.append(caller)
    called = only("child")
    complete(called)
    assert Outbox.objects.get().attempts == 1
    for attempt in (2, 3, 4):
        let_loops_deliver()
        row = Outbox.objects.get()
        assert (row.attempts, row.error) == (attempt, "ValueError: broken")
    assert engine.deliver_due(10).found == 0  # it backs off
    let_loops_deliver()
    assert Outbox.objects.get().command == "NoteUndeliverable"
    let_loops_deliver()
    assert incidents(called) == []  # it has ended, so there is nobody to look
    assert nothing_on_the_way()
    assert "failed, attempt 5" in caplog.text


def test_a_call_that_cannot_be_delivered_fails_at_the_caller(
    broken: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    deploy(PARENT, CHILD)

    def refuse(rows: Any) -> Any:
        raise ValueError("broken")

    with monkeypatch.context() as out_of_order:
        out_of_order.setattr(deliveries, "starts_of_calls", refuse)
        caller = start("parent")
        for _ in range(4):
            let_loops_deliver()
    let_loops_deliver()
    assert incidents(caller) == [("c", "DeliveryFailed")]
    (token,) = Token.objects.filter(instance__id=caller, final=False)
    engine.retry_token(str(token.id))
    assert at(only("child")) == ["work"]


def test_one_broken_row_keeps_no_other(broken: list[str]) -> None:
    deploy(PARENT, CHILD)
    callers = [start("parent") for _ in range(3)]
    broken.append(callers[1])
    with transaction.atomic():
        for called in instances("child"):
            complete(called)
    assert [at(caller) for caller in callers] == [["after"], ["c"], ["after"]]
    assert Outbox.objects.get().target == ProcessInstance.objects.get(id=callers[1]).id


def test_too_deep_recursion_is_an_incident(settings: Any) -> None:
    settings.BPM = {**settings.BPM, "MAX_CALL_DEPTH": 5}
    deploy(process("again", START, call("c", "again"), END, line="s c e"))
    start("again")
    last = instances("again")[-1]
    assert len(instances("again")) == 5
    assert incidents(last) == [("c", "CallFailed")]


# what it costs


def test_a_command_that_sends_nothing_asks_nothing_of_the_outbox() -> None:
    deploy(CHILD)
    start("child")
    with CaptureQueriesContext(
        connection,
    ) as made:
        complete(only("child"))
    assert not [query["sql"] for query in made if "outbox" in query["sql"] or "messagebuffer" in query["sql"]]


@pytest.mark.usefixtures("timely")
@pytest.mark.parametrize("count", [2, 40])
def test_the_statements_of_a_delivery_do_not_grow_with_its_rows(count: int) -> None:
    loop = (
        f"<multiInstanceLoopCharacteristics><loopCardinality>{count}</loopCardinality>"
        "</multiInstanceLoopCharacteristics>"
    )
    many = process(
        "many",
        START,
        call("c", "child").replace("</callActivity>", loop + "</callActivity>"),
        END,
        line="s c e",
    )
    deploy(many, QUICK)
    start("many")
    with CaptureQueriesContext(connection) as made:
        start("many")
    assert len(made) == COUNTS[connection.vendor]
    assert set(map(status, instances("many"))) == {"COMPLETED"}


COUNTS = {"postgresql": 15, "sqlite": 33}


def test_a_refused_command_sends_nothing() -> None:
    deploy(PARENT, CHILD)
    caller = start("parent")
    with pytest.raises(errors.NothingToRetry):
        engine.retry_token(str(Token.objects.get(instance__id=caller, final=False).id))
    assert Outbox.objects.count() == 0


def test_what_a_failed_node_has_sent_is_not_sent() -> None:
    throws = event("intermediateThrowEvent", "t", "signal", "x")
    bad = process("p", START, throws, user("a"), user("b"), END)
    flows = (
        '<sequenceFlow id="f1" sourceRef="s" targetRef="t"/><sequenceFlow id="f2" sourceRef="t" targetRef="a">'
        "<conditionExpression>${missing}</conditionExpression></sequenceFlow>"
        '<sequenceFlow id="f3" sourceRef="t" targetRef="b"><conditionExpression>${missing}</conditionExpression>'
        '</sequenceFlow><sequenceFlow id="f4" sourceRef="a" targetRef="e"/>'
        '<sequenceFlow id="f5" sourceRef="b" targetRef="e"/>'
    )
    waiter = process(
        "w", START, event("intermediateCatchEvent", "c", "signal", "x"), user("got"), line="s c got"
    )
    deploy(bad.replace("</process>", flows + "</process>"), waiter, signal_x="alert")
    waiting = start("w")
    thrower = start("p")
    assert incidents(thrower) == [("t", "ExpressionFailed")]
    assert (at(waiting), events(thrower, "SignalThrown")) == (["c"], 0)
    assert variables(waiting) == {}
