"""Mappings at events: seen there only, and what leaves the event (semantics §9)."""

from __future__ import annotations

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from tests.support.bpmn_text import bpmn, flows, subprocess
from tests.support.play import Case, Play

ROOTS = '<signal id="sig" name="sig"/><message id="msg" name="m-${kind}"/><message id="plain" name="plain"/>'
ENDS = '<startEvent id="s"/><endEvent id="e"/>'


def camunda(inputs: dict[str, str] | None = None, outputs: dict[str, str] | None = None) -> str:
    """Return Camunda's mappings."""
    found = "".join(
        f'<camunda:{tag} name="{name}">{value}</camunda:{tag}>'
        for tag, values in (("inputParameter", inputs or {}), ("outputParameter", outputs or {}))
        for name, value in values.items()
    )
    return f"<extensionElements><camunda:inputOutput>{found}</camunda:inputOutput></extensionElements>"


def zeebe(**outputs: str) -> str:
    """Return Zeebe's outputs."""
    found = "".join(f'<zeebe:output source="{value}" target="{name}"/>' for name, value in outputs.items())
    return f"<extensionElements><zeebe:ioMapping>{found}</zeebe:ioMapping></extensionElements>"


def catch(name: str, mapped: str, definition: str) -> str:
    """Return an intermediate catch event."""
    return f'<intermediateCatchEvent id="{name}">{mapped}{definition}</intermediateCatchEvent>'


TIMER = "<timerEventDefinition><timeDuration>${wait}</timeDuration></timerEventDefinition>"
MESSAGE = '<messageEventDefinition messageRef="msg"/>'
PLAIN = '<messageEventDefinition messageRef="plain"/>'


def send(case: Case, **variables: object) -> None:
    """Give the one open message subscription what it waits for."""
    (row,) = [
        row for row in case.state.subscriptions.values() if (row.kind, row.status) == ("message", "OPEN")
    ]
    case.do(c.TriggerMessage(subscription=row.id, variables=variables))


def test_inputs_are_seen_by_what_is_waited_for_and_outputs_leave(play: Play) -> None:
    mapped = camunda({"wait": "PT${minutes}M"}, {"left": "${wait}", "doubled": "${minutes * 2}"})
    play.host.deploy(bpmn(ENDS, catch("w", mapped, TIMER), flows("s w", "w e")))
    case = play.start(minutes=5)
    assert case.variables() == {"minutes": 5}
    assert (case.timer("w").due_at - play.host.clock.now).total_seconds() == 300
    play.pass_time("PT6M")
    assert (case.status, case.variables()) == ("COMPLETED", {"minutes": 5, "left": "PT5M", "doubled": 10})


def test_a_name_may_come_from_an_input_and_what_comes_goes_on_as_without(play: Play) -> None:
    mapped = camunda({"kind": "a"}, {"sum": "${x + 1}"})
    play.host.deploy(bpmn(ENDS, catch("w", mapped, MESSAGE), flows("s w", "w e"), roots=ROOTS))
    case = play.start()
    assert [row.name for row in case.state.subscriptions.values()] == ["m-a"]
    send(case, x=1)
    assert (case.status, case.variables()) == ("COMPLETED", {"x": 1, "sum": 2})


def test_with_zeebe_only_what_is_mapped_leaves(play: Play) -> None:
    play.host.deploy(bpmn(ENDS, catch("w", zeebe(sum="=x + 1"), PLAIN), flows("s w", "w e"), roots=ROOTS))
    case = play.start()
    send(case, x=1)
    assert (case.status, case.variables()) == ("COMPLETED", {"sum": 2})


@pytest.mark.parametrize("mapped", [camunda(None, {"sum": "${x + 1}"}), zeebe(sum="=x + 1")])
def test_outputs_are_mapped_behind_an_event_based_gateway(play: Play, mapped: str) -> None:
    listener = '<camunda:executionListener event="start" expression="${execution.setVariable(\'told\', 1)}"/>'
    mapped = mapped.replace("</extensionElements>", listener + "</extensionElements>")
    gateway = '<eventBasedGateway id="g"/>' + flows("s g", "g w", "w e")
    play.host.deploy(bpmn(ENDS, gateway, catch("w", mapped, PLAIN), roots=ROOTS))
    case = play.start()
    send(case, x=1)
    assert case.status == "COMPLETED"
    assert (case.variables()["sum"], case.variables()["told"]) == (2, 1)
    assert ("x" in case.variables()) == ("camunda:output" in mapped)


def test_a_receive_task_behind_a_gateway_maps_too(play: Play) -> None:
    task = f'<receiveTask id="w" messageRef="plain">{zeebe(sum="=x + 1")}</receiveTask>'
    gateway = '<eventBasedGateway id="g"/>' + flows("s g", "g w", "w e")
    play.host.deploy(bpmn(ENDS, gateway, task, roots=ROOTS))
    case = play.start()
    send(case, x=1)
    assert (case.status, case.variables()) == ("COMPLETED", {"sum": 2})


def test_a_boundary_event_maps_what_came(play: Play) -> None:
    attributes = 'attachedToRef="a" cancelActivity="false"'
    event = f'<boundaryEvent id="b" {attributes}>{zeebe(sum="=x + 1")}{PLAIN}</boundaryEvent>'
    play.host.deploy(bpmn(ENDS, '<userTask id="a"/>', event, flows("s a", "a e", "b e"), roots=ROOTS))
    case = play.start()
    send(case, x=1)
    send(case, x=2)
    assert (case.at(), case.variables()) == (["a", "a"], {"sum": 3})
    case.complete("a")
    assert case.status == "COMPLETED"


def test_the_start_of_an_event_subprocess_maps_what_came(play: Play) -> None:
    start = f'<startEvent id="hs">{zeebe(sum="=x + 1")}{PLAIN}</startEvent><userTask id="h"/>'
    handler = subprocess("q", start, flows("hs h"), attributes='triggeredByEvent="true"')
    play.host.deploy(bpmn(ENDS, '<userTask id="a"/>', handler, flows("s a", "a e"), roots=ROOTS))
    case = play.start()
    send(case, x=1)
    assert (case.at(), case.variables()) == (["h"], {"sum": 2})


def test_an_output_that_cannot_be_mapped_is_an_incident_and_nothing_is_lost(play: Play) -> None:
    mapped = zeebe(sum="${x + y}")
    play.host.deploy(bpmn(ENDS, catch("w", mapped, PLAIN), flows("s w", "w e"), roots=ROOTS))
    case = play.start()
    send(case, x=1)
    assert (case.status, case.variables()) == ("FAILED", {"x": 1})
    case.do(c.SetVariables(scope=case.id, variables={"y": 2}))
    case.do(c.RetryToken(token=case.token("w").id))
    assert (case.status, case.variables()["sum"]) == ("COMPLETED", 3)


def test_inputs_of_a_throw_event_are_seen_by_what_it_throws(play: Play) -> None:
    mapped = camunda({"kind": "b"}, {"sent": "${kind}"})
    event = f'<intermediateThrowEvent id="t">{mapped}<signalEventDefinition signalRef="s2"/></intermediateThrowEvent>'
    roots = ROOTS + '<signal id="s2" name="s-${kind}"/>'
    play.host.deploy(bpmn(ENDS, event, flows("s t", "t e"), roots=roots))
    case = play.start()
    assert [event.name for event in case.of(e.SignalThrown)] == ["s-b"]
    assert (case.status, case.variables()) == ("COMPLETED", {"sent": "b"})


def test_inputs_of_an_end_event_are_seen_by_what_it_throws(play: Play) -> None:
    event = f'<endEvent id="t">{camunda({"kind": "c"})}<signalEventDefinition signalRef="s2"/></endEvent>'
    roots = ROOTS + '<signal id="s2" name="s-${kind}"/>'
    play.host.deploy(bpmn('<startEvent id="s"/>', event, flows("s t"), roots=roots))
    case = play.start()
    assert [event.name for event in case.of(e.SignalThrown)] == ["s-c"]
    assert (case.status, case.variables()) == ("COMPLETED", {})


def test_a_condition_sees_the_inputs_of_its_event(play: Play) -> None:
    condition = "<conditionalEventDefinition><condition>${x > limit}</condition></conditionalEventDefinition>"
    play.host.deploy(
        bpmn(ENDS, catch("w", camunda({"limit": "${base + 1}"}), condition), flows("s w", "w e"))
    )
    case = play.start(base=1, x=2)
    assert case.at() == ["w"]
    case.do(c.SetVariables(scope=case.id, variables={"x": 3}))
    assert case.status == "COMPLETED"
