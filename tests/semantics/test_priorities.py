"""Priorities of jobs and timers: declared, computed, set by operators, and what they decide (semantics §5, §12)."""

from __future__ import annotations

from typing import Any

import pytest

from bpm.core import events as e
from bpm.core import operations as o
from bpm.core.errors import Invalid
from bpm.core.priorities import HIGHEST_PRIORITY
from tests.support.bpmn_text import bpmn, flows
from tests.support.play import Case, Play

TASKS = '<startEvent id="s"/><manualTask id="a" camunda:asyncBefore="true" {}/><endEvent id="e"/>'


def _begin(play: Play, priority: str, **variables: Any) -> Case:
    text = f'camunda:jobPriority="{priority}"' if priority else ""
    play.host.deploy(bpmn(TASKS.format(text), flows("s a", "a e")))
    return play.start(**variables)


@pytest.mark.parametrize(("text", "found"), [("", 0), ("7", 7), ("-7", -7), ("${p * 2}", 42)])
def test_a_job_has_the_priority_that_its_activity_declares(play: Play, text: str, found: int) -> None:
    case = _begin(play, text, p=21)
    assert case.job("a").priority == found
    assert case.of(e.JobCreated)[0].priority == found


def test_what_an_activity_does_not_say_its_process_does(play: Play) -> None:
    nodes = (
        '<startEvent id="s"/><manualTask id="a" camunda:asyncBefore="true" camunda:asyncAfter="true"/>'
        '<manualTask id="b" camunda:asyncBefore="true" camunda:jobPriority="5"/><endEvent id="e"/>'
    )
    source = bpmn(nodes, flows("s a", "a b", "b e"))
    play.host.deploy(source.replace(b'<process id="p"', b'<process id="p" camunda:jobPriority="10"'))
    case = play.start()
    play.run_due()
    assert [(event.node, event.priority) for event in case.of(e.JobCreated)] == [
        ("a", 10),
        ("a", 10),
        ("b", 5),
    ]


@pytest.mark.parametrize("value", ["high", None, 1.5, HIGHEST_PRIORITY + 1])
def test_a_computed_priority_that_is_none_fails_the_token_and_is_retried(play: Play, value: object) -> None:
    case = _begin(play, "${p}", p=value)
    assert case.tokens() == {"a": "Failed"}
    assert [row.kind for row in case.incidents()] == ["ExpressionFailed"]
    case.set(p=3)
    case.retry("a")
    play.run_due()
    assert case.status == "COMPLETED"


def _timers(play: Play, first: str, second: str) -> Case:
    catch = (
        '<intermediateCatchEvent id="{}" {}><timerEventDefinition><timeDuration>{}</timeDuration>'
        "</timerEventDefinition></intermediateCatchEvent>"
    )
    nodes = (
        '<startEvent id="s"/><parallelGateway id="f"/>'
        + catch.format("early", first, "PT1S")
        + catch.format("late", second, "PT2S")
        + '<endEvent id="e"/>'
    )
    play.host.deploy(bpmn(nodes, flows("s f", "f early", "f late", "early e", "late e")))
    return play.start()


@pytest.mark.parametrize(
    ("first", "second", "order"),
    [
        ("", "", ["early", "late"]),
        ("", 'camunda:jobPriority="1"', ["late", "early"]),
        ('camunda:jobPriority="-1"', "", ["late", "early"]),
        ('camunda:jobPriority="3"', 'camunda:jobPriority="3"', ["early", "late"]),
    ],
)
def test_of_timers_that_are_due_the_highest_priority_fires_first(
    play: Play, first: str, second: str, order: list[str]
) -> None:
    case = _timers(play, first, second)
    play.advance("PT1M")
    play.run_due()
    assert [event.node for event in case.of(e.TimerFired)] == order


def test_of_jobs_that_are_due_the_highest_priority_is_done_first(play: Play) -> None:
    nodes = '<startEvent id="s"/><parallelGateway id="f"/><endEvent id="e"/>' + "".join(
        f'<manualTask id="{name}" camunda:asyncBefore="true" camunda:jobPriority="{priority}"/>'
        for name, priority in (("a", 1), ("b", 30), ("c", 0), ("x", -2))
    )
    play.host.deploy(
        bpmn(nodes, flows("s f", *(f"f {name}" for name in "abcx"), *(f"{n} e" for n in "abcx")))
    )
    case = play.start()
    play.run_due()
    assert [event.node for event in case.of(e.JobCompleted)] == ["b", "a", "c", "x"]


def test_a_cycle_keeps_its_priority_also_the_one_that_an_operator_has_set(play: Play) -> None:
    boundary = (
        '<boundaryEvent id="b" attachedToRef="a" cancelActivity="false" camunda:jobPriority="4">'
        "<timerEventDefinition><timeCycle>R/PT1M</timeCycle></timerEventDefinition></boundaryEvent>"
    )
    nodes = '<startEvent id="s"/><userTask id="a"/><endEvent id="e"/><endEvent id="be"/>'
    play.host.deploy(bpmn(nodes, boundary, flows("s a", "a e", "b be")))
    case = play.start()
    play.pass_time("PT61S")
    assert case.timer("b").priority == 4
    case.do(o.ChangeTimer(timer=case.timer("b").id, priority=9))
    play.pass_time("PT1M")
    assert case.timer("b").priority == 9
    assert [event.priority for event in case.of(e.TimerPrioritySet)] == [9]


def test_an_operator_changes_the_priority_of_a_job_alone_or_with_its_due_time(play: Play) -> None:
    case = _begin(play, "1")
    job, due = case.job("a"), case.job("a").available_at
    case.do(o.ChangeJob(job=job.id, priority=8))
    assert (case.job("a").priority, case.job("a").available_at) == (8, due)
    for nothing in (o.ChangeJob(job=job.id), o.ChangeJob(job=job.id, priority=2**63)):
        with pytest.raises(Invalid):
            case.do(nothing)
    assert [event.priority for event in case.of(e.JobPrioritySet)] == [8]
