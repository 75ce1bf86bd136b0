"""Listeners of the process and of event subprocesses, which no token enters (semantics §9)."""

from __future__ import annotations

import pytest

from bpm.core import commands as c
from tests.support.bpmn_text import bpmn, flows, subprocess
from tests.support.play import Play

TIMER = "<timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition>"


def listeners(**told: str) -> str:
    """Return execution listeners: event and expression."""
    found = "".join(
        f'<camunda:executionListener event="{event}" expression="{text}"/>' for event, text in told.items()
    )
    return f"<extensionElements>{found}</extensionElements>"


def says(name: str, value: str = "1") -> str:
    """Return an expression that sets a variable."""
    return "${execution.setVariable('" + name + "', " + value + ")}"


def test_a_process_is_told_before_its_first_node_and_after_its_last(play: Play) -> None:
    told = listeners(start=says("begun", "x + 1"), end=says("ended", "seen + 1"))
    start = f'<startEvent id="s">{listeners(start=says("seen", "begun"))}</startEvent><userTask id="a"/>'
    play.host.deploy(bpmn(told, start, flows("s a")))
    case = play.start(x=1)
    assert case.variables() == {"x": 1, "begun": 2, "seen": 2}
    case.complete("a")
    assert (case.status, case.variables()["ended"]) == ("COMPLETED", 3)


def test_it_is_told_once_however_many_nodes_begin(play: Play) -> None:
    told = listeners(start="${execution.setVariable('n', n + 1)}")
    play.host.deploy(bpmn(told, '<userTask id="a"/><userTask id="b"/>'))
    case = play.start(n=0)
    assert (case.at(), case.variables()) == (["a", "b"], {"n": 1})


def test_a_start_listener_that_fails_is_told_again_by_a_retry(play: Play) -> None:
    told = listeners(start=says("y", "x + 1"))
    start = '<startEvent id="s" camunda:asyncBefore="true"/><userTask id="a"/>'
    play.host.deploy(bpmn(told, start, flows("s a")))
    case = play.start()
    assert (case.status, [row.kind for row in case.incidents()]) == ("FAILED", ["ExpressionFailed"])
    case.do(c.SetVariables(scope=case.id, variables={"x": 1}))
    case.do(c.RetryToken(token=case.token("s").id))
    play.run_due()
    assert (case.at(), case.variables()) == (["a"], {"x": 1, "y": 2})


def test_a_job_before_the_start_comes_after_the_listener_and_does_not_repeat_it(play: Play) -> None:
    told = listeners(start="${execution.setVariable('n', n + 1)}")
    start = '<startEvent id="s" camunda:asyncBefore="true"/><userTask id="a"/>'
    play.host.deploy(bpmn(told, start, flows("s a")))
    case = play.start(n=0)
    assert (case.at(), case.variables()) == (["s"], {"n": 1})
    play.run_due()
    assert (case.at(), case.variables()) == (["a"], {"n": 1})


def test_an_end_listener_that_fails_leaves_an_incident_and_the_process_completes(play: Play) -> None:
    play.host.deploy(bpmn(listeners(end=says("y", "x + 1")), '<startEvent id="s"/>'))
    case = play.start()
    assert (case.status, [row.kind for row in case.incidents()]) == ("COMPLETED", ["ExpressionFailed"])


@pytest.mark.parametrize("interrupting", ["true", "false"])
def test_an_event_subprocess_is_told_as_a_process_is(play: Play, interrupting: str) -> None:
    told = listeners(start=says("begun"), end=says("ended"))
    start = f'<startEvent id="hs" isInterrupting="{interrupting}">{TIMER}</startEvent><userTask id="h"/>'
    handler = subprocess("q", told, start, flows("hs h"), attributes='triggeredByEvent="true"')
    play.host.deploy(bpmn('<startEvent id="s"/><userTask id="a"/>', flows("s a"), handler))
    case = play.start()
    assert case.variables() == {}
    play.pass_time("PT2H")
    assert case.variables() == {"begun": 1}
    case.complete("h")
    assert case.variables() == {"begun": 1, "ended": 1}


KEYED = (
    '<message id="m" name="m"><extensionElements><zeebe:subscription correlationKey="=key"/></extensionElements>'
    "</message>"
)


def test_a_handler_that_cannot_be_armed_is_an_incident_of_the_first_token(play: Play) -> None:
    told = listeners(start="${execution.setVariable('n', n + 1)}")
    start = '<startEvent id="hs"><messageEventDefinition messageRef="m"/></startEvent><userTask id="h"/>'
    handler = subprocess("q", start, flows("hs h"), attributes='triggeredByEvent="true"')
    play.host.deploy(bpmn(told, '<startEvent id="s"/><userTask id="a"/>', flows("s a"), handler, roots=KEYED))
    case = play.start(n=0)
    assert (case.status, case.at(), [row.kind for row in case.incidents()]) == (
        "FAILED",
        ["s"],
        ["ExpressionFailed"],
    )
    case.do(c.SetVariables(scope=case.id, variables={"key": 1}))
    case.do(c.RetryToken(token=case.token("s").id))
    assert (case.at(), case.variables()["n"]) == (["a"], 1)
    assert [row.status for row in case.state.subscriptions.values()] == ["OPEN"]


def test_likewise_of_an_event_subprocess(play: Play) -> None:
    inner = '<startEvent id="is"><messageEventDefinition messageRef="m"/></startEvent><userTask id="i"/>'
    nested = subprocess("r", inner, flows("is i"), attributes='triggeredByEvent="true"')
    start = f'<startEvent id="hs">{TIMER}</startEvent><userTask id="h"/>'
    handler = subprocess("q", start, flows("hs h"), nested, attributes='triggeredByEvent="true"')
    play.host.deploy(bpmn('<startEvent id="s"/><userTask id="a"/>', flows("s a"), handler, roots=KEYED))
    case = play.start()
    play.pass_time("PT2H")
    assert (case.status, case.at()) == ("FAILED", ["hs"])
    case.do(c.SetVariables(scope=case.id, variables={"key": 1}))
    case.do(c.RetryToken(token=case.token("hs").id))
    assert case.at() == ["h"]
