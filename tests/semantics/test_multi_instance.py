"""Multi-instance activities: how many there are, when they end, what they leave (semantics §4)."""

from __future__ import annotations

from typing import Any

import pytest

from bpm.core import events as e
from bpm.core.commands import RetryToken, SetVariables
from tests.support.bpmn_text import bpmn, flows
from tests.support.play import Case, Play

ENDS = '<startEvent id="s"/><endEvent id="e"/>'


def loop(inner: str, *, sequential: bool = False, collection: str = "") -> str:
    """Return multi-instance characteristics."""
    attributes = 'isSequential="true"' if sequential else ""
    if collection:
        attributes += f' camunda:collection="{collection}" camunda:elementVariable="item"'
    tag = "multiInstanceLoopCharacteristics"
    return f"<{tag} {attributes}>{inner}</{tag}>"


def number(count: int) -> str:
    return f"<loopCardinality>{count}</loopCardinality>"


def begin(play: Play, task: str, **variables: Any) -> Case:
    play.host.deploy(bpmn(ENDS, task, flows("s a", "a e")))
    return play.start(**variables)


@pytest.mark.parametrize("sequential", [False, True])
def test_a_list_that_changes_while_it_is_worked_on_keeps_its_first_length(
    play: Play, sequential: bool
) -> None:
    task = f'<userTask id="a">{loop("", sequential=sequential, collection="items")}</userTask>'
    case = begin(play, task, items=["x", "y", "z"])
    case.complete("a", items=["x"])
    seen = 1
    while case.status == "RUNNING":
        case.complete("a")
        seen += 1
    assert (seen, case.status, case.variables()["items"]) == (3, "COMPLETED", ["x"])


def test_instances_that_end_at_once_are_all_there(play: Play) -> None:
    counted = '<serviceTask id="t" camunda:expression="${n + 1}" camunda:resultVariable="n">'
    inner = f"{counted}{loop(number(5), sequential=True)}</serviceTask>"
    body = f'<startEvent id="bs"/>{inner}<endEvent id="be"/>{flows("bs t", "t be")}{loop(number(5))}'
    for _ in range(20):
        case = begin(play, f'<subProcess id="a">{body}</subProcess>', n=0)
        assert (case.status, case.variables()["n"]) == ("COMPLETED", 25)


def test_the_condition_ends_the_rest_exactly_when_it_becomes_true(play: Play) -> None:
    done = "<completionCondition>${nrOfCompletedInstances == 3}</completionCondition>"
    case = begin(play, f'<userTask id="a">{loop(number(5) + done)}</userTask>')
    for left in (4, 3):
        case.complete("a")
        assert len(case.tasks()) == left
    case.complete("a")
    assert (case.status, case.tasks()) == ("COMPLETED", [])
    assert len(case.of(e.UserTaskCompleted)) == 3
    assert len(case.of(e.UserTaskCancelled)) == 2


ZEEBE = (
    '<extensionElements><zeebe:loopCharacteristics inputCollection="=items" inputElement="item" '
    'outputCollection="results" outputElement="=item * 2"/></extensionElements>'
)


@pytest.mark.parametrize("sequential", [False, True])
def test_what_is_gathered_is_whole_whatever_becomes_of_its_variable_meanwhile(
    play: Play, sequential: bool
) -> None:
    case = begin(play, f'<userTask id="a">{loop(ZEEBE, sequential=sequential)}</userTask>', items=[1, 2, 3])
    case.complete("a")
    case.set(results=123, items=7)
    case.complete("a")
    case.complete("a")
    assert (case.status, case.variables()["results"]) == ("COMPLETED", [2, 4, 6])
    assert len(case.of(e.UserTaskCompleted)) == 3


@pytest.mark.parametrize("sequential", [False, True])
@pytest.mark.parametrize("value", ["x", None, -1, 2**70, [1]])
@pytest.mark.parametrize(
    "name", ["nrOfInstances", "nrOfCompletedInstances", "nrOfActiveInstances", "loopCounter"]
)
def test_a_count_of_its_own_that_somebody_has_spoilt_does_not_break_the_instance(
    play: Play, sequential: bool, value: object, name: str
) -> None:
    """The body ends all the same, or the next completion is an incident that can be mended and tried again."""
    case = begin(play, f'<userTask id="a">{loop(number(3), sequential=sequential)}</userTask>')
    case.complete("a")
    (body,) = [scope for scope, variable in case.state.variables if variable == "nrOfInstances"]
    case.do(SetVariables(scope=body, variables={name: value}, local=True))
    good = {"nrOfInstances": 3, "nrOfCompletedInstances": 1, "nrOfActiveInstances": 1, "loopCounter": 1}
    for _ in range(20):
        if case.tasks():
            case.complete("a")
        elif case.status != "COMPLETED":
            case.do(SetVariables(scope=body, variables={name: good[name]}, local=True))
            for token in [token for token in case.live("a") if token.status == "Failed"]:
                case.do(RetryToken(token=token.id))
    assert (case.status, case.incidents()) == ("COMPLETED", [])


def test_a_collection_that_is_none_fails_and_an_empty_one_passes(play: Play) -> None:
    task = f'<userTask id="a">{loop("", collection="items")}</userTask>'
    assert begin(play, task, items=[]).status == "COMPLETED"
    case = begin(play, task, items=7)
    assert (case.status, len(case.incidents())) == ("FAILED", 1)
    case.set(items=["x"])
    case.retry("a")
    case.complete("a")
    assert case.status == "COMPLETED"
