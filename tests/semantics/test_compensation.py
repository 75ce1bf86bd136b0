"""Compensation: records of completed activities, handlers in order, scopes re-opened with what they knew (semantics §8)."""

from __future__ import annotations

from bpm.core import events as e
from tests.support.play import Play

LINE = """
    start s -> a
    user a undo=ua -> b
    user b undo=ub -> c
    user c undo=uc -> t
    user ua
    user ub
    user uc
    throw t compensate -> after
    user after -> x
    end x
"""


def test_handlers_run_one_after_the_other_in_reverse_order(play: Play) -> None:
    case = play.grow(LINE)
    for task in ("a", "b", "c"):
        assert case.at() == [task]
        case.complete(task)
    for handler in ("uc", "ub", "ua"):
        assert case.at() == sorted([handler, "t"])
        assert case.token("t").wait == "compensation"
        assert case.token(handler).mode == "compensation"
        case.complete(handler)
    assert case.at() == ["after"]
    case.complete("after")
    assert case.status == "COMPLETED"
    assert case.incidents() == []
