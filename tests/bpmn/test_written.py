"""Values that are no values of their type are refused where they stand, never taken for another one."""

from __future__ import annotations

import pytest

from bpm.bpmn import read_file
from tests.bpmn.files import LINE, around, definitions, found, process, read_all

_TIMER = "<timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition>"
_LOOP = "<multiInstanceLoopCharacteristics{}><loopCardinality>1</loopCardinality></multiInstanceLoopCharacteristics>"
_ELEMENTS = {
    "triggeredByEvent": '<subProcess id="x" {}><startEvent id="a"/></subProcess>',
    "isForCompensation": '<task id="x" {}/>',
    "isSequential": f'<task id="x">{_LOOP.format(" {}")}</task>',
    "testBefore": '<task id="x"><standardLoopCharacteristics {}/></task>',
    "instantiate": '<receiveTask id="x" {}/>',
    "parallelMultiple": f'<intermediateCatchEvent id="x" {{}}>{_TIMER}</intermediateCatchEvent>',
    "cancelActivity": f'<task id="t"/><boundaryEvent id="x" attachedToRef="t" {{}}>{_TIMER}</boundaryEvent>',
    "isInterrupting": '<startEvent id="x" {}/>',
    "camunda:asyncBefore": '<task id="x" {}/>',
    "camunda:asyncAfter": '<task id="x" {}/>',
    "camunda:async": '<task id="x" {}/>',
}


@pytest.mark.parametrize("name", _ELEMENTS)
@pytest.mark.parametrize("text", ["maybe", "yes", "2", "true false"])
def test_what_is_neither_true_nor_false_is_refused_with_its_place(name: str, text: str) -> None:
    body = around("\n" + _ELEMENTS[name].format(f'{name}="{text}"'))
    problems = [one for one in read_all(process(body)).problems if one.rule == "boolean"]
    assert [(one.element, one.line) for one in problems] == [("x", 2)]
    assert repr(text) in problems[0].message


@pytest.mark.parametrize("name", _ELEMENTS)
@pytest.mark.parametrize("text", ["true", "false", "1", "0", " True ", "FALSE", ""])
def test_what_says_true_or_false_is_not(name: str, text: str) -> None:
    body = around(_ELEMENTS[name].format(f'{name}="{text}"'))
    assert "boolean" not in {one.rule for one in read_all(process(body)).problems}


def test_a_process_that_may_be_executable_is_refused_for_that_and_all_else() -> None:
    body = LINE + '<sequenceFlow id="f3" sourceRef="t" targetRef="nowhere"/>'
    file = read_all(f'\n<process id="h m" isExecutable="maybe">{body}</process>')
    assert found(file.problems) == {("h m", "boolean"), ("h m", "id-name"), ("f3", "dangling-reference")}
    assert {one.line for one in file.problems} == {2}
    assert file.processes[0].graph is None


@pytest.mark.parametrize("name", ["h m", "1a", "a:b", "a/b", " p", "-a", ".", "a?", "a\u00d7"])
def test_an_id_of_a_process_that_is_no_name_is_refused(name: str) -> None:
    assert found(read_all(process(LINE, key=name)).problems) == {(name, "id-name")}


@pytest.mark.parametrize("name", ["p", "_1", "order.v2", "a-b", "Größe", "żółć", "订单", "Activity_0abc"])
def test_names_of_any_language_are_ids(name: str) -> None:
    assert read_all(process(LINE, key=name)).problems == ()


def test_what_was_deployed_before_is_not_judged_again() -> None:
    data = definitions(process(around('<task id="x" isForCompensation="maybe"/>'), key="h m"))
    assert found(read_file(data).problems) == {("h m", "id-name"), ("x", "boolean")}
    (stored,) = read_file(data, stored=True).processes
    assert (stored.problems, stored.graph is None) == ((), False)
