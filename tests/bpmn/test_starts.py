from __future__ import annotations

import pytest

from tests.bpmn.files import LINE, flow, found, graph, path, read


def test_the_start_event_starts() -> None:
    assert graph(LINE).root.starts == ("s",)


def test_several_none_starts_are_refused_with_all_names() -> None:
    (problem,) = read(
        '<startEvent id="a"/><startEvent id="b"/><task id="t"/>' + path("a", "t") + flow("b", "t")
    ).problems
    assert (problem.element, problem.rule) == ("b", "several-none-starts")
    assert "'a'" in problem.message


def test_without_start_event_all_that_can_begin_by_itself_does() -> None:
    body = '<task id="a"/><userTask id="b"/><exclusiveGateway id="x"/><task id="c"/><endEvent id="e"/>'
    body += path("a", "c", "e") + path("b", "e") + path("x", "e")
    assert graph(body).root.starts == ("a", "b", "x")


def test_handlers_catches_and_boundaries_do_not_begin_by_themselves() -> None:
    body = '<task id="a"/><task id="h" isForCompensation="true"/><subProcess id="q" triggeredByEvent="true"/>'
    body += '<intermediateCatchEvent id="l"><linkEventDefinition name="n"/></intermediateCatchEvent>'
    body += (
        '<boundaryEvent id="b" attachedToRef="a"><timerEventDefinition/></boundaryEvent><endEvent id="e"/>'
    )
    from bpm.bpmn.file_index import FileIndex
    from bpm.bpmn.layout_reader import read_layout
    from bpm.bpmn.problems import Problems
    from bpm.bpmn.starts import starts_of

    xml = read(body).xml
    layout = read_layout(xml, "p", FileIndex(xml), Problems())
    assert starts_of(layout, layout.scopes["p"]) == (("a",), ())


@pytest.mark.parametrize(
    "start",
    [
        '<startEvent id="x"><messageEventDefinition messageRef="m"/></startEvent>' + flow("x", "t"),
        '<startEvent id="x"><eventDefinitionRef>d1</eventDefinitionRef></startEvent>' + flow("x", "t"),
        '<receiveTask id="x" instantiate="true" messageRef="m"/>' + flow("x", "t"),
        '<eventBasedGateway id="x" instantiate="true"/><receiveTask id="r" messageRef="m"/>'
        + path("x", "r", "t"),
    ],
)
def test_triggered_starts_are_known_apart_from_those_at_once(start: str) -> None:
    root = '<message id="m" name="M"/><signal id="n" name="N"/><signalEventDefinition id="d1" signalRef="n"/>'
    compiled = graph(start + '<task id="t"/>', root=root)
    assert compiled.root.starts == ()
    assert compiled.extras["triggered_starts"] == ("x",)


def test_a_process_in_which_nothing_can_begin_is_refused() -> None:
    assert found(read("").problems) == {("p", "no-start")}
    assert found(read('<task id="a"/><task id="b"/>' + path("a", "b", "a")).problems) == {("p", "no-start")}
