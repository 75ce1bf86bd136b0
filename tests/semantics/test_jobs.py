"""Asynchronous continuations and in-process handlers: the engine's own due work (semantics §4, §5)."""

from __future__ import annotations

from typing import Any

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core.errors import JobClosed, JobNotFound
from tests.support.hosts import HandlerThrew, HandlerVanished, Work
from tests.support.play import Case, Play


def _handled(play: Play, options: str = "", **variables: Any) -> Case:
    return play.begin(
        f"start s -> t\n service t handler=pay {options} -> a\n user a -> e\n end e", **variables
    )


@pytest.mark.parametrize(
    "node", ["task", "user", "external", "xor", "or", "par", "throw", "end", "terminate"]
)
def test_async_before_waits_in_front_of_the_node(play: Play, node: str) -> None:
    target = "" if node in ("end", "terminate") else "-> a"
    case = play.begin(f"start s -> t\n {node} t before {target}\n user a")
    (job,) = case.state.jobs.values()
    assert (case.tokens(), job.kind, job.retries) == ({"t": "Ready"}, "before", 3)
    play.run_due()
    assert case.state.jobs[job.id].status == "COMPLETED"
    expected = {"user": ["t"], "external": ["t"], "end": [], "terminate": []}.get(node, ["a"])
    assert case.at() == expected


@pytest.mark.parametrize("node", ["task", "user", "external", "xor", "or", "par", "throw"])
def test_async_after_waits_behind_the_nodes_work_before_its_conditions(play: Play, node: str) -> None:
    condition = "" if node == "par" else "[ok]"
    case = play.begin(f"start s -> t\n {node} t after -> a {condition}\n user a", ok=False)
    if node == "user":
        case.complete("t")
    elif node == "external":
        case.work("t")
    (job,) = case.state.jobs.values()
    assert (case.tokens(), job.kind, case.token("t").phase) == ({"t": "Ready"}, "after", "after")
    case.set(ok=True)
    play.run_due()
    assert case.at() == ["a"]


def test_a_script_is_not_run_twice_by_the_continuation_behind_it(play: Play) -> None:
    case = play.begin(
        """
        start s -> t
        script t before after script="${n + 1}" result=n -> a
        user a
    """,
        n=0,
    )
    assert case.variables() == {"n": 0}
    case.host.run_job(case.id, case.job("t").id)
    assert (case.variables(), case.tokens()) == ({"n": 1}, {"t": "Ready"})
    play.run_due()
    assert (case.variables(), case.at()) == ({"n": 1}, ["a"])


def test_at_a_join_the_jobs_stand_before_arrival_and_after_firing(play: Play) -> None:
    case = play.begin("""
        start s -> f
        par f -> a, b
        task a -> j
        task b -> j
        par j before after -> c
        user c -> e
        end e
    """)
    assert [job.kind for job in case.state.jobs.values()] == ["before", "before"]
    assert case.joins() == []
    first, second = [job.id for job in case.state.jobs.values()]
    case.host.run_job(case.id, second)
    assert [join.arrived for join in case.joins("j")] == [1]
    case.host.run_job(case.id, first)
    assert (case.joins(), case.job("j").kind) == ([], "after")
    play.run_due()
    assert case.at() == ["c"]


def test_a_failure_behind_a_continuation_is_retried_where_it_happened(play: Play) -> None:
    case = play.begin("""
        start s -> t
        script t before script="${missing}" result=n -> a
        user a
    """)
    play.run_due()
    assert case.tokens() == {"t": "Failed"}
    case.set(missing=1)
    case.retry("t")
    assert (case.at(), len(case.of(e.JobCreated))) == (["a"], 1)


def test_a_handler_runs_outside_the_command_and_its_variables_are_set(play: Play) -> None:
    seen: list[Work] = []

    def pay(work: Work) -> dict[str, Any]:
        seen.append(work)
        return {"paid": True}

    play.handle("service", "pay", pay)
    case = _handled(play, amount=5)
    assert (case.tokens(), case.job("t").handler) == ({"t": "Ready"}, "service:pay")
    play.run_due()
    assert (case.at(), case.variables()) == (["a"], {"amount": 5, "paid": True})
    assert [(work.node.id, work.attempt, work.variables) for work in seen] == [("t", 1, {"amount": 5})]
    assert [
        type(event).__name__ for event in case.events if type(event).__name__.startswith(("Job", "NodeEx"))
    ] == [
        "JobCreated",
        "NodeExecutionStarted",
        "JobStarted",
        "JobCompleted",
    ]


def test_which_way_a_service_task_goes_is_decided_when_the_token_arrives(play: Play) -> None:
    case = _handled(play)
    assert case.external("t").topic == "pay"
    play.handle("service", "pay", lambda work: None)
    other = play.start()
    assert other.job("t").handler == "service:pay"
    case.work("t")
    play.run_due()
    assert (case.at(), other.at()) == (["a"], ["a"])


def test_what_declares_itself_external_is_never_given_to_a_handler(play: Play) -> None:
    play.handle("service", "pay", lambda work: None)
    case = play.begin("start s -> x\n external x topic=pay -> e\n end e")
    assert (case.external("x").status, case.state.jobs) == ("READY", {})


def test_a_handler_that_fails_is_tried_again_with_back_off(play: Play) -> None:
    attempts: list[int] = []

    def pay(work: Work) -> None:
        attempts.append(work.attempt)
        raise RuntimeError(f"attempt {work.attempt}")

    play.handle("service", "pay", pay)
    case = _handled(play, "delays=PT10S,PT1M")
    play.run_due()
    job = case.job("t")
    assert (case.tokens(), job.status, job.retries, job.error) == ({"t": "Waiting"}, "READY", 2, "attempt 1")
    with pytest.raises(JobClosed):
        case.do(c.StartJob(job=job.id))
    play.pass_time("PT9S")
    assert attempts == [1]
    play.pass_time("PT1S")
    assert attempts == [1, 2]
    play.pass_time("PT59S")
    assert attempts == [1, 2]
    play.pass_time("PT1S")
    assert attempts == [1, 2, 3]
    assert (case.status, case.tokens(), case.job("t").status) == ("FAILED", {"t": "Failed"}, "FAILED")
    assert [(row.kind, row.message) for row in case.incidents()] == [("JobFailed", "attempt 3")]


def test_a_failed_job_is_retried_with_new_attempts(play: Play) -> None:
    works = {"now": False}

    def pay(work: Work) -> None:
        if not works["now"]:
            raise RuntimeError("down")

    play.handle("service", "pay", pay)
    case = _handled(play, "attempts=2")
    play.run_due()
    assert case.status == "FAILED"
    works["now"] = True
    case.retry("t")
    assert (case.status, case.job("t").retries, case.incidents()) == ("RUNNING", 2, [])
    play.run_due()
    assert case.at() == ["a"]


def test_a_handler_that_throws_an_error_nobody_catches_fails_at_once(play: Play) -> None:
    def pay(work: Work) -> None:
        raise HandlerThrew("BROKE", "no money", {"n": 1})

    play.handle("service", "pay", pay)
    case = _handled(play)
    play.run_due()
    (incident,) = case.incidents()
    assert (incident.kind, "BROKE" in incident.message, case.variables()) == ("UncaughtError", True, {"n": 1})
    assert len(case.of(e.JobStarted)) == 1
    play.handle("service", "pay", lambda work: None)
    case.retry("t")
    play.run_due()
    assert case.at() == ["a"]


def test_three_crashes_without_a_result_fail_the_token(play: Play) -> None:
    def pay(work: Work) -> None:
        raise HandlerVanished

    play.handle("service", "pay", pay)
    case = _handled(play, "attempts=9")
    job = case.job("t").id
    for number in (1, 2, 3):
        assert case.status == "RUNNING"
        case.host.run_job(case.id, job)
        assert case.tokens() == {"t": "Executing"}
        assert case.do(c.ExpireJobs(jobs=(job,))) == {"expired": [job]}
        assert case.state.jobs[job].attempts == number
    assert (case.tokens(), case.status) == ({"t": "Failed"}, "FAILED")
    assert [row.kind for row in case.incidents()] == ["HandlerCrashed"]
    assert len(case.of(e.TokenRecovered)) == 3


def test_a_late_result_of_an_attempt_that_was_given_up_is_refused(play: Play) -> None:
    play.handle("service", "pay", lambda work: None)
    case = _handled(play)
    job = case.job("t").id
    first = case.do(c.StartJob(job=job))["attempt"]
    case.do(c.ExpireJobs(jobs=(job,)))
    late = c.CompleteJob(job=job, attempt=first)
    with pytest.raises(JobClosed):
        case.do(late)
    second = case.do(c.StartJob(job=job))["attempt"]
    for command in (
        late,
        c.FailJob(job=job, attempt=first, error="late"),
        c.ThrowJobError(job=job, attempt=first, error_code="E"),
    ):
        with pytest.raises(JobClosed):
            case.do(command)
    case.do(c.CompleteJob(job=job, attempt=second))
    assert case.at() == ["a"]


def test_attempts_are_never_counted_twice_with_the_same_number(play: Play) -> None:
    """A result of an attempt before a retry must not pass for one of an attempt after it."""
    play.handle("service", "pay", lambda work: None)
    case = _handled(play)
    job = case.job("t").id
    first = case.do(c.StartJob(job=job))["attempt"]
    case.do(c.FailJob(job=job, attempt=first, error="down", retries=0))
    case.retry("t")
    again = case.do(c.StartJob(job=job))["attempt"]
    assert again > first
    with pytest.raises(JobClosed):
        case.do(c.CompleteJob(job=job, attempt=first))


def test_a_result_for_what_was_cancelled_meanwhile_is_refused(play: Play) -> None:
    play.handle("service", "pay", lambda work: None)
    case = play.begin("""
        start s -> f
        par f -> t, b
        service t handler=pay -> e
        user b -> z
        terminate z
        end e
    """)
    job = case.job("t").id
    attempt = case.do(c.StartJob(job=job))["attempt"]
    case.complete("b")
    assert (case.status, case.state.jobs[job].status) == ("COMPLETED", "CANCELLED")
    with pytest.raises(JobClosed):
        case.do(c.CompleteJob(job=job, attempt=attempt))
    assert case.do(c.ExpireJobs(jobs=(job,))) == {"expired": []}


def test_an_unknown_job_is_not_found(play: Play) -> None:
    case = play.begin("start s -> a\n user a")
    with pytest.raises(JobNotFound):
        case.do(c.StartJob(job="01900000-0000-7000-8000-000000000000"))


def test_a_handlers_way_out_that_cannot_be_found_does_not_run_it_again(play: Play) -> None:
    calls: list[int] = []
    play.handle("service", "pay", lambda work: calls.append(work.attempt))
    case = play.begin("start s -> t\n service t handler=pay -> a [ok]\n user a", ok=False)
    play.run_due()
    assert (case.tokens(), [row.kind for row in case.incidents()]) == ({"t": "Failed"}, ["NoFlow"])
    case.set(ok=True)
    case.retry("t")
    play.run_due()
    assert (case.at(), calls) == (["a"], [1])


def test_a_handler_in_front_of_a_continuation(play: Play) -> None:
    play.handle("service", "pay", lambda work: {"n": work.attempt})
    case = _handled(play, "before after")
    for kind in ("before", "handler", "after"):
        assert case.job("t").kind == kind
        case.host.run_job(case.id, case.job("t").id)
    assert (case.at(), case.variables()) == (["a"], {"n": 1})


def test_a_handler_of_a_node_without_outgoing_flow_ends_the_token(play: Play) -> None:
    play.handle("service", "pay", lambda work: None)
    case = play.begin("start s -> t\n service t handler=pay")
    play.run_due()
    assert case.status == "COMPLETED"
