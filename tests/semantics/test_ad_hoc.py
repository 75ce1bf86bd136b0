"""Ad-hoc subprocesses: started without flow, done when each has run or the condition says so (semantics §4)."""

from __future__ import annotations

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from tests.support.play import Play


def test_everything_without_incoming_flow_starts_at_entry(play: Play) -> None:
    case = play.grow("""
        start s -> q
        adhoc q -> after
          user a
          user b -> d
          user d
        user after
    """)
    assert case.at() == ["a", "b", "q"]
    case.complete("b")
    assert case.at() == ["a", "d", "q"]
    case.complete("a")
    case.complete("d")
    assert case.at() == ["after"]


ORDERED = """
    start s -> q
    adhoc q ordering=Sequential {more} -> after
      user a -> a2
      user a2
      user b
      user d
    user after
"""


def test_in_sequence_one_path_at_a_time_is_taken_in_document_order(play: Play) -> None:
    case = play.grow(ORDERED.format(more=""))
    for node in ("a", "a2", "b", "d"):
        assert case.at() == sorted([node, "q"])
        case.complete(node)
    assert case.at() == ["after"]


@pytest.mark.parametrize("node", ["a", "b"])
def test_in_sequence_nothing_more_starts_once_the_condition_is_true(play: Play, node: str) -> None:
    case = play.grow(
        ORDERED.format(more='until="${enough}"').replace("user a -> a2\n      user a2", "user a"),
        enough=False,
    )
    for step in ("a", "b")[: ("a", "b").index(node) + 1]:
        case.complete(step, enough=step == node)
    assert case.at() == ["after"]


OPEN = """
    start s -> q
    adhoc q until="${{n >= 2}}" {rest} -> after
      user a -> a2
      user a2
      user b
      user d
    user after
"""


def test_what_still_goes_on_ends_when_the_condition_is_true(play: Play) -> None:
    case = play.grow(OPEN.format(rest=""), n=0)
    case.complete("b", n=1)
    assert case.at() == ["a", "d", "q"]
    case.complete("a", n=2)
    assert case.at() == ["after"]
    assert {event.node for event in case.of(e.TokenTerminated) if event.reason == "completionCondition"} == {
        "a2",
        "d",
    }


def test_what_still_goes_on_may_be_left_to_end_by_itself(play: Play) -> None:
    case = play.grow(OPEN.format(rest="rest=false"), n=0)
    case.complete("b", n=2)
    assert case.at() == ["a", "d", "q"]
    for node in ("d", "a", "a2"):
        case.complete(node)
    assert case.at() == ["after"]


def test_a_condition_that_stays_false_does_not_keep_a_subprocess_in_which_all_has_run(play: Play) -> None:
    case = play.grow(OPEN.format(rest=""), n=0)
    for node in ("a", "b", "a2", "d"):
        case.complete(node)
    assert case.at() == ["after"]


def test_a_condition_that_cannot_be_evaluated_is_an_incident_of_the_activity(play: Play) -> None:
    case = play.grow(OPEN.format(rest=""))
    case.complete("b")
    assert [(incident.kind, incident.node) for incident in case.incidents()] == [("ExpressionFailed", "b")]
    case.set(n=2)
    case.retry("b")
    assert case.at() == ["after"]


def test_an_empty_one_passes(play: Play) -> None:
    case = play.grow("start s -> q\nadhoc q -> after\nuser after")
    assert case.at() == ["after"]


def test_an_interrupting_event_subprocess_takes_the_place_of_what_has_not_begun(play: Play) -> None:
    case = play.grow("""
        start s -> q
        adhoc q ordering=Sequential -> after
          user a
          user b
          handler h
            start hs message=stop -> instead
            user instead
        user after
    """)
    (row,) = [row for row in case.state.subscriptions.values() if row.status == "OPEN"]
    case.do(c.TriggerMessage(subscription=row.id))
    assert case.at() == ["instead", "q"]
    case.complete("instead")
    assert case.at() == ["after"]


def test_each_instance_of_a_multi_instance_one_is_on_its_own(play: Play) -> None:
    case = play.grow("""
        start s -> q
        adhoc q mi=2 ordering=Sequential -> after
          user a
          user b
        user after
    """)
    first, _ = case.tasks("a")
    case.finish(first)
    assert [task.node for task in case.tasks()] == ["a", "b"]
    for node in ("a", "b", "b"):
        case.complete(node)
    assert case.at() == ["after"]
