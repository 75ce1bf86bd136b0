"""Suspending and activating an instance (semantics §1, §2, §6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core import operations as o
from bpm.core.commands import Command
from bpm.core.errors import InstanceEnded, JobClosed, Suspended
from tests.support.bpmn_text import bpmn, flows
from tests.support.hosts import HandlerThrew, Work
from tests.support.play import Case, Play

FORKED = """
    start s -> f
    par f -> a, x, t
    user a -> j
    external x -> j
    timer t duration=PT1M -> j
    par j -> e
    end e
"""


def _suspend(case: Case) -> None:
    case.do(o.SuspendInstance())


def _activate(case: Case, **options: Any) -> None:
    case.do(o.ActivateInstance(**options))


def test_every_token_is_suspended_and_remembers_what_it_did(play: Play) -> None:
    case = play.begin(FORKED)
    _suspend(case)
    assert case.status == "SUSPENDED"
    assert set(case.tokens().values()) == {"Suspended"}
    assert case.state.instance.suspended_because == "operator"
    _activate(case)
    assert case.tokens() == {"a": "Waiting", "x": "Waiting", "t": "Waiting"}
    assert case.status == "RUNNING"
    assert not case.state.instance.suspended_because


def test_nothing_moves_while_an_instance_is_suspended(play: Play) -> None:
    case = play.begin(FORKED)
    task, external, timer = case.tasks()[0], case.external("x"), case.timer("t")
    case.do(c.LockExternalTasks(tasks=(external.id,), worker="w", lock_ms=600_000))
    _suspend(case)
    refused: list[Command] = [
        c.CompleteUserTask(task=task.id),
        c.ClaimUserTask(task=task.id, user="kim"),
        c.CompleteExternalTask(task=external.id, worker="w"),
        c.FailExternalTask(task=external.id, worker="w"),
        o.FireTimer(timer=timer.id),
    ]
    for command in refused:
        with pytest.raises(Suspended):
            case.do(command)
    play.pass_time("PT5M")
    assert set(case.tokens().values()) == {"Suspended"}
    assert case.do(c.FireTimers(timers=(timer.id,))) == {"fired": []}


def test_what_is_overdue_fires_once_on_activation(play: Play) -> None:
    case = play.begin(FORKED)
    _suspend(case)
    play.pass_time("PT5M")
    _activate(case)
    assert case.of(e.TimerFired) == []
    play.run_due()
    assert len(case.of(e.TimerFired)) == 1
    assert case.at() == ["a", "j", "x"]


def test_a_cycle_fires_once_for_all_that_was_missed(play: Play) -> None:
    boundary = (
        '<boundaryEvent id="b" attachedToRef="a" cancelActivity="false"><timerEventDefinition>'
        "<timeCycle>R/PT1M</timeCycle></timerEventDefinition></boundaryEvent>"
    )
    nodes = '<startEvent id="s"/><userTask id="a"/><endEvent id="e"/><endEvent id="be"/>'
    play.host.deploy(bpmn(nodes, boundary, flows("s a", "a e", "b be")))
    case = play.start()
    _suspend(case)
    play.pass_time("PT10M30S")
    _activate(case)
    play.run_due()
    assert len(case.of(e.TimerFired)) == 1
    play.pass_time("PT1M")
    assert len(case.of(e.TimerFired)) == 2


def test_external_tasks_of_a_suspended_instance_are_not_fetched(play: Play) -> None:
    case = play.begin(FORKED)
    _suspend(case)
    assert play.fetch("w", "x") == []
    _activate(case)
    (leased,) = play.fetch("w", "x")
    assert leased.task.node == "x"


def test_a_lease_runs_on_while_its_instance_is_suspended(play: Play) -> None:
    case = play.begin(FORKED)
    play.fetch("w", "x", lease_ms=60_000)
    _suspend(case)
    play.pass_time("PT2M")
    assert case.of(e.ExternalTaskLockExpired) == []
    _activate(case)
    (again,) = play.fetch("v", "x")
    assert again.task.lease == 2


def test_a_waiting_join_fires_after_activation(play: Play) -> None:
    case = play.begin(FORKED)
    case.complete("a")
    _suspend(case)
    assert case.status == "SUSPENDED"
    _activate(case)
    case.work("x")
    play.pass_time("PT1M")
    assert case.status == "COMPLETED"


def test_a_failed_instance_is_failed_again_after_activation(play: Play) -> None:
    case = play.begin("start s -> x\n xor x -> e [missing > 1]\n end e")
    assert case.status == "FAILED"
    _suspend(case)
    assert (case.status, case.tokens()) == ("SUSPENDED", {"x": "Suspended"})
    with pytest.raises(Suspended):
        case.do(c.RetryToken(token=case.token("x").id))
    _activate(case)
    assert (case.status, case.tokens()) == ("FAILED", {"x": "Failed"})
    case.set(missing=2)
    case.retry("x")
    assert case.status == "COMPLETED"


def test_suspending_twice_and_activating_a_running_instance_change_nothing(play: Play) -> None:
    case = play.begin(FORKED)
    _activate(case)
    _suspend(case)
    length = len(case.events)
    _suspend(case)
    assert len(case.events) == length
    _activate(case)
    _activate(case)
    assert len(case.of(e.InstanceActivated)) == 1


def test_a_frozen_instance_is_only_activated_by_an_explicit_release(play: Play) -> None:
    case = play.begin(FORKED)
    case.do(o.SuspendInstance(because=o.INVARIANT))
    with pytest.raises(Suspended, match="frozen"):
        _activate(case)
    _activate(case, by_caller=True)
    assert case.status == "SUSPENDED"
    _activate(case, release=True)
    assert case.status == "RUNNING"


def test_a_suspended_instance_can_be_cancelled_and_an_ended_one_not_suspended(play: Play) -> None:
    case = play.begin(FORKED)
    _suspend(case)
    case.do(c.CancelInstance())
    assert case.status == "CANCELLED"
    with pytest.raises(InstanceEnded):
        _suspend(case)
    with pytest.raises(InstanceEnded):
        _activate(case)


# jobs


def _returns(work: Work) -> dict[str, object]:
    return {"result": work.attempt}


def _raises(work: Work) -> None:
    raise ValueError("broken")


def _throws(work: Work) -> None:
    raise HandlerThrew("BAD", "no good")


def _suspended_at_work(play: Play, handler: Callable[[Work], object]) -> Case:
    """Return an instance that was suspended, and its handler reported, while the handler was at work."""
    case: Case

    def handle(work: Work) -> object:
        _suspend(case)
        return handler(work)

    play.handle("service", "pay", handle)  # type: ignore[arg-type]
    case = play.begin("start s -> a\n service a handler=pay -> b\n user b -> e\n end e")
    play.host.run_job(case.id, case.job("a").id)
    return case


def test_a_result_that_comes_while_suspended_is_kept_until_activation(play: Play) -> None:
    case = _suspended_at_work(play, _returns)
    assert case.tokens() == {"a": "Executing"}
    assert case.variables() == {}
    play.pass_time("PT1H")
    with pytest.raises(JobClosed):
        case.do(c.CompleteJob(job=case.job("a").id, attempt=1))
    _activate(case)
    assert (case.tokens(), case.variables()) == ({"b": "Waiting"}, {"result": 1})
    assert case.job("a").kept is None


def test_a_failure_that_comes_while_suspended_takes_one_retry_off_on_activation(play: Play) -> None:
    case = _suspended_at_work(play, _raises)
    assert case.job("a").retries == 3
    _activate(case)
    job = case.job("a")
    assert (job.status, job.retries, job.error) == ("READY", 2, "broken")


def test_an_error_that_comes_while_suspended_is_thrown_on_activation(play: Play) -> None:
    case = _suspended_at_work(play, _throws)
    assert case.status == "SUSPENDED"
    _activate(case)
    assert case.status == "FAILED"
    assert [row.kind for row in case.incidents()] == ["UncaughtError"]


def test_a_handler_that_is_still_at_work_on_activation_reports_as_ever(play: Play) -> None:
    play.handle("service", "pay", _returns)
    case = play.begin("start s -> a\n service a handler=pay -> b\n user b -> e\n end e")
    case.do(c.StartJob(job=case.job("a").id))
    _suspend(case)
    assert case.tokens() == {"a": "Executing"}
    assert case.do(c.ExpireJobs(jobs=(case.job("a").id,))) == {"expired": []}
    _activate(case)
    case.do(c.CompleteJob(job=case.job("a").id, attempt=1, variables={"late": True}))
    assert (case.at(), case.variables()) == (["b"], {"late": True})


def test_an_asynchronous_continuation_waits_for_activation(play: Play) -> None:
    case = play.begin("start s -> a\n user a before -> e\n end e")
    _suspend(case)
    play.pass_time("PT1H")
    assert case.tokens() == {"a": "Suspended"}
    with pytest.raises(Suspended):
        case.do(c.StartJob(job=case.job("a").id))
    _activate(case)
    play.run_due()
    assert [task.node for task in case.tasks()] == ["a"]


# variables


CONDITIONAL = bpmn(
    '<startEvent id="s"/><userTask id="a"/><endEvent id="e"/><endEvent id="be"/>',
    '<boundaryEvent id="b" attachedToRef="a"><conditionalEventDefinition>'
    "<condition>${x &gt; 1}</condition></conditionalEventDefinition></boundaryEvent>",
    flows("s a", "a e", "b be"),
)


def test_variables_are_set_in_a_suspended_instance_unless_that_would_trigger_a_condition(play: Play) -> None:
    play.host.deploy(CONDITIONAL)
    case = play.start(x=0)
    _suspend(case)
    case.set(x=1, y=5)
    with pytest.raises(Suspended):
        case.set(x=2)
    assert case.variables() == {"x": 1, "y": 5}
    _activate(case)
    assert case.at() == ["a", "a"]
    case.set(x=3)
    assert case.status == "COMPLETED"
