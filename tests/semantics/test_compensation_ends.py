"""When compensation does not come to its end: interrupted, failed, never asked for (semantics §8)."""

from __future__ import annotations

from bpm.core import commands as c
from tests.support.compensating import compensated, give_up, throw_error
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


def test_what_an_interrupted_scope_had_done_is_never_compensated(play: Play) -> None:
    case = play.grow(
        """
        start s -> q
        sub q -> x
          start qs -> a
          task a undo=ua -> b
          user ua
          user b -> qx
          end qx
        boundary stop at=q error=E -> t
        throw t compensate -> x
        end x
    """.replace("end qx", "end qx error=E")
    )
    case.complete("b")
    assert case.status == "COMPLETED"
    assert compensated(case) == []
    assert [row.status for row in case.state.compensations.values()] == ["DISCARDED"]


def test_cancelling_the_instance_ends_what_compensates(play: Play) -> None:
    case = play.grow(NESTED)
    case.complete("change")
    case.do(c.CancelInstance(reason="enough"))
    assert case.status == "CANCELLED"
    assert {row.status for row in case.state.compensations.values()} == {"DISCARDED"}


def test_terminating_a_scope_ends_what_compensates_in_it(play: Play) -> None:
    case = play.grow("""
        start s -> f
        par f -> a, w
        task a undo=ua -> b
        task b undo=ub -> t
        user ua
        user ub
        throw t compensate -> x1
        end x1
        user w -> x2
        end x2 terminate
    """)
    assert case.at() == ["t", "ub", "w"]
    case.complete("w")
    assert case.status == "COMPLETED"
    assert compensated(case) == []


FAILING = """
    start s -> f
    par f -> a, b
    task a undo=ua -> j
    task b undo=ub -> j
    external ua
    user ub
    par j -> d
    task d undo=ud -> t
    user ud
    throw t compensate -> after
    user after
"""


def test_a_failed_handler_is_an_incident_and_the_others_stand(play: Play) -> None:
    case = play.grow(FAILING)
    case.complete("ud")
    give_up(case, "ua")
    assert case.status == "RUNNING"
    case.complete("ub")
    assert case.status == "FAILED"
    assert case.at() == ["t", "ua"]
    assert [incident.node for incident in case.incidents()] == ["ua"]
    case.retry("ua")
    case.work("ua")
    assert case.at() == ["after"]
    assert case.incidents() == []


def test_a_handler_may_catch_its_own_error_and_is_done_when_that_path_ends(play: Play) -> None:
    case = play.grow("""
        start s -> a
        task a undo=ua -> t
        external ua
        boundary late at=ua error=LATE -> by_hand
        user by_hand -> bx
        end bx
        throw t compensate -> after
        user after
    """)
    throw_error(case, "ua", "LATE")
    assert case.at() == ["by_hand", "t"]
    case.complete("by_hand")
    assert case.at() == ["after"]


def test_a_handler_can_be_a_subprocess_with_compensation_of_its_own(play: Play) -> None:
    case = play.grow("""
        start s -> a
        task a undo=ua -> t
        sub ua
          start us -> inner
          task inner undo=ui -> ut
          user ui
          throw ut compensate -> ux
          end ux
        throw t compensate -> after
        user after
    """)
    assert case.at() == ["t", "ua", "ui", "ut"]
    case.complete("ui")
    assert case.at() == ["after"]
    assert compensated(case) == ["inner", "a"]


def test_an_activity_whose_way_out_fails_is_recorded_once(play: Play) -> None:
    case = play.grow(
        """
        start s -> a
        user a undo=ua -> t [ok]
        user ua
        throw t compensate -> x
        end x
        """,
        ok=False,
    )
    case.complete("a")
    assert [incident.kind for incident in case.incidents()] == ["NoFlow"]
    assert case.state.compensations == {}
    case.set(ok=True)
    case.retry("a")
    assert len(case.state.compensations) == 1
    case.complete("ua")
    assert case.status == "COMPLETED"


def test_an_instance_that_completes_compensates_nothing(play: Play) -> None:
    case = play.grow("""
        start s -> a
        task a undo=ua -> x
        user ua
        end x
    """)
    assert case.status == "COMPLETED"
    assert [row.status for row in case.state.compensations.values()] == ["OPEN"]
