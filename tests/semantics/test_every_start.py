"""Everything that starts a process (semantics §3, §4, §6, §7)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.bpmn_text import bpmn, flows
from tests.support.event_table import CAUGHT, CONDITION, MESSAGE, ROOTS, SIGNAL, timer
from tests.support.play import Case, Play

Come = Callable[[Play], object]
START = {
    "message": lambda play: play.host.correlate("m"),
    "signal": lambda play: play.host.signal("sig", {}),
    "conditional": lambda play: play.host.evaluate_conditions({"go": True}),
    "timer-date": lambda play: play.pass_time("PT61M"),
    "timer-duration": lambda play: play.pass_time("PT61M"),
    "timer-cycle": lambda play: play.pass_time("PT61M"),
    "timer-cron": lambda play: play.pass_time("PT61M"),
}


def cases(play: Play) -> list[Case]:
    """Return all instances."""
    return [Case(play.host, instance) for instance in play.host.instances()]


def only(play: Play) -> Case:
    """Return the one instance."""
    (case,) = cases(play)
    return case


def start(name: str, kind: str) -> str:
    """Return a start event of a kind, which leads to the user task `h`."""
    trigger = CAUGHT[kind]
    return f'<startEvent id="{name}" {trigger.attributes}>{trigger.xml}</startEvent>' + flows(f"{name} h")


@pytest.mark.parametrize("kind", START)
def test_a_start_event_starts_an_instance(play: Play, kind: str) -> None:
    play.host.deploy(bpmn(start("x", kind), '<userTask id="h"/>', roots=ROOTS))
    assert cases(play) == []
    come: Come = START[kind]
    come(play)
    found = cases(play)
    assert {tuple(case.at()) for case in found} == {("h",)}
    assert len(found) == 1 or kind == "timer-cron"
    assert found[0].passed()["x"] == 1


def test_several_starts_each_start_an_instance_and_a_key_starts_the_one_without_trigger(play: Play) -> None:
    body = "".join(start(kind, kind) for kind in ("message", "signal", "conditional"))
    play.host.deploy(bpmn('<startEvent id="s"/>', flows("s h"), body, '<userTask id="h"/>', roots=ROOTS))
    play.start()
    for kind in ("message", "signal", "conditional"):
        come: Come = START[kind]
        come(play)
    passed = [
        name
        for case in cases(play)
        for name in ("s", "message", "signal", "conditional")
        if case.passed()[name]
    ]
    assert passed == ["s", "message", "signal", "conditional"]


@pytest.mark.parametrize("kind", ["message", "signal"])
def test_a_multiple_start_starts_by_any_of_its_definitions(play: Play, kind: str) -> None:
    play.host.deploy(bpmn(start("x", "multiple"), '<userTask id="h"/>', roots=ROOTS))
    come: Come = START[kind]
    come(play)
    assert only(play).at() == ["h"]


def test_a_parallel_multiple_start_waits_for_all_of_its_definitions(play: Play) -> None:
    told = '<camunda:executionListener event="start" expression="${execution.setVariable(\'n\', 1)}"/>'
    body = (
        f"<extensionElements>{told}</extensionElements>"
        + start("x", "parallel-multiple")
        + '<userTask id="h"/>'
    )
    play.host.deploy(bpmn(body, roots=ROOTS))
    play.host.correlate("m", variables={"a": 1})
    assert (only(play).at(), only(play).variables()) == (["x"], {"a": 1})
    play.host.signal("sig", {})
    first, second = cases(play)
    assert (first.at(), first.variables()) == (["h"], {"a": 1, "n": 1})
    assert (second.at(), second.variables()) == (["x"], {})
    play.host.correlate("m", instance=second.id)
    assert second.at() == ["h"]


def test_an_instantiating_receive_task_starts_an_instance_and_is_done(play: Play) -> None:
    task = '<receiveTask id="x" messageRef="m" instantiate="true"/><userTask id="h"/>' + flows("x h")
    play.host.deploy(bpmn(task, roots=ROOTS))
    play.host.correlate("m", variables={"a": 1})
    assert (only(play).at(), only(play).variables()) == (["h"], {"a": 1})


GATEWAY = (
    f'<intermediateCatchEvent id="x">{MESSAGE}</intermediateCatchEvent>'
    f'<intermediateCatchEvent id="y">{SIGNAL}</intermediateCatchEvent>'
    '<parallelGateway id="j"/><userTask id="h"/>'
)


def test_an_exclusive_gateway_starts_by_the_first_event(play: Play) -> None:
    gateway = '<eventBasedGateway id="g" instantiate="true"/>' + flows("g x", "g y", "x h", "y h")
    play.host.deploy(bpmn(gateway, GATEWAY.replace('<parallelGateway id="j"/>', ""), roots=ROOTS))
    play.host.signal("sig", {})
    assert (only(play).at(), only(play).passed()["y"]) == (["h"], 1)
    play.host.correlate("m")
    assert [case.at() for case in cases(play)] == [["h"], ["h"]]


def test_a_parallel_gateway_starts_by_one_event_and_waits_for_the_others(play: Play) -> None:
    gateway = '<eventBasedGateway id="g" instantiate="true" eventGatewayType="Parallel"/>'
    play.host.deploy(bpmn(gateway, flows("g x", "g y", "x j", "y j", "j h"), GATEWAY, roots=ROOTS))
    play.host.correlate("m")
    assert sorted(only(play).at()) == ["j", "y"]
    play.host.signal("sig", {})
    first, second = cases(play)
    assert (first.at(), sorted(second.at())) == (["h"], ["j", "x"])


def test_what_begins_without_a_start_event_begins_together(play: Play) -> None:
    throw = f'<intermediateThrowEvent id="t">{SIGNAL}</intermediateThrowEvent>' + flows("t h")
    play.host.deploy(bpmn('<userTask id="a"/><userTask id="h"/>', throw, roots=ROOTS))
    play.start()
    assert only(play).at() == ["a", "h"]


def test_a_condition_and_a_time_start_by_themselves_too(play: Play) -> None:
    both = f'<startEvent id="x">{CONDITION}{timer("timeDuration", "PT1H")}</startEvent>' + flows("x h")
    play.host.deploy(bpmn(both, '<userTask id="h"/>', roots=ROOTS))
    play.host.evaluate_conditions({"go": True})
    play.pass_time("PT2H")
    assert [case.at() for case in cases(play)] == [["h"], ["h"]]
