"""Transactions: cancelled, compensated, and left by the cancel boundary event (semantics §8)."""

from __future__ import annotations

from bpm.core import events as e
from tests.support.compensating import compensated, complete, give_up, trigger
from tests.support.play import Play

BOOKING = """
    start s -> q
    transaction q -> done
      start qs -> a
      task a undo=ua -> b
      task b undo=ub -> ask
      user ua
      user ub
      user ask -> g
      xor g -> fine [ok], no [else]
      end fine
      end no cancel
    user done
    boundary off at=q cancel -> sorry
    user sorry
"""


def test_a_cancelled_transaction_is_compensated_and_left_by_its_cancel_boundary(play: Play) -> None:
    case = play.grow(BOOKING)
    case.complete("ask", ok=False)
    assert case.at() == ["no", "q", "q", "ub"]
    assert case.token("no").wait == "compensation"
    complete(case, "ub", "ua")
    assert case.at() == ["sorry"]
    assert compensated(case) == ["b", "a"]
    case.complete("sorry")
    assert case.status == "COMPLETED"


def test_a_transaction_that_succeeds_can_still_be_compensated_from_outside(play: Play) -> None:
    case = play.grow(BOOKING.replace("user done", "user done -> t\n    throw t compensate -> x\n    end x"))
    case.complete("ask", ok=True)
    case.complete("done")
    assert case.at() == ["t", "ub"]
    complete(case, "ub", "ua")
    assert case.status == "COMPLETED"


def test_cancelling_with_nothing_to_undo_leaves_at_once(play: Play) -> None:
    case = play.grow("""
        start s -> q
        transaction q -> done
          start qs -> no
          end no cancel
        user done
        boundary off at=q cancel -> sorry
        user sorry
    """)
    assert case.at() == ["sorry"]


def test_what_still_goes_on_ends_before_anything_is_compensated(play: Play) -> None:
    case = play.grow("""
        start s -> q
        transaction q -> done
          start qs -> f
          par f -> a, open, inner, ask
          task a undo=ua -> x1
          user ua
          end x1
          user open undo=uo -> x2
          user uo
          end x2
          sub inner -> x3
            start is -> b
            task b undo=ub -> wait
            user ub
            user wait -> ix
            end ix
          end x3
          user ask -> no
          end no cancel
        user done
        boundary off at=q cancel -> sorry
        user sorry
    """)
    case.complete("ask")
    assert case.at() == ["no", "q", "q", "ua"]
    ended = [event.node for event in case.of(e.TokenTerminated) if event.reason == "cancelled"]
    assert set(ended) == {"open", "wait", "inner"}
    case.complete("ua")
    assert case.at() == ["sorry"]
    assert compensated(case) == ["a"]


def test_an_error_boundary_compensates_nothing(play: Play) -> None:
    case = play.grow("""
        start s -> q
        transaction q -> done
          start qs -> a
          task a undo=ua -> no
          user ua
          end no error=E
        user done
        boundary off at=q cancel -> sorry
        boundary bad at=q error=E -> caught
        user sorry
        user caught
    """)
    assert case.at() == ["caught"]
    assert compensated(case) == []


def test_a_failed_handler_keeps_the_transaction_until_it_is_retried(play: Play) -> None:
    case = play.grow("""
        start s -> q
        transaction q -> done
          start qs -> a
          task a undo=ua -> no
          external ua
          end no cancel
        user done
        boundary off at=q cancel -> sorry
        user sorry
    """)
    give_up(case, "ua")
    assert case.status == "FAILED"
    case.retry("ua")
    case.work("ua")
    assert case.at() == ["sorry"]


def test_without_a_cancel_boundary_the_path_ends_there(play: Play) -> None:
    case = play.grow("""
        start s -> f
        par f -> q, other
        transaction q -> done
          start qs -> a
          task a undo=ua -> no
          user ua
          end no cancel
        user done
        user other
    """)
    case.complete("ua")
    assert case.at() == ["other"]
    case.complete("other")
    assert case.status == "COMPLETED"


def test_an_interrupting_boundary_event_ends_the_compensation_under_way(play: Play) -> None:
    case = play.grow("""
        start s -> q
        transaction q -> done
          start qs -> a
          task a undo=ua -> no
          user ua
          end no cancel
        user done
        boundary off at=q cancel -> sorry
        boundary stop at=q message=stop -> stopped
        user sorry
        user stopped
    """)
    trigger(case, "stop")
    assert case.at() == ["stopped"]
    assert {row.status for row in case.state.compensations.values()} == {"DISCARDED"}


def test_an_instance_that_cancels_compensates_its_own_and_ends_the_whole_multi_instance(play: Play) -> None:
    case = play.grow("""
        start s -> q
        transaction q mi=3 -> done
          start qs -> a
          task a undo=ua -> ask
          user ua
          user ask -> no
          end no cancel
        user done
        boundary off at=q cancel -> sorry
        user sorry
    """)
    case.complete("ask")
    assert case.at().count("ua") == 1
    assert case.at().count("ask") == 2
    case.complete("ua")
    assert case.at() == ["sorry"]
    assert compensated(case) == ["a"]


def test_without_a_cancel_boundary_a_cancelled_instance_counts_as_done(play: Play) -> None:
    case = play.grow("""
        start s -> q
        transaction q mi=2 seq -> done
          start qs -> a
          task a undo=ua -> no
          user ua
          end no cancel
        user done
    """)
    complete(case, "ua", "ua")
    assert case.at() == ["done"]
