"""Completed subprocesses are compensated from further out, with what they knew (semantics §8)."""

from __future__ import annotations

from bpm.core import events as e
from tests.support.compensating import compensated, complete, seen_by
from tests.support.play import Play

NESTED = """
    start s -> outer
    sub outer -> change
      start os -> middle
      sub middle -> ox
        start ms -> book
        task book undo=cancel -> mx
        user cancel
        end mx
      end ox
    user change -> t
    throw t compensate -> x
    end x
"""


def test_a_throw_reaches_what_lies_two_completed_scopes_deeper(play: Play) -> None:
    case = play.grow(NESTED)
    case.complete("change")
    assert case.at() == ["cancel", "t"]
    reopened = [
        row for row in case.state.scopes.values() if row.kind == "compensation" and row.status == "ACTIVE"
    ]
    assert [row.node for row in sorted(reopened, key=lambda row: row.id)] == ["outer", "middle"]
    case.complete("cancel")
    assert case.status == "COMPLETED"
    assert compensated(case) == ["book", "middle", "outer"]


def test_a_scope_is_reopened_with_the_variables_it_had_and_sees_the_present_ones_around_it(
    play: Play,
) -> None:
    case = play.grow(
        """
        start s -> q
        sub q in_place="${where}" -> change
          start qs -> book
          user book undo=cancel -> qx
          user cancel
          end qx
        user change -> t
        throw t compensate=q -> x
        end x
        """,
        where="Rome",
        price=1,
    )
    case.complete("book")
    case.complete("change", where="Oslo", price=2)
    assert seen_by(case, "cancel", "place") == '"Rome"'
    assert seen_by(case, "cancel", "where") == '"Oslo"'
    case.complete("cancel", place="Bonn", price=3)
    assert case.status == "COMPLETED"
    assert case.variables() == {"where": "Oslo", "price": 3}


def test_a_task_is_compensated_with_the_variables_that_were_its_own(play: Play) -> None:
    case = play.grow(
        """
        start s -> a
        user a in_n="${n}" undo=ua -> t
        user ua
        throw t compensate -> x
        end x
        """,
        n=1,
    )
    case.complete("a")
    case.set(n=2)
    assert seen_by(case, "ua", "n") == "1"


WHITE_BOX = """
    start s -> q
    sub q in_kept="${{1}}" -> change
      start qs -> a
      task a undo=ua -> b
      task b undo=ub -> qx
      user ua
      user ub
      end qx
      handler h
        start hs compensate -> look
        user look -> {then}
        end hx
    user change -> t
    throw t compensate -> x
    end x
"""


def test_a_compensation_event_subprocess_runs_instead_of_what_is_inside(play: Play) -> None:
    case = play.grow(WHITE_BOX.format(then="hx"))
    case.complete("change")
    assert case.at() == ["look", "t"]
    assert case.token("look").mode == "compensation"
    assert seen_by(case, "look", "kept") == "1"
    case.complete("look")
    assert case.status == "COMPLETED"
    assert compensated(case) == ["q", "q"]
    assert {event.node for event in case.of(e.CompensationDiscarded)} == {"a", "b"}


def test_a_compensation_event_subprocess_may_compensate_what_is_inside(play: Play) -> None:
    case = play.grow(WHITE_BOX.format(then="ht\n        throw ht compensate -> hx"))
    complete(case, "change", "look")
    assert case.at() == ["ht", "t", "ub"]
    complete(case, "ub", "ua")
    assert case.status == "COMPLETED"


def test_a_handler_at_the_boundary_stands_for_all_that_is_inside(play: Play) -> None:
    case = play.grow("""
        start s -> q
        sub q undo=uq -> t
          start qs -> a
          task a undo=ua -> qx
          user ua
          end qx
        user uq
        throw t compensate -> x
        end x
    """)
    assert case.at() == ["t", "uq"]
    case.complete("uq")
    assert case.status == "COMPLETED"
