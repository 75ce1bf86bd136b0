"""What operators do with jobs, timers and variables (semantics §12)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core import operations as o
from bpm.core.errors import Invalid, JobClosed, JobNotFound, TimerClosed, TimerNotFound
from tests.support.bpmn_text import bpmn, flows
from tests.support.hosts import Work
from tests.support.play import Case, Play

TIMER = "start s -> t\n timer t duration=PT1H -> e\n end e"
ASYNC = "start s -> a\n user a before -> e\n end e"


def _broken(work: Work) -> None:
    raise ValueError("broken")


def _with_failing_job(play: Play) -> Case:
    play.handle("service", "pay", _broken)
    return play.begin("start s -> a\n service a handler=pay attempts=2 -> e\n end e")


# timers


def test_a_timer_becomes_due_at_the_new_time(play: Play) -> None:
    case = play.begin(TIMER)
    timer = case.timer("t")
    case.do(o.ChangeTimer(timer=timer.id, due_at=play.host.clock.now + timedelta(minutes=1)))
    assert case.timer("t").id == timer.id
    play.pass_time("PT59S")
    assert case.status == "RUNNING"
    play.pass_time("PT2S")
    assert case.status == "COMPLETED"


def test_a_timer_can_be_moved_to_where_its_cycle_has_been(play: Play) -> None:
    boundary = (
        '<boundaryEvent id="b" attachedToRef="a" cancelActivity="false"><timerEventDefinition>'
        "<timeCycle>R/PT1M</timeCycle></timerEventDefinition></boundaryEvent>"
    )
    nodes = '<startEvent id="s"/><userTask id="a"/><endEvent id="e"/><endEvent id="be"/>'
    play.host.deploy(bpmn(nodes, boundary, flows("s a", "a e", "b be")))
    case = play.start()
    first = case.timer("b").due_at
    play.pass_time("PT1M1S")
    case.do(o.ChangeTimer(timer=case.timer("b").id, due_at=first))
    play.run_due()
    assert len(case.of(e.TimerFired)) == 2
    assert case.timer("b").due_at == first + timedelta(minutes=1)


def test_a_timer_fires_at_once_when_asked(play: Play) -> None:
    case = play.begin(TIMER)
    timer = case.timer("t").id
    case.do(o.FireTimer(timer=timer))
    assert case.status == "COMPLETED"
    with pytest.raises(TimerClosed):
        case.do(o.FireTimer(timer=timer))
    with pytest.raises(TimerNotFound):
        case.do(o.ChangeTimer(timer=case.id, due_at=play.host.clock.now))


def test_a_token_whose_only_timer_is_deleted_fails_and_is_retried(play: Play) -> None:
    case = play.begin(TIMER)
    case.do(o.DeleteTimer(timer=case.timer("t").id))
    assert (case.status, [row.kind for row in case.incidents()]) == ("FAILED", ["TimerDeleted"])
    case.retry("t")
    assert case.timer("t").status == "SCHEDULED"


def test_a_boundary_timer_is_deleted_without_harm(play: Play) -> None:
    boundary = (
        '<boundaryEvent id="b" attachedToRef="a"><timerEventDefinition>'
        "<timeDuration>PT1M</timeDuration></timerEventDefinition></boundaryEvent>"
    )
    nodes = '<startEvent id="s"/><userTask id="a"/><endEvent id="e"/><endEvent id="be"/>'
    play.host.deploy(bpmn(nodes, boundary, flows("s a", "a e", "b be")))
    case = play.start()
    case.do(o.DeleteTimer(timer=case.timer("b").id))
    play.pass_time("PT1H")
    case.complete("a")
    assert case.status == "COMPLETED"


# jobs


def test_a_failed_job_with_new_retries_is_tried_again(play: Play) -> None:
    case = _with_failing_job(play)
    play.run_due()
    assert (case.status, case.job("a").status) == ("FAILED", "FAILED")
    play.handle("service", "pay", lambda work: {"done": True})
    case.do(o.SetJobRetries(job=case.job("a").id, retries=1))
    assert (case.status, case.incidents()) == ("RUNNING", [])
    play.run_due()
    assert case.status == "COMPLETED"


def test_a_waiting_job_gets_another_number_of_retries(play: Play) -> None:
    case = _with_failing_job(play)
    case.do(o.SetJobRetries(job=case.job("a").id, retries=1))
    play.run_due()
    assert len(case.of(e.JobStarted)) == 1
    with pytest.raises(Invalid):
        case.do(o.SetJobRetries(job=case.job("a").id, retries=0))


def test_a_job_becomes_due_at_another_time_or_now(play: Play) -> None:
    case = play.begin(ASYNC)
    job = case.job("a").id
    case.do(o.ChangeJob(job=job, available_at=play.host.clock.now + timedelta(hours=1)))
    play.run_due()
    assert case.tasks() == []
    case.do(o.ChangeJob(job=job, available_at=play.host.clock.now))
    play.run_due()
    assert [task.node for task in case.tasks()] == ["a"]
    with pytest.raises(JobClosed):
        case.do(o.ChangeJob(job=job, available_at=play.host.clock.now))


def test_a_job_is_done_now_whatever_its_due_time(play: Play) -> None:
    case = play.begin(ASYNC)
    job = case.job("a").id
    case.do(o.ChangeJob(job=job, available_at=play.host.clock.now + timedelta(hours=1)))
    assert case.do(o.RunJob(job=job)) == {"done": True}
    assert [task.node for task in case.tasks()] == ["a"]


def test_a_job_that_backs_off_becomes_due_at_once(play: Play) -> None:
    play.handle("service", "pay", _broken)
    case = play.begin("start s -> a\n service a handler=pay attempts=2 delays=PT1H -> e\n end e")
    play.run_due()
    assert case.tokens() == {"a": "Waiting"}
    play.handle("service", "pay", lambda work: {})
    assert case.do(o.RunJob(job=case.job("a").id)) == {"done": False}
    play.run_due()
    assert case.status == "COMPLETED"


def test_the_token_of_a_deleted_job_fails_and_is_retried(play: Play) -> None:
    case = play.begin(ASYNC)
    case.do(o.DeleteJob(job=case.job("a").id))
    assert (case.status, [row.kind for row in case.incidents()]) == ("FAILED", ["JobDeleted"])
    case.retry("a")
    assert [task.node for task in case.tasks()] == ["a"]


def test_a_running_job_is_not_deleted(play: Play) -> None:
    play.handle("service", "pay", lambda work: {})
    case = play.begin("start s -> a\n service a handler=pay -> e\n end e")
    case.do(c.StartJob(job=case.job("a").id))
    with pytest.raises(JobClosed):
        case.do(o.DeleteJob(job=case.job("a").id))
    with pytest.raises(JobNotFound):
        case.do(o.DeleteJob(job=case.id))


def test_a_failed_job_that_is_deleted_is_made_anew_by_the_retry(play: Play) -> None:
    case = _with_failing_job(play)
    play.run_due()
    old = case.job("a").id
    case.do(o.DeleteJob(job=old))
    assert case.status == "FAILED"
    case.retry("a")
    assert (case.job("a").id != old, case.job("a").status) == (True, "READY")


# variables


def test_variables_of_a_scope_are_removed(play: Play) -> None:
    case = play.begin("start s -> a\n user a -> e\n end e", x=1, y=2)
    assert case.do(o.RemoveVariables(scope=case.id, names=("x", "z", "x"))) == {"removed": ["x"]}
    assert case.variables() == {"y": 2}
    with pytest.raises(Invalid):
        case.do(o.RemoveVariables(scope=case.tasks()[0].id, names=("x",)))
