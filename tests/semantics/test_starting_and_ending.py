"""Where an instance begins and how it ends (semantics §1, §2, §4)."""

from __future__ import annotations

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core.errors import DefinitionNotFound, InstanceEnded, TaskClosed
from tests.support.play import Play


def test_an_instance_runs_from_its_start_event_to_its_end(play: Play) -> None:
    case = play.begin("""
        start s -> e
        end e
    """)
    assert case.status == "COMPLETED"
    assert [type(event).__name__ for event in case.events] == [
        "InstanceStarted",
        "ScopeEntered",
        "TokenCreated",
        "TokenArrived",
        "TokenCompleted",
        "TokenArrived",
        "TokenTerminated",
        "ScopeCompleted",
        "InstanceCompleted",
    ]
    assert case.of(e.TokenTerminated)[0].reason == "end"


def test_a_path_may_end_without_an_end_event(play: Play) -> None:
    case = play.begin("""
        start s -> a
        user a
    """)
    case.complete("a")
    assert case.status == "COMPLETED"
    assert case.of(e.TokenTerminated)[0].node == "a"
    assert not [event for event in case.of(e.TokenCompleted) if event.node == "a"]


def test_without_a_start_event_all_nodes_without_incoming_flow_start_together(play: Play) -> None:
    case = play.begin("""
        user a -> c
        user b -> c
        user c
    """)
    assert case.at() == ["a", "b"]
    case.complete("a")
    case.complete("b")
    assert case.at() == ["c", "c"]


def test_what_has_only_other_starts_cannot_be_started_by_key(play: Play) -> None:
    play.deploy("""
        start s -> e
        end e
    """)
    with pytest.raises(DefinitionNotFound):
        play.start("other")


def test_an_instance_keeps_its_key_variables_and_version(play: Play) -> None:
    model = "start s -> a\n user a -> e\n end e"
    case = play.begin(model, amount=7)
    play.deploy("start s -> b\n user b -> e\n end e")
    other = play.start(business_key="order-1")
    assert (case.at(), other.at()) == (["a"], ["b"])
    assert case.variables() == {"amount": 7}
    assert (case.state.instance.business_key, other.state.instance.business_key) == (None, "order-1")
    case.complete("a")
    assert case.status == "COMPLETED"


def test_the_end_of_one_path_leaves_the_others_alone(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> a, b
        user a -> e
        user b -> e
        end e
    """)
    case.complete("a")
    assert (case.status, case.at()) == ("RUNNING", ["b"])
    case.complete("b")
    assert case.status == "COMPLETED"


def test_terminate_ends_everything_newest_first(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> a, b, t, x, w
        user a -> j
        timer t duration=PT1H -> j
        external x -> j
        user w -> j
        par j -> e
        user b -> z
        terminate z
        end e
    """)
    case.complete("w")
    before = len(case.events)
    case.complete("b")
    assert case.status == "COMPLETED"
    names = [(type(event).__name__, getattr(event, "node", "")) for event in case.events[before:]]
    assert names == [
        ("UserTaskCompleted", "b"),
        ("TokenResumed", "b"),
        ("TokenCompleted", "b"),
        ("TokenArrived", "z"),
        ("TokenTerminated", "j"),
        ("ExternalTaskCancelled", "x"),
        ("TokenTerminated", "x"),
        ("TimerCancelled", "t"),
        ("TokenTerminated", "t"),
        ("UserTaskCancelled", "a"),
        ("TokenTerminated", "a"),
        ("JoinClosed", "j"),
        ("TokenTerminated", "z"),
        ("ScopeCompleted", "p"),
        ("InstanceCompleted", ""),
    ]
    assert {event.reason for event in case.of(e.TokenTerminated)} == {"terminated", "end"}


def test_terminate_lets_tokens_of_the_same_command_come_to_rest_first(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> z, a
        terminate z
        user a -> e
        end e
    """)
    assert case.status == "COMPLETED"
    assert len(case.of(e.UserTaskCreated)) == len(case.of(e.UserTaskCancelled)) == 1


def test_cancelling_ends_what_runs_and_nothing_can_be_done_afterwards(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> a, t
        user a -> e
        timer t duration=PT1H -> e
        end e
    """)
    task = case.tasks("a")[0].id
    case.do(c.CancelInstance(reason="not wanted"))
    assert (case.status, case.at()) == ("CANCELLED", [])
    assert case.of(e.InstanceCancelled)[0].reason == "not wanted"
    with pytest.raises(InstanceEnded):
        case.do(c.CancelInstance())
    with pytest.raises(InstanceEnded):
        case.set(x=1)
    with pytest.raises(TaskClosed):
        case.do(c.CompleteUserTask(task=task))
    play.pass_time("PT2H")
    assert not case.of(e.TimerFired)


def test_an_incident_does_not_keep_an_instance_from_being_cancelled(play: Play) -> None:
    case = play.begin("""
        start s -> x
        xor x -> e [missing > 1]
        end e
    """)
    assert case.status == "FAILED"
    case.do(c.CancelInstance())
    assert (case.status, case.incidents()) == ("CANCELLED", [])
