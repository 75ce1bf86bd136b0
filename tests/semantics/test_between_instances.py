"""What instances send each other: calls, faults across calls, messages, signals (semantics §4, §7, §11)."""

from __future__ import annotations

from typing import Any

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core import operations as o
from bpm.core.errors import InstancesRunning, MessageAmbiguous, MessageUnmatched, NotStartable
from tests.support.between import END, START, call, event, file, process, user
from tests.support.play import Case, Play

LEAF = process("leaf", START, user("work"), END, line="s work e")
CATCH = event("intermediateCatchEvent", "c", "message", "m")
WAITER = process("waiter", START, CATCH, user("got"), END, line="s c got e")
THROW = event("intermediateThrowEvent", "t", "message", "m")
THROWER = process("thrower", START, THROW, user("h"), END, line="s t h e")


def deploy(play: Play, *processes: str, **roots: str) -> None:
    """Deploy processes in one deployment, each in a file of its own."""
    play.host.deploy(*(file(text, **roots) for text in processes))


def of(play: Play, key: str) -> list[Case]:
    """Return the instances of a process."""
    cases = [Case(play.host, instance) for instance in play.host.instances()]
    return [case for case in cases if case.state.instance.definition_key == key]


def only(play: Play, key: str) -> Case:
    """Return the one instance of a process."""
    (case,) = of(play, key)
    return case


def calling(key: str, called: str, inside: str = "", **attributes: str) -> str:
    """Return a process that calls another one and goes on."""
    nodes = START, call("c", called, inside, **attributes), user("after"), END
    return process(key, *nodes, line="s c after e")


# calls


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({}, "third"),
        ({"camunda__calledElementBinding": "version", "camunda__calledElementVersion": "${v}"}, "second"),
        ({"camunda__calledElementBinding": "versionTag", "camunda__calledElementVersionTag": "one"}, "first"),
        ({"camunda__calledElementBinding": "deployment"}, "second"),
    ],
)
def test_the_binding_says_which_version_is_called(
    play: Play, attributes: dict[str, str], expected: str
) -> None:
    def version(name: str, tag: str) -> str:
        nodes = START, user(name), END
        return process("leaf", *nodes, line=f"s {name} e", attributes=f'camunda:versionTag="{tag}"')

    deploy(play, version("first", "one"))
    deploy(play, calling("top", "leaf", **attributes), version("second", "two"))
    deploy(play, version("third", "three"))
    play.start("top", v=2)
    assert only(play, "leaf").at() == [expected]


def test_variables_go_in_and_come_back(play: Play) -> None:
    inside = '<camunda:in source="x" target="y"/><camunda:out source="z" target="w"/>'
    deploy(play, calling("top", "leaf", inside), LEAF)
    top = play.start("top", x=1)
    leaf = only(play, "leaf")
    assert (leaf.variables(), leaf.state.instance.parent_instance) == ({"y": 1}, top.id)
    leaf.complete("work", z=2)
    assert (top.at(), top.variables()) == (["after"], {"x": 1, "w": 2})


def test_what_is_not_there_fails_at_the_call_and_can_be_tried_again(play: Play) -> None:
    deploy(play, calling("top", "leaf"))
    top = play.start("top")
    assert [(row.node, row.kind) for row in top.incidents()] == [("c", "CallFailed")]
    deploy(play, LEAF)
    top.retry("c")
    assert only(play, "leaf").at() == ["work"]


def test_too_deep_recursion_fails_at_the_innermost_call(play: Play, settings: Any) -> None:
    settings.BPM = {**settings.BPM, "MAX_CALL_DEPTH": 3}
    deploy(play, calling("again", "again"))
    play.start("again")
    cases = of(play, "again")
    callers = {case.state.instance.parent_instance for case in cases}
    assert sorted((case.id in callers, len(case.incidents())) for case in cases) == [
        (False, 1),
        (True, 0),
        (True, 0),
    ]


def faulty(kind: str) -> str:
    """Return a process that throws an error or escalation where it ends."""
    nodes = START, user("work"), event("endEvent", "throw", kind, "x")
    return process("leaf", *nodes, line="s work throw")


@pytest.mark.parametrize("kind", ["error", "escalation"])
def test_the_first_caller_that_catches_handles_what_was_thrown_inside(play: Play, kind: str) -> None:
    out = '<camunda:out source="y" target="y"/>'
    boundary = event("boundaryEvent", "b", kind, "x", attachedToRef="c")
    nodes = START, call("c", "middle", out), boundary, user("handled"), END
    top = process("top", *nodes, line="s c e;b handled")
    deploy(play, top, calling("middle", "leaf", out), faulty(kind), **{f"{kind}_x": "E"})
    outermost = play.start("top")
    only(play, "leaf").complete("work", y=3)
    assert (outermost.at(), outermost.variables()) == (["handled"], {"y": 3})
    assert [only(play, key).status for key in ("middle", "leaf")] == ["CANCELLED", "CANCELLED"]


def test_an_error_that_no_caller_catches_fails_where_it_was_thrown(play: Play) -> None:
    deploy(play, calling("top", "middle"), calling("middle", "leaf"), faulty("error"), error_x="E")
    play.start("top")
    only(play, "leaf").complete("work")
    assert [only(play, key).status for key in ("top", "middle", "leaf")] == ["RUNNING", "RUNNING", "FAILED"]


def test_cancelling_goes_inwards_and_is_told_outwards(play: Play) -> None:
    deploy(play, calling("top", "middle"), calling("middle", "leaf"), LEAF)
    top = play.start("top")
    only(play, "middle").do(c.CancelInstance())
    assert only(play, "leaf").status == "CANCELLED"
    assert [row.node for row in top.incidents()] == ["c"]


def test_what_goes_to_a_suspended_instance_waits_but_its_cancellation_does_not(play: Play) -> None:
    deploy(play, calling("top", "leaf"), LEAF)
    top = play.start("top")
    leaf = only(play, "leaf")
    top.do(o.SuspendInstance())
    assert leaf.status == "SUSPENDED"
    leaf.do(o.ActivateInstance())
    leaf.complete("work")
    play.run_due()
    assert (leaf.status, top.at()) == ("COMPLETED", ["c"])
    top.do(o.ActivateInstance())
    play.pass_time("PT5S")
    assert top.at() == ["after"]
    again = play.start("top")
    called = of(play, "leaf")[1]
    called.do(o.SuspendInstance())
    again.do(c.CancelInstance())
    assert called.status == "CANCELLED"


def test_what_comes_too_late_is_noted_at_its_source(play: Play) -> None:
    deploy(play, calling("top", "leaf"), LEAF)
    top = play.start("top")
    leaf = only(play, "leaf")
    top.do(o.SuspendInstance())
    leaf.do(o.ActivateInstance())
    leaf.complete("work")
    top.do(c.CancelInstance())
    play.pass_time("PT5S")
    assert [event.command for event in leaf.of(e.DeliveryDropped)] == ["CompleteCall"]


def test_a_call_whose_caller_has_ended_meanwhile_starts_nothing(play: Play) -> None:
    end = event("endEvent", "t", "terminate")
    deploy(play, process("top", START, call("c", "leaf"), end, line="s c;s t"), LEAF)
    top = play.start("top")
    assert (top.status, of(play, "leaf")) == ("COMPLETED", [])
    assert sorted(event.command for event in top.of(e.DeliveryDropped)) == ["CallProcess", "CancelInstance"]


# messages


def test_a_thrown_message_reaches_the_one_whose_key_matches(play: Play) -> None:
    deploy(play, WAITER, THROWER, keyed_m="pay|=order")
    first, second = play.start("waiter", order=1), play.start("waiter", order=2)
    play.start("thrower", order=2)
    assert (first.at(), second.at()) == (["c"], ["got"])


def test_a_thrown_message_starts_the_newest_version(play: Play) -> None:
    def starter(name: str) -> str:
        return process("starter", event("startEvent", "s", "message", "m"), user(name), line=f"s {name}")

    deploy(play, starter("old"), THROWER, message_m="go")
    deploy(play, starter("new"), message_m="go")
    play.start("thrower")
    assert only(play, "starter").at() == ["new"]


def test_a_thrown_message_that_nobody_waits_for_goes_to_the_first_who_does(play: Play) -> None:
    deploy(play, WAITER, THROWER, message_m="pay")
    play.start("thrower")
    assert [play.start("waiter").at() for _ in range(2)] == [["got"], ["c"]]


def test_a_thrown_message_for_which_two_wait_is_kept_until_one_is_left(play: Play) -> None:
    deploy(play, WAITER, THROWER, message_m="pay")
    first, second = play.start("waiter"), play.start("waiter")
    play.start("thrower")
    assert (first.at(), second.at()) == (["c"], ["c"])
    first.do(c.CancelInstance())
    play.run_due()
    assert second.at() == ["got"]


def test_a_kept_message_is_dropped_when_its_time_is_over(play: Play) -> None:
    deploy(play, WAITER, THROWER, message_m="pay")
    play.start("thrower")
    play.pass_time("PT61M")
    assert play.start("waiter").at() == ["c"]


def test_a_message_from_outside_has_one_receiver_unless_it_is_for_everybody(play: Play) -> None:
    deploy(play, WAITER, message_m="pay")
    with pytest.raises(MessageUnmatched):
        play.host.correlate("pay")
    waiters = [play.start("waiter", n=number) for number in range(3)]
    with pytest.raises(MessageAmbiguous):
        play.host.correlate("pay")
    (receiver,) = play.host.correlate("pay", correlation_keys={"n": 1}, variables={"x": 5})
    assert (receiver, waiters[1].variables()) == ((waiters[1].id, False), {"n": 1, "x": 5})
    assert len(play.host.correlate("pay", all=True)) == 2
    assert [case.at() for case in waiters] == [["got"]] * 3


# signals


def test_a_thrown_signal_reaches_all_others_who_wait_and_starts(play: Play) -> None:
    catch = event("intermediateCatchEvent", "c", "signal", "g")
    waiter = process("waiter", START, catch, user("got"), line="s c got")
    starter = process("starter", event("startEvent", "s", "signal", "g"), user("begun"), line="s begun")
    throw = event("intermediateThrowEvent", "t", "signal", "g")
    late = event("intermediateCatchEvent", "late", "signal", "g")
    both = process("both", START, user("go"), throw, catch, late, user("h"), line="s go t late h;s c")
    deploy(play, waiter, starter, both, signal_g="go")
    waiters = [play.start("waiter") for _ in range(2)]
    thrower = play.start("both")
    waiters[1].do(o.SuspendInstance())
    thrower.complete("go")
    assert (waiters[0].at(), waiters[1].at(), only(play, "starter").at()) == (["got"], ["c"], ["begun"])
    assert (thrower.at(), thrower.passed()["c"]) == (["late"], 1)
    waiters[1].do(o.ActivateInstance())
    play.pass_time("PT5S")
    assert waiters[1].at() == ["got"]


# versions


def test_a_deleted_version_hands_its_starts_to_the_one_before(play: Play) -> None:
    def starter(name: str) -> str:
        return process("starter", event("startEvent", "s", "message", "m"), user(name), line=f"s {name}")

    deploy(play, starter("old"), message_m="go")
    deploy(play, starter("new"), message_m="go")
    play.host.correlate("go")
    with pytest.raises(InstancesRunning):
        play.host.delete_definition("starter", 2)
    play.host.delete_definition("starter", 2, cascade=True)
    play.host.correlate("go")
    assert [(case.status, case.at()) for case in of(play, "starter")] == [
        ("CANCELLED", []),
        ("RUNNING", ["old"]),
    ]


def test_a_suspended_version_starts_no_instance(play: Play) -> None:
    deploy(play, LEAF, calling("top", "leaf"))
    play.host.set_definition_suspended("leaf", 1, suspended=True)
    with pytest.raises(NotStartable):
        play.start("leaf")
    assert [row.kind for row in play.start("top").incidents()] == ["CallFailed"]
