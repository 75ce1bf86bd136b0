"""Every activity with everything that may stand around its work: deployed and played (semantics §2, §4, §5)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from tests.support.bpmn_text import bpmn, flows
from tests.support.core_host import CoreHost
from tests.support.event_table import ROOTS
from tests.support.play import Case, Play

USER = '<startEvent id="is"/><userTask id="i"/>' + flows("is i")
ACTIVITIES = {
    "task": ("task", "", ""),
    "manualTask": ("manualTask", "", ""),
    "userTask": ("userTask", "", ""),
    "receiveTask": ("receiveTask", 'messageRef="m"', ""),
    "sendTask": ("sendTask", 'messageRef="m"', ""),
    "external": ("serviceTask", 'camunda:type="external" camunda:topic="t"', ""),
    "expression": ("serviceTask", 'camunda:expression="${1 + 1}"', ""),
    "handler": ("serviceTask", 'camunda:class="h"', ""),
    "businessRuleTask": ("businessRuleTask", 'camunda:expression="${1 + 1}"', ""),
    "script": ("scriptTask", 'scriptFormat="feel"', "<script>1 + 1</script>"),
    "script handler": ("scriptTask", 'scriptFormat="python"', "<script>x</script>"),
    "subProcess": ("subProcess", "", USER),
    "transaction": ("transaction", "", USER),
    "adHocSubProcess": ("adHocSubProcess", "", '<userTask id="i"/>'),
    "adHocSequential": ("adHocSubProcess", 'ordering="Sequential"', '<task id="j"/><userTask id="i"/>'),
}
BEHAVIOUR = (
    '<complexBehaviorDefinition id="cb"><condition>${nrOfCompletedInstances == 2}</condition>'
    '<event id="ev"><signalEventDefinition signalRef="sig"/></event></complexBehaviorDefinition>'
)


def multiple(attributes: str = "", inside: str = "<loopCardinality>3</loopCardinality>") -> str:
    """Return multi-instance characteristics."""
    return f"<multiInstanceLoopCharacteristics {attributes}>{inside}</multiInstanceLoopCharacteristics>"


ENOUGH = "<completionCondition>${nrOfCompletedInstances >= 2}</completionCondition>"
WHILE = (
    '<standardLoopCharacteristics testBefore="true"><loopCondition>${loopCounter &lt; 2}</loopCondition>'
    "</standardLoopCharacteristics>"
)
AROUND = {
    "alone": ("", "", 1),
    "parallel": ("", multiple(), 3),
    "sequential": ("", multiple('isSequential="true"'), 3),
    "collection": ("", multiple('camunda:collection="${items}" camunda:elementVariable="item"', ""), 2),
    "parallel until": ("", multiple("", "<loopCardinality>3</loopCardinality>" + ENOUGH), 2),
    "sequential until": (
        "",
        multiple('isSequential="true"', "<loopCardinality>3</loopCardinality>" + ENOUGH),
        2,
    ),
    "none": ("", multiple("", "<loopCardinality>0</loopCardinality>"), 0),
    "loop": ("", '<standardLoopCharacteristics loopMaximum="2"/>', 2),
    "loop while": ("", WHILE, 1),
    "before": ('camunda:asyncBefore="true"', "", 1),
    "after": ('camunda:asyncAfter="true"', "", 1),
    "behaviour one": ("", multiple('behavior="One" oneBehaviorEventRef="sd"'), 3),
    "behaviour complex": (
        "",
        multiple('behavior="Complex"', "<loopCardinality>3</loopCardinality>" + BEHAVIOUR),
        3,
    ),
}
"""Attributes, content, and how often the work is done."""
SIGNALLED = ("behaviour one", "behaviour complex")


@pytest.fixture
def play() -> Play:
    """A scenario on the core, with handlers."""
    found = Play(CoreHost())
    found.handle("service", "h", lambda work: None)
    found.handle("script", "python", lambda work: None)
    return found


def do_something(play: Play, case: Case) -> bool:
    """Do one piece of what is there to be done; return whether there was any."""
    now = play.host.clock.now
    if case.tasks():
        case.finish(case.tasks()[0])
        return True
    for work in case.state.external_tasks.values():
        if work.status == "READY":
            case.do(c.LockExternalTasks(tasks=(work.id,), worker="w", lock_ms=1_000))
            case.do(c.CompleteExternalTask(task=work.id, worker="w", variables={}))
            return True
    for row in case.state.subscriptions.values():
        if (row.kind, row.status) == ("message", "OPEN"):
            case.do(c.TriggerMessage(subscription=row.id))
            return True
    play.host.clock.now = now + timedelta(seconds=1)
    return bool(play.host.run_due())


def model(activity: str, around: str) -> bytes:
    """Return a process with such an activity between start and end."""
    tag, attributes, inside = ACTIVITIES[activity]
    more, loop, _ = AROUND[around]
    roots = ROOTS + '<signalEventDefinition id="sd" signalRef="sig"/>'
    body = f'<{tag} id="a" {attributes} {more}>{inside}{loop}</{tag}>'
    return bpmn('<startEvent id="s"/><endEvent id="e"/>', body, flows("s a", "a e"), roots=roots)


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("activity", ACTIVITIES)
def test_the_work_is_done_as_often_as_it_should_be(play: Play, activity: str, around: str) -> None:
    play.host.deploy(model(activity, around))
    counter: dict[str, Any] = {"loopCounter": 1} if around == "loop while" else {}
    case = play.start(items=["x", "y"], **counter)
    while do_something(play, case):
        pass
    assert (case.status, case.at()) == ("COMPLETED", [])
    times = AROUND[around][2]
    assert len([event for event in case.of(e.TokenArrived) if event.node == "e"]) == 1
    bodies = [event for event in case.of(e.ScopeEntered) if (event.node, event.kind) == ("a", "activity")]
    assert len(bodies) >= (times if times > 1 else 0)
    if around in SIGNALLED:
        assert len(case.of(e.SignalThrown)) == 1


@pytest.mark.parametrize("activity", ACTIVITIES)
def test_quantities_of_tokens(play: Play, activity: str) -> None:
    tag, attributes, inside = ACTIVITIES[activity]
    body = f'<{tag} id="a" startQuantity="2" completionQuantity="3" {attributes}>{inside}</{tag}>'
    play.host.deploy(
        bpmn(
            '<startEvent id="s"/><parallelGateway id="f"/><endEvent id="e"/>',
            f'{body}<task id="x"/><task id="y"/>',
            flows("s f", "f x", "f y", "x a", "y a", "a e"),
            roots=ROOTS,
        )
    )
    case = play.start()
    while do_something(play, case):
        pass
    assert (case.status, case.passed()["e"]) == ("COMPLETED", 3)


@pytest.mark.parametrize("activity", ACTIVITIES)
def test_every_activity_can_be_compensated(play: Play, activity: str) -> None:
    tag, attributes, inside = ACTIVITIES[activity]
    play.host.deploy(
        bpmn(
            f'<startEvent id="s"/><{tag} id="a" {attributes}>{inside}</{tag}>',
            '<task id="undo" isForCompensation="true"/>',
            '<boundaryEvent id="b" attachedToRef="a"><compensateEventDefinition/></boundaryEvent>',
            '<association id="as" sourceRef="b" targetRef="undo"/>',
            '<endEvent id="t"><compensateEventDefinition/></endEvent>',
            flows("s a", "a t"),
            roots=ROOTS,
        )
    )
    case = play.start()
    while do_something(play, case):
        pass
    assert (case.status, case.passed()["undo"]) == ("COMPLETED", 1)
