"""Modification where something waits for its job or is being compensated (semantics §12)."""

from __future__ import annotations

import pytest

from bpm.core import instructions as i
from bpm.core import operations as o
from bpm.core.errors import Invalid
from tests.support.play import Case, Play

GUARDED = """
    start s -> a
    user a before -> e
    boundary off at=a message=stop -> late
    end e
    user late -> le
    end le
"""
UNDONE = """
    start s -> book
    user book undo=cancel -> t
    user cancel
    throw t compensate -> e
    end e
"""


def _modify(case: Case, *instructions: i.Instruction) -> None:
    case.do(o.ModifyInstance(instructions=instructions))


def _open(case: Case) -> list[str]:
    return [task.node for task in case.tasks()]


def test_an_interrupted_activity_loses_the_job_for_which_it_waits(play: Play) -> None:
    case = play.grow(GUARDED)
    _modify(case, i.StartBefore(node="off"))
    assert _open(case) == ["late"]
    assert [job.status for job in case.state.jobs.values()] == ["CANCELLED"]
    case.complete("late")
    assert case.status == "COMPLETED"


def test_ending_the_scope_of_a_compensation_gives_it_up(play: Play) -> None:
    case = play.grow(UNDONE)
    case.complete("book")
    assert _open(case) == ["cancel"]
    (scope,) = {token.scope for token in case.live("cancel")} - {case.id}
    _modify(case, i.StartBefore(node="book", ancestor=case.id), i.CancelScope(scope=scope))
    assert _open(case) == ["book"]
    assert [row.status for row in case.state.compensations.values()] == ["DISCARDED"]


def test_nothing_starts_at_the_event_that_shows_what_undoes_an_activity(play: Play) -> None:
    case = play.grow(UNDONE)
    with pytest.raises(Invalid, match="only shows what undoes book"):
        _modify(case, i.StartBefore(node="book_undone"))
