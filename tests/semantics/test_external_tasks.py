"""External tasks: leases, retries, back-off (semantics §5)."""

from __future__ import annotations

from typing import Any

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core.errors import (
    Invalid,
    LeaseConflict,
    NothingToRetry,
    RetriesNotMonotonic,
    TaskClosed,
    TaskNotFound,
)
from bpm.core.rows import ExternalTask
from tests.support.play import Case, Play

ONE = """
    start s -> x
    external x topic=pay {options} -> e
    end e
"""


def _begin(play: Play, options: str = "", **variables: Any) -> Case:
    return play.begin(ONE.replace("{options}", options), **variables)


def _fetch(play: Play, worker: str = "w", lease_ms: int = 1_000) -> ExternalTask:
    (leased,) = play.fetch(worker, "pay", lease_ms=lease_ms)
    return leased.task


def _complete(task: ExternalTask, worker: str = "w", lease: int | None = None, **variables: Any) -> c.Command:
    return c.CompleteExternalTask(task=task.id, worker=worker, lease=lease, variables=variables)


def _fail(task: ExternalTask, worker: str = "w", **details: Any) -> c.Command:
    return c.FailExternalTask(task=task.id, worker=worker, **details)


def test_a_task_is_fetched_completed_and_its_variables_are_set(play: Play) -> None:
    case = _begin(play)
    assert play.fetch("w", "other") == []
    task = _fetch(play)
    assert (task.worker, task.lease, task.retries) == ("w", 1, 3)
    assert play.fetch("v", "pay") == []
    case.do(_complete(task, receipt="r1"))
    assert (case.status, case.variables()) == ("COMPLETED", {"receipt": "r1"})


@pytest.mark.parametrize("intruder", ["other", "lease", "expired", "free"])
def test_only_the_holder_of_the_current_lease_may_speak(play: Play, intruder: str) -> None:
    case = _begin(play)
    task = case.external("x") if intruder == "free" else _fetch(play)
    worker = "other" if intruder == "other" else "w"
    lease = 7 if intruder == "lease" else None
    if intruder == "expired":
        play.advance("PT1S")
    held: dict[str, Any] = {"task": task.id, "worker": worker, "lease": lease}
    for command in (
        c.CompleteExternalTask(**held),
        c.FailExternalTask(**held),
        c.ThrowExternalTaskError(**held, error_code="E"),
        c.ExtendExternalTaskLock(**held, lock_ms=1_000),
        c.UnlockExternalTask(**held),
    ):
        with pytest.raises(LeaseConflict):
            case.do(command)


def test_a_slow_worker_cannot_complete_what_another_one_holds_now(play: Play) -> None:
    case = _begin(play)
    task = _fetch(play, "a")
    play.advance("PT1S")
    again = _fetch(play, "b")
    assert (again.id, again.lease) == (task.id, 2)
    with pytest.raises(LeaseConflict):
        case.do(_complete(task, "a"))
    case.do(_complete(task, "b"))
    assert len(case.of(e.ExternalTaskCompleted)) == 1


def test_a_worker_is_fenced_against_its_own_earlier_lease(play: Play) -> None:
    case = _begin(play)
    first = _fetch(play)
    play.advance("PT1S")
    second = _fetch(play)
    with pytest.raises(LeaseConflict):
        case.do(_complete(first, lease=first.lease))
    case.do(_complete(second, lease=second.lease))
    assert case.status == "COMPLETED"


def test_an_expired_lease_is_fetchable_at_once_and_made_visible(play: Play) -> None:
    case = _begin(play)
    _fetch(play)
    play.advance("PT1S")
    _fetch(play, "v")
    assert len(case.of(e.ExternalTaskLockExpired)) == 1
    play.advance("PT1S")
    play.run_due()
    assert len(case.of(e.ExternalTaskLockExpired)) == 2
    row = case.external("x")
    assert (row.status, row.retries, row.expiries, row.worker) == ("READY", 3, 2, None)


def test_completing_again_in_the_same_way_answers_and_does_nothing(play: Play) -> None:
    case = _begin(play)
    task = _fetch(play)
    case.do(_complete(task, n=1))
    before = len(case.events)
    case.do(_complete(task, n=1))
    case.do(_complete(task, lease=task.lease, n=1))
    assert len(case.events) == before
    with pytest.raises(LeaseConflict):
        case.do(_complete(task, n=2))
    with pytest.raises(LeaseConflict):
        case.do(_complete(task, "v", n=1))


def test_failing_again_in_the_same_way_takes_no_second_retry(play: Play) -> None:
    case = _begin(play)
    task = _fetch(play)
    case.do(_fail(task, error="down"))
    case.do(_fail(task, error="down"))
    assert case.external("x").retries == 2
    with pytest.raises(LeaseConflict):
        case.do(_fail(task, error="up"))


def test_each_failure_takes_a_retry_and_the_last_one_opens_an_incident(play: Play) -> None:
    case = _begin(play)
    for left in (2, 1, 0):
        case.do(_fail(_fetch(play), error=f"no {left}", details="long"))
        assert case.external("x").retries == left
    row = case.external("x")
    assert (case.status, row.status, row.error, row.error_details) == ("FAILED", "FAILED", "no 0", "long")
    assert [(found.kind, found.message) for found in case.incidents()] == [("ExternalTaskFailed", "no 0")]
    assert play.fetch("w", "pay") == []


def test_a_task_without_retries_is_dead_until_its_token_is_retried(play: Play) -> None:
    case = _begin(play, "attempts=5")
    task = _fetch(play)
    case.do(_fail(task, retries=0))
    assert play.fetch("w", "pay") == []
    with pytest.raises(LeaseConflict):
        case.do(_complete(task))
    with pytest.raises(TaskClosed):
        case.do(c.SetExternalTaskRetries(task=task.id, retries=1))
    case.retry("x")
    row = case.external("x")
    assert (row.id, row.status, row.retries, case.status) == (task.id, "READY", 5, "RUNNING")
    assert case.incidents() == []
    with pytest.raises(NothingToRetry):
        case.do(c.RetryToken(token=row.token))
    case.do(_complete(_fetch(play)))
    assert case.status == "COMPLETED"


def test_a_retry_may_bring_its_own_number(play: Play) -> None:
    case = _begin(play)
    case.do(_fail(_fetch(play), retries=0))
    with pytest.raises(Invalid):
        case.retry("x", 0)
    case.retry("x", 9)
    assert case.external("x").retries == 9


def test_a_worker_sets_any_number_once_and_never_raises_it_later(play: Play) -> None:
    case = _begin(play)
    case.do(_fail(_fetch(play), retries=8))
    with pytest.raises(Invalid):
        case.do(_fail(_fetch(play), retries=-1))
    with pytest.raises(RetriesNotMonotonic):
        case.do(_fail(case.external("x"), retries=9))
    case.do(_fail(case.external("x"), retries=8))
    case.do(_fail(_fetch(play), retries=2))
    with pytest.raises(RetriesNotMonotonic):
        case.do(_fail(_fetch(play), retries=3))


def test_raising_the_number_is_an_operators_act(play: Play) -> None:
    case = _begin(play)
    case.do(_fail(_fetch(play), retries=1))
    case.do(c.SetExternalTaskRetries(task=case.external("x").id, retries=7, actor="op"))
    assert case.external("x").retries == 7
    with pytest.raises(Invalid):
        case.do(c.SetExternalTaskRetries(task=case.external("x").id, retries=0))
    case.do(_fail(_fetch(play)))
    assert case.external("x").retries == 6


def test_three_hundred_failures_with_the_same_retries_leave_it_fetchable(play: Play) -> None:
    play.host.checked = False
    case = _begin(play)
    for _ in range(300):
        case.do(_fail(_fetch(play), retries=5))
    assert _fetch(play).retries == 5
    assert case.external("x").failures == 300


def test_a_failure_with_delay_is_not_fetched_before_it_is_over(play: Play) -> None:
    case = _begin(play)
    case.do(_fail(_fetch(play), retry_after_ms=3_000))
    play.advance("PT2.9S")
    assert play.fetch("w", "pay") == []
    play.advance("PT0.1S")
    assert _fetch(play).retries == 2


def test_the_models_delays_are_used_in_order(play: Play) -> None:
    case = _begin(play, "delays=PT1S,PT5S,PT1M")
    assert case.external("x").retries == 4
    for seconds in (1, 5, 60):
        case.do(_fail(_fetch(play)))
        row = case.external("x")
        assert (row.available_at - case.state.instance.updated_at).total_seconds() == seconds  # type: ignore[operator]
        assert play.fetch("w", "pay") == []
        play.advance(f"PT{seconds}S")
    case.do(_fail(_fetch(play)))
    assert case.status == "FAILED"


def test_a_lease_can_be_extended(play: Play) -> None:
    case = _begin(play)
    task = _fetch(play)
    play.advance("PT0.9S")
    case.do(c.ExtendExternalTaskLock(task=task.id, worker="w", lock_ms=5_000))
    play.advance("PT4.9S")
    assert play.fetch("v", "pay") == []
    case.do(_complete(task))
    assert case.status == "COMPLETED"


def test_unlocking_gives_the_task_back(play: Play) -> None:
    case = _begin(play)
    task = _fetch(play)
    case.do(c.UnlockExternalTask(task=task.id, worker="w"))
    again = _fetch(play, "v")
    assert (again.lease, again.retries) == (2, 3)
    case.do(c.UnlockExternalTask(task=task.id, actor="op"))
    before = len(case.events)
    case.do(c.UnlockExternalTask(task=task.id, actor="op"))
    assert len(case.events) == before
    assert case.external("x").status == "READY"


def test_tasks_are_fetched_by_priority_then_age(play: Play) -> None:
    play.deploy("""
        start s -> f
        par f -> a, b, d
        external a topic=pay priority=1 -> e
        external b topic=pay priority=${high} -> e
        external d topic=pay priority=1 -> e
        end e
    """)
    case = play.start(high=9)
    assert [leased.task.node for leased in play.fetch("w", "pay", maximum=2)] == ["b", "a"]
    assert [leased.task.node for leased in play.fetch("w", "pay", maximum=2)] == ["d"]
    case.do(c.SetExternalTaskPriority(task=case.external("d").id, priority=50))
    play.advance("PT1M")
    assert [leased.task.node for leased in play.fetch("w", "pay")] == ["d", "b", "a"]


def test_an_error_that_nobody_catches_fails_the_token_with_its_code(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> x, b
        external x topic=pay -> e
        user b -> e
        end e
    """)
    task = _fetch(play)
    thrown = c.ThrowExternalTaskError(
        task=task.id, worker="w", error_code="BROKE", message="no", variables={"n": 1}
    )
    case.do(thrown)
    (incident,) = case.incidents()
    assert (incident.kind, "BROKE" in incident.message, case.status) == ("UncaughtError", True, "RUNNING")
    assert case.variables() == {"n": 1}
    before = len(case.events)
    case.do(thrown)
    assert len(case.events) == before
    case.complete("b")
    assert case.status == "FAILED"
    case.retry("x")
    case.do(_complete(_fetch(play)))
    assert case.status == "COMPLETED"


def test_the_topic_may_be_computed_and_else_is_the_tasks_id(play: Play) -> None:
    case = play.begin(
        """
        start s -> a
        external a topic=${kind} -> b
        service b -> e
        end e
    """,
        kind=" card ",
    )
    assert case.external("a").topic == "card"
    case.work("a")
    assert case.external("b").topic == "b"


@pytest.mark.parametrize("option", ["topic=${number}", "topic=${missing}", "priority=${text}"])
def test_a_topic_or_priority_that_is_none_fails_the_token(play: Play, option: str) -> None:
    case = play.begin(f"start s -> x\n external x {option} -> e\n end e", number=5, text="high")
    assert (case.status, len(case.incidents())) == ("FAILED", 1)


def test_after_a_cancellation_nothing_comes_alive_again(play: Play) -> None:
    case = _begin(play)
    task = _fetch(play)
    case.do(c.CancelInstance())
    for command in (
        _complete(task),
        _fail(task),
        c.ThrowExternalTaskError(task=task.id, worker="w", error_code="E"),
    ):
        with pytest.raises(LeaseConflict):
            case.do(command)
    with pytest.raises(TaskClosed):
        case.do(c.SetExternalTaskPriority(task=task.id, priority=1))
    play.pass_time("PT1H")
    assert (play.fetch("w", "pay"), case.at(), case.external("x").status) == ([], [], "CANCELLED")


def test_an_unknown_task_is_not_found(play: Play) -> None:
    case = _begin(play)
    with pytest.raises(TaskNotFound):
        case.do(c.CompleteExternalTask(task="01900000-0000-7000-8000-000000000000", worker="w"))
