from __future__ import annotations

import pytest

from bpm.core.elements.user_task import UserTask
from tests.bpmn.files import LINE, around, found, graph, path, read


def listener(event: str, text: str = "${a}", tag: str = "executionListener") -> str:
    """Return extension elements with a listener."""
    inside = f'<camunda:{tag} event="{event}" expression="{text}"/>'
    return f"<extensionElements>{inside}</extensionElements>"


def test_listeners_are_kept_by_event_in_their_order() -> None:
    both = listener("end", "${execution.setVariable('a', 1)}").replace(
        "</extensionElements>", listener("end", "${b}").removeprefix("<extensionElements>")
    )
    node = graph(around(f'<task id="x">{both}</task>')).nodes["x"]
    assert node.on_start == ()
    assert [one.text for one in node.on_end] == ["${execution.setVariable('a', 1)}", "${b}"]


def test_listeners_of_flows_are_called_when_they_are_taken() -> None:
    body = LINE.replace('targetRef="e"/>', f'targetRef="e">{listener("take")}</sequenceFlow>')
    flows = graph(body).flows
    assert ([one.text for one in flows["f2"].on_take], flows["f1"].on_take) == (["${a}"], ())


def test_task_listeners_stand_at_user_tasks() -> None:
    for event in ("create", "assignment", "complete"):
        node = graph(around(f'<userTask id="x">{listener(event, tag="taskListener")}</userTask>')).nodes["x"]
        assert isinstance(node, UserTask)
        called = {"create": node.on_create, "assignment": node.on_assignment, "complete": node.on_complete}
        assert {name for name, expressions in called.items() if expressions} == {event}


@pytest.mark.parametrize("tag", ["startEvent", "endEvent", "exclusiveGateway", "subProcess", "callActivity"])
def test_every_node_that_a_token_enters_has_listeners(tag: str) -> None:
    node = f'<{tag} id="x" calledElement="c">{listener("start")}</{tag}>'
    body = {"startEvent": node, "endEvent": '<startEvent id="s"/>' + node + path("s", "x")}
    assert len(graph(body.get(tag, around(node))).nodes["x"].on_start) == 1


TIMER = "<timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition>"
HANDLER = f'<startEvent id="h">{TIMER}</startEvent>'
REFUSED = {
    "take at a node": (around(f'<task id="x">{listener("take")}</task>'), "x"),
    "start at a flow": (
        LINE.replace('targetRef="e"/>', f'targetRef="e">{listener("start")}</sequenceFlow>'),
        "f2",
    ),
    "take at the process": (listener("take") + LINE, "p"),
    "task listener at a service task": (
        around(f'<serviceTask id="x">{listener("create", tag="taskListener")}</serviceTask>'),
        "x",
    ),
    "task listener for an event that is not known": (
        around(f'<userTask id="x">{listener("timeout", tag="taskListener")}</userTask>'),
        "x",
    ),
    "loop": (
        around(
            f'<task id="x"><multiInstanceLoopCharacteristics>{listener("start")}'
            "<loopCardinality>1</loopCardinality></multiInstanceLoopCharacteristics></task>"
        ),
        "x",
    ),
}


def test_what_no_token_enters_has_listeners_of_its_scope() -> None:
    told = listener("start") + listener("end")
    handler = f'<subProcess id="x" triggeredByEvent="true">{told}{HANDLER}</subProcess>'
    scopes = graph(told + LINE + handler).scopes
    assert [(len(scope.on_start), len(scope.on_end)) for scope in scopes.values()] == [(1, 1), (1, 1)]


@pytest.mark.parametrize(("body", "element"), REFUSED.values(), ids=REFUSED)
def test_listeners_that_nobody_would_call_are_refused(body: str, element: str) -> None:
    assert found(read(body).problems) == {(element, "unsupported-element")}


@pytest.mark.parametrize("attributes", ['class="a.B"', 'delegateExpression="${b}"', 'expression=" "'])
@pytest.mark.parametrize("tag", ["executionListener", "taskListener"])
def test_listeners_are_expressions(attributes: str, tag: str) -> None:
    inside = f'<extensionElements><camunda:{tag} event="start" {attributes}/></extensionElements>'
    assert found(read(around(f'<userTask id="x">{inside}</userTask>')).problems) == {("x", "listener")}


def test_a_listener_that_is_no_expression_of_the_language_is_refused() -> None:
    body = around(f'<task id="x">{listener("start", "${a +}")}</task>')
    assert found(read(body).problems) == {("x", "expression")}
