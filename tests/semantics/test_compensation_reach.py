"""What a thrown compensation reaches, and who waits for it (semantics §8)."""

from __future__ import annotations

from tests.support.compensating import compensated, complete
from tests.support.play import Play

LINE = """
    start s -> a
    user a undo=ua -> b
    user b undo=ub -> d
    user d undo=ud -> t
    user ua
    user ub
    user ud
    throw t compensate -> after
    user after -> x
    end x
"""


def test_a_throw_may_name_one_activity(play: Play) -> None:
    case = play.grow(LINE.replace("compensate ->", "compensate=b ->"))
    complete(case, "a", "b", "d")
    assert case.at() == ["t", "ub"]
    complete(case, "ub", "after")
    assert compensated(case) == ["b"]


def test_only_completed_activities_are_compensated_and_each_once(play: Play) -> None:
    case = play.grow("""
        start s -> f
        par f -> a, b, open
        user open undo=uo -> x1
        user uo
        end x1
        user a undo=ua -> t1
        user ua
        throw t1 compensate -> t2
        throw t2 compensate -> x2
        end x2
        user b undo=ub -> x3
        user ub
        end x3
    """)
    complete(case, "b", "a")
    assert case.at() == ["open", "t1", "ua", "ub"]
    complete(case, "ub", "ua")
    assert case.at() == ["open"]
    case.complete("open")
    assert case.status == "COMPLETED"


def test_a_throw_with_nothing_to_compensate_passes(play: Play) -> None:
    case = play.grow("""
        start s -> t
        throw t compensate -> a
        user a undo=ua -> x
        user ua
        end x
    """)
    assert case.at() == ["a"]


def test_an_end_event_waits_too_and_keeps_its_scope_open(play: Play) -> None:
    case = play.grow("""
        start s -> q
        sub q -> after
          start qs -> a
          task a undo=ua -> x
          user ua
          end x compensate
        user after
    """)
    assert case.at() == ["q", "ua", "x"]
    case.complete("ua")
    assert case.at() == ["after"]


def test_a_throw_that_does_not_wait_goes_on_at_once_but_its_scope_stays_open(play: Play) -> None:
    case = play.grow("""
        start s -> q
        sub q -> after
          start qs -> a
          task a undo=ua -> t
          user ua
          throw t compensate nowait -> x
          end x
        user after
    """)
    assert case.at() == ["q", "ua"]
    case.complete("ua")
    assert case.at() == ["after"]


def test_a_throw_that_waits_does_not_wait_for_what_an_earlier_one_left_to_itself(play: Play) -> None:
    case = play.grow("""
        start s -> a
        task a undo=ua -> b
        task b undo=ub -> t1
        user ua
        user ub
        throw t1 compensate=a nowait -> t2
        throw t2 compensate=b -> after
        user after
    """)
    case.complete("ub")
    assert case.at() == ["after", "ua"]


def test_a_throw_in_an_event_subprocess_reaches_the_scope_around_it(play: Play) -> None:
    case = play.grow("""
        start s -> a
        task a undo=ua -> b
        user b -> x
        end x error=E
        user ua
        handler h
          start hs error=E -> own
          task own undo=uo -> t
          user uo
          throw t compensate -> he
          end he
    """)
    case.complete("b")
    assert case.at() == ["t", "ua", "uo"]
    complete(case, "ua", "uo")
    assert case.status == "COMPLETED"


def test_other_definitions_of_the_event_are_thrown_before_the_token_waits(play: Play) -> None:
    case = play.grow("""
        start s -> f
        par f -> w, a
        catch w signal=gone -> heard
        user heard
        task a undo=ua -> t
        user ua
        throw t compensate signal=gone -> x
        end x
    """)
    assert case.at() == ["heard", "t", "ua"]
