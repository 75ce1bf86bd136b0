"""Cycles at boundary events (semantics §6)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bpm.core import events as e
from tests.support.bpmn_text import bpmn, flows
from tests.support.play import Case, Play


def _begin(play: Play, cycle: str) -> Case:
    boundary = (
        '<boundaryEvent id="b" attachedToRef="a" cancelActivity="false"><timerEventDefinition>'
        f"<timeCycle>{cycle}</timeCycle></timerEventDefinition></boundaryEvent>"
    )
    nodes = '<startEvent id="s"/><userTask id="a"/><endEvent id="e"/><endEvent id="be"/>'
    play.host.deploy(bpmn(nodes, boundary, flows("s a", "a e", "b be")))
    return play.start()


@pytest.mark.parametrize(("cycle", "seconds"), [("R3/PT10S", (10, 20, 30)), ("R/PT5S", (5, 10, 15, 20, 25))])
def test_a_cycle_fires_after_each_interval_and_never_at_once(
    play: Play, cycle: str, seconds: tuple[int, ...]
) -> None:
    began = play.host.clock.now
    case = _begin(play, cycle)
    play.pass_time("PT26S" if cycle.startswith("R/") else "PT1M")
    due = [event.due_at - case.of(e.TimerScheduled)[0].anchor for event in case.of(e.TimerScheduled)]
    assert due[: len(seconds)] == [timedelta(seconds=number) for number in seconds]
    assert len(case.of(e.TimerFired)) == len(seconds)
    assert play.host.clock.now > began


def test_a_cycle_stops_with_the_task_at_which_it_stands(play: Play) -> None:
    case = _begin(play, "R/PT5S")
    play.pass_time("PT11S")
    case.complete("a")
    assert case.status == "COMPLETED"
    play.pass_time("PT1M")
    assert len(case.of(e.TimerFired)) == 2
    assert not [row for row in case.state.timers.values() if row.status == "SCHEDULED"]
