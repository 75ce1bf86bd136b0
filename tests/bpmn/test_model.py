"""Nothing of a file is lost: the neutral model."""

from __future__ import annotations

import pytest

from bpm.bpmn import read_file
from tests.bpmn.files import LINE, definitions, flow, found, process, read, read_all

RICH = definitions(
    "<import importType='x' location='y' namespace='z'/>",
    '<message id="m" name="M"/><signal id="si" name="S"/><error id="er" errorCode="E1"/><dataStore id="st"/>',
    '<collaboration id="c" name="Shop"><participant id="pa" name="Us" processRef="p"/>'
    '<participant id="pb" name="Them"/>'
    '<messageFlow id="mf" name="order" sourceRef="pb" targetRef="s" messageRef="m"/>'
    '<textAnnotation id="outside"><text>Hello</text></textAnnotation></collaboration>',
    process(
        "<documentation> What it does. </documentation>"
        '<laneSet id="ls"><lane id="l1" name="Sales"><flowNodeRef>s</flowNodeRef>'
        '<childLaneSet><lane id="l2" name="Desk"><flowNodeRef>t</flowNodeRef></lane></childLaneSet></lane></laneSet>'
        '<dataObject id="do" name="Paper" isCollection="true"/><dataObjectReference id="dr" dataObjectRef="do"/>'
        '<dataStoreReference id="dsr" dataStoreRef="st"/><property id="pr" name="P"/>'
        '<textAnnotation id="ta"><text> Note </text></textAnnotation><group id="g" categoryValueRef="cv"/>'
        '<association id="as" sourceRef="ta" targetRef="t" associationDirection="One"/>'
        '<subProcess id="q"><textAnnotation id="ti"><text>In</text></textAnnotation><task id="qt"/></subProcess>'
        + LINE
    ),
    process(
        LINE.replace('"s"', '"s2"').replace('"t"', '"t2"').replace('"e"', '"e2"').replace('"f', '"g'),
        key="p2",
        executable=False,
    ),
    '<d:BPMNDiagram xmlns:d="http://www.omg.org/spec/BPMN/20100524/DI" id="di"><d:BPMNPlane bpmnElement="c">'
    '<d:BPMNShape bpmnElement="s"/><d:BPMNShape bpmnElement="t"/><d:BPMNEdge bpmnElement="f1"/>'
    "</d:BPMNPlane></d:BPMNDiagram>",
)


def test_definitions_and_root_elements() -> None:
    file = read_file(RICH, name="rich.bpmn")
    assert file.name == "rich.bpmn"
    assert file.attributes == {"id": "d", "targetNamespace": "urn:test"}
    assert [xml.id or xml.tag for xml in file.root_elements] == ["import", "m", "si", "er", "st"]
    assert file.xml.tag == "definitions"


def test_pools_and_message_flows() -> None:
    file = read_file(RICH)
    assert [(pool.id, pool.name, pool.process) for pool in file.participants] == [
        ("pa", "Us", "p"),
        ("pb", "Them", ""),
    ]
    (message,) = file.message_flows
    assert (message.id, message.name, message.source, message.target, message.message) == (
        "mf",
        "order",
        "pb",
        "s",
        "m",
    )
    (collaboration,) = file.collaborations
    assert (collaboration.id, collaboration.name, collaboration.tag) == ("c", "Shop", "collaboration")


def test_lanes_data_and_artifacts() -> None:
    model = read_file(RICH).process("p")
    assert [(lane.id, lane.name, lane.parent, lane.nodes) for lane in model.lanes] == [
        ("l1", "Sales", None, ("s",)),
        ("l2", "Desk", "l1", ("t",)),
    ]
    assert [(data.id, data.tag, data.name, data.reference, data.is_collection) for data in model.data] == [
        ("do", "dataObject", "Paper", "", True),
        ("dr", "dataObjectReference", "", "do", False),
        ("dsr", "dataStoreReference", "", "st", False),
        ("pr", "property", "P", "", False),
    ]
    assert [(note.id, note.text) for note in model.annotations] == [("ta", "Note"), ("ti", "In")]
    assert model.groups == (("g", "cv"),)
    assert model.associations == (("as", "ta", "t", "One"),)
    assert model.documentation == "What it does."


def test_counts_include_what_is_nested() -> None:
    model = read_file(RICH).process("p")
    assert model.flow_nodes == {"startEvent": 1, "task": 2, "endEvent": 1, "subProcess": 1}
    assert model.sequence_flows == 2


def test_the_diagram_is_seen() -> None:
    file = read_file(RICH)
    assert file.diagram == (1, 2, 1)
    assert file.has_diagram
    assert not read_file(definitions(process(LINE))).has_diagram


def test_a_process_is_found_by_its_key() -> None:
    file = read_file(RICH)
    assert [model.key for model in file.processes] == ["p", "p2"]
    with pytest.raises(KeyError):
        file.process("gone")


def test_a_process_that_is_not_executable_is_stored_with_warnings_and_without_graph() -> None:
    model = read('<startEvent id="s"/><callActivity id="c"/>' + flow("s", "gone", name="f"), executable=False)
    assert not model.executable
    assert model.problems == ()
    assert model.graph is None
    assert {("c", "called-element"), ("f", "dangling-reference")} <= found(model.warnings)


def test_force_executable_checks_and_compiles_all() -> None:
    good = definitions(process(LINE, executable=False))
    (model,) = read_file(good, force_executable=True).processes
    assert not model.executable
    assert model.graph is not None
    bad = definitions(process('<callActivity id="c"/>', executable=False))
    assert found(read_file(bad, force_executable=True).problems) == {("c", "called-element")}


@pytest.mark.parametrize(
    ("text", "executable"), [("true", True), ("1", True), (" TRUE ", True), ("false", False), ("", False)]
)
def test_executable_is_what_the_attribute_says(text: str, executable: bool) -> None:
    (model,) = read_all(f'<process id="p" isExecutable="{text}">{LINE}</process>').processes
    assert model.executable is executable


def test_a_file_without_process_is_a_warning() -> None:
    file = read_all('<message id="m"/>')
    assert (file.processes, file.problems) == ((), ())
    assert found(file.warnings) == {("d", "no-process")}


def test_a_pool_whose_process_is_not_there_is_a_warning() -> None:
    pools = '<participant id="pa" processRef="gone"/><participant id="pb" processRef="q:p"/>'
    assert found(read_all(f'<collaboration id="c">{pools}</collaboration>', process(LINE)).warnings) == {
        ("pa", "dangling-reference")
    }
