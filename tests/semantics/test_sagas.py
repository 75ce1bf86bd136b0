"""Saga mode: what fails for good is compensated by itself (semantics §8)."""

from __future__ import annotations

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from tests.support.compensating import compensated, complete, give_up, throw_error
from tests.support.play import Case, Play

ORDER = """
    start s -> a
    task a undo=ua -> b
    task b undo=ub -> pay
    user ua
    external ub
    external pay -> x
    end x
"""


def sagas(case: Case) -> list[tuple[str, str]]:
    """Return the saga's own events in order, with the node of their scope."""
    return [(type(event).__name__, event.node) for event in case.events if isinstance(event, e.SagaEvent)]


@pytest.mark.parametrize("mode", ["local", "global"])
def test_a_token_that_fails_for_good_compensates_the_process(play: Play, mode: str) -> None:
    case = play.grow(ORDER, saga=mode)
    give_up(case, "pay")
    assert case.at() == ["ub"]
    assert case.incidents() == []
    case.work("ub")
    case.complete("ua")
    assert case.status == "COMPLETED"
    assert compensated(case) == ["b", "a"]
    assert sagas(case) == [("SagaStarted", "p"), ("SagaReasonNoted", "p"), ("SagaCompleted", "p")]
    (started,) = case.of(e.SagaStarted)
    assert (started.failed, started.kind) == ("pay", "ExternalTaskFailed")
    assert case.of(e.SagaReasonNoted)[0].message == "no"


def test_without_saga_mode_it_is_an_incident(play: Play) -> None:
    case = play.grow(ORDER)
    give_up(case, "pay")
    assert case.status == "FAILED"
    assert sagas(case) == []


def test_a_failure_with_retries_left_starts_no_saga(play: Play) -> None:
    case = play.grow(ORDER, saga="local")
    task = case.external("pay")
    case.do(c.LockExternalTasks(tasks=(task.id,), worker="w", lock_ms=1_000))
    case.do(c.FailExternalTask(task=task.id, worker="w", error="later"))
    assert case.at() == ["pay"]
    assert sagas(case) == []


def test_with_nothing_to_undo_the_saga_is_over_at_once(play: Play) -> None:
    case = play.grow("start s -> a\nexternal a -> x\nend x", saga="local")
    give_up(case, "a")
    assert case.status == "COMPLETED"
    assert sagas(case)[-1] == ("SagaCompleted", "p")


def test_a_failed_handler_is_an_incident_and_its_retry_completes_the_saga(play: Play) -> None:
    case = play.grow(ORDER, saga="local")
    give_up(case, "pay")
    give_up(case, "ub")
    assert case.status == "FAILED"
    assert [incident.node for incident in case.incidents()] == ["ub"]
    assert sagas(case)[-1] == ("SagaFailed", "p")
    case.retry("ub")
    case.work("ub")
    case.complete("ua")
    assert case.status == "COMPLETED"
    assert sagas(case)[-1] == ("SagaCompleted", "p")


def test_whatever_goes_on_elsewhere_ends_and_what_it_has_done_is_undone(play: Play) -> None:
    case = play.grow(
        """
        start s -> f
        par f -> q, m, pay
        sub q -> x1
          start qs -> a
          task a undo=ua -> wait
          user ua
          user wait undo=uw -> qx
          user uw
          end qx
        end x1
        external m items="${items}" undo=um -> x2
        user um
        end x2
        external pay -> x3
        end x3
        """,
        saga="local",
        items=[1, 2],
    )
    case.work("m")
    give_up(case, "pay")
    assert sorted(task.node for task in case.tasks()) == ["ua", "um"]
    complete(case, "um", "ua")
    assert case.status == "COMPLETED"
    assert compensated(case) == ["m", "m", "a", "q"]


def test_an_error_that_is_caught_starts_no_saga(play: Play) -> None:
    case = play.grow(
        """
        start s -> a
        task a undo=ua -> pay
        user ua
        external pay -> x
        boundary late at=pay error=E -> other
        user other -> x
        end x
        """,
        saga="local",
    )
    throw_error(case, "pay", "E")
    assert case.at() == ["other"]
    assert sagas(case) == []


def test_an_error_that_nobody_catches_and_a_broken_expression_start_one(play: Play) -> None:
    case = play.grow(ORDER, saga="local")
    throw_error(case, "pay", "E")
    assert case.of(e.SagaStarted)[0].kind == "UncaughtError"
    case = play.grow("start s -> a\ntask a -> x [nowhere > 1]\nend x", saga="local")
    assert case.status == "COMPLETED"
    assert case.of(e.SagaStarted)[0].kind == "ExpressionFailed"


PART = """
    start s -> before
    task before undo=ubefore -> q
    user ubefore
    sub q saga={mode} -> done
      start qs -> a
      task a undo=ua -> pay
      user ua
      external pay -> qx
      end qx
    user done
"""


def test_a_local_saga_compensates_its_subprocess_only(play: Play) -> None:
    case = play.grow(PART.format(mode="local") + "    boundary off at=q cancel -> sorry\n    user sorry\n")
    give_up(case, "pay")
    complete(case, "ua")
    assert case.at() == ["sorry"]
    assert compensated(case) == ["a"]
    assert sagas(case)[-1] == ("SagaCompleted", "q")


def test_a_global_saga_compensates_the_whole_process(play: Play) -> None:
    case = play.grow(PART.format(mode="global"))
    give_up(case, "pay")
    complete(case, "ua", "ubefore")
    assert case.status == "COMPLETED"
    assert compensated(case) == ["a", "q", "before"]


def test_a_compensated_subprocess_is_left_as_an_error_with_the_failures_kind(play: Play) -> None:
    boundary = "    boundary off at=q error=ExternalTaskFailed -> sorry\n    user sorry\n"
    case = play.grow(PART.format(mode="local") + boundary)
    give_up(case, "pay")
    complete(case, "ua")
    assert case.at() == ["sorry"]


def test_the_saga_around_a_compensated_subprocess_takes_over(play: Play) -> None:
    case = play.grow(PART.format(mode="local"), saga="local")
    give_up(case, "pay")
    complete(case, "ua", "ubefore")
    assert case.status == "COMPLETED"
    assert [name for name, _ in sagas(case) if name != "SagaReasonNoted"] == [
        "SagaStarted",
        "SagaCompleted",
        "SagaStarted",
        "SagaCompleted",
    ]


def test_otherwise_the_path_ends_at_the_compensated_subprocess(play: Play) -> None:
    case = play.grow(PART.format(mode="local"))
    give_up(case, "pay")
    complete(case, "ua")
    assert case.status == "COMPLETED"
    assert case.incidents() == []


def test_a_compensated_instance_of_a_multi_instance_counts_as_done(play: Play) -> None:
    case = play.grow(PART.format(mode="local").replace("sub q saga", "sub q mi=2 seq saga"))
    give_up(case, "pay")
    case.complete("ua")
    case.work("pay")
    assert case.at() == ["done"]


def test_compensation_under_way_begins_anew_as_part_of_the_saga(play: Play) -> None:
    case = play.grow(
        """
        start s -> f
        par f -> a, pay
        task a undo=ua -> b
        task b undo=ub -> t
        user ua
        user ub
        throw t compensate -> x1
        end x1
        external pay -> x2
        end x2
        """,
        saga="local",
    )
    case.complete("ub")
    assert case.at() == ["pay", "t", "ua"]
    give_up(case, "pay")
    assert case.at() == ["ua"]
    case.complete("ua")
    assert case.status == "COMPLETED"
    assert compensated(case) == ["b", "a"]
