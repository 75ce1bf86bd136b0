"""Compensation of what was done several times: multi-instance and loops (semantics §8)."""

from __future__ import annotations

import pytest

from bpm.core import events as e
from tests.support.compensating import compensated, complete, item_of, trigger
from tests.support.play import Play


def test_each_instance_of_a_multi_instance_is_compensated_with_its_item(play: Play) -> None:
    case = play.grow(MANY.format(how=""), items=["x", "y", "z"])
    for _ in range(3):
        case.complete("a")
    tasks = case.tasks("ua")
    assert [item_of(case, task.token) for task in tasks] == ['"z"', '"y"', '"x"']
    for task in tasks:
        case.finish(task)
    assert case.status == "COMPLETED"


MANY = """
    start s -> a
    user a items="${{items}}" {how} undo=ua -> t
    user ua
    throw t compensate=a -> x
    end x
"""


def test_instances_of_a_sequential_multi_instance_are_compensated_one_after_the_other(play: Play) -> None:
    case = play.grow(MANY.format(how="seq"), items=["x", "y"])
    complete(case, "a", "a")
    (last,) = case.tasks("ua")
    assert item_of(case, last.token) == '"y"'
    case.finish(last)
    (first,) = case.tasks("ua")
    assert item_of(case, first.token) == '"x"'
    case.finish(first)
    assert case.status == "COMPLETED"


def test_turns_of_a_loop_are_compensated_one_after_the_other(play: Play) -> None:
    case = play.grow(
        """
        start s -> a
        user a loop="${more}" undo=ua -> t
        user ua
        throw t compensate -> x
        end x
        """
    )
    case.complete("a", more=True)
    case.complete("a", more=False)
    for _ in range(2):
        (task,) = case.tasks("ua")
        case.finish(task)
    assert case.status == "COMPLETED"


def test_what_a_completion_condition_cut_short_is_compensated_as_far_as_it_was_completed(play: Play) -> None:
    case = play.grow(MANY.format(how='done="${nrOfCompletedInstances == 2}"'), items=["x", "y", "z"])
    complete(case, "a", "a")
    assert len(case.tasks("ua")) == 2


@pytest.mark.parametrize("how", ["", "seq"])
def test_an_interrupted_multi_instance_leaves_nothing_to_compensate(play: Play, how: str) -> None:
    case = play.grow(
        MANY.format(how=how)
        + "    boundary stop at=a message=stop -> t2\n    throw t2 compensate -> x2\n    end x2\n",
        items=["x", "y"],
    )
    case.complete("a")
    trigger(case, "stop")
    assert case.status == "COMPLETED"
    assert compensated(case) == []
    assert len(case.of(e.CompensationDiscarded)) == 1


def test_a_multi_instance_without_instances_leaves_nothing_to_compensate(play: Play) -> None:
    case = play.grow(MANY.format(how=""), items=[])
    assert case.status == "COMPLETED"


def test_instances_that_throw_compensation_compensate_their_own(play: Play) -> None:
    case = play.grow("""
        start s -> q
        sub q mi=3 -> x
          start qs -> a
          task a undo=ua -> t
          user ua
          throw t compensate -> b
          user b -> qx
          end qx
        end x
    """)
    _, second, _ = case.tasks("ua")
    case.finish(second)
    assert case.at().count("b") == 1
    assert case.at().count("t") == 2
    case.complete("b")
    complete(case, "ua", "ua", "b", "b")
    assert case.status == "COMPLETED"


def test_a_multi_instance_subprocess_is_compensated_instance_by_instance(play: Play) -> None:
    case = play.grow(
        """
        start s -> q
        sub q items="${items}" -> t
          start qs -> a
          script a script="${execution.setVariableLocal('seat', item)}" undo=ua -> qx
          user ua
          end qx
        throw t compensate -> x
        end x
        """,
        items=[7, 8],
    )
    tasks = case.tasks("ua")
    assert [item_of(case, task.token) for task in tasks] == ["8", "7"]
    reopened = [row.node for row in case.state.scopes.values() if row.kind == "compensation"]
    assert reopened == ["q", "q", "q"]
    for task in tasks:
        case.finish(task)
    assert case.status == "COMPLETED"
