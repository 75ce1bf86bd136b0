"""Standard loops, and conditions of loops that cannot be evaluated (semantics §4)."""

from __future__ import annotations

import pytest

from tests.support.play import Play


def test_the_condition_is_asked_after_each_turn_by_default(play: Play) -> None:
    case = play.grow('start s -> a\nuser a loop="${more}" -> x\nend x', more=False)
    case.complete("a", more=True)
    case.complete("a", more=False)
    assert case.status == "COMPLETED"


def test_it_may_be_asked_before_the_first_turn(play: Play) -> None:
    model = 'start s -> a\nuser a loop="${more}" first -> after\nuser after'
    assert play.grow(model, more=False).at() == ["after"]
    assert len(play.grow(model, more=True).tasks("a")) == 1


@pytest.mark.parametrize("first", ["", "first"])
def test_the_maximum_ends_a_loop_whose_condition_stays_true(play: Play, first: str) -> None:
    case = play.grow(f'start s -> a\nuser a loop="${{true}}" most=2 {first} -> x\nend x')
    case.complete("a")
    case.complete("a")
    assert case.status == "COMPLETED"


@pytest.mark.parametrize(("first", "turns"), [("", 1), ("first", 0)])
def test_a_maximum_of_zero_allows_only_the_turn_that_is_not_asked_for(
    play: Play, first: str, turns: int
) -> None:
    case = play.grow(f'start s -> a\nuser a loop="${{true}}" most=0 {first} -> after\nuser after')
    for _ in range(turns):
        case.complete("a")
    assert case.at() == ["after"]


def test_without_a_condition_the_maximum_decides(play: Play) -> None:
    case = play.grow('start s -> a\nuser a loop="" most=3 -> x\nend x')
    for _ in range(3):
        case.complete("a")
    assert case.status == "COMPLETED"


def test_a_turn_sees_its_number(play: Play) -> None:
    case = play.grow("""
        start s -> a
        script a loop="${loopCounter < 2}" script="${execution.setVariable('last', loopCounter)}" -> b
        user b
    """)
    assert case.variables()["last"] == 2


@pytest.mark.parametrize(
    "loop",
    ['loop="${more}"', 'mi=2 done="${!more}"', 'mi=2 seq done="${!more}"'],
    ids=["loop", "parallel", "sequential"],
)
def test_a_condition_that_cannot_be_evaluated_is_an_incident_that_can_be_retried(
    play: Play, loop: str
) -> None:
    case = play.grow(f"start s -> a\nuser a {loop} -> x\nend x")
    case.complete("a")
    assert [(incident.kind, incident.node) for incident in case.incidents()] == [("ExpressionFailed", "a")]
    case.set(more=True)
    case.retry("a")
    assert case.incidents() == []
    assert len(case.tasks("a")) == 1
    case.complete("a", more=False)
    assert case.status == "COMPLETED"
