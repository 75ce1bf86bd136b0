"""Files of the OMG's model interchange group: imported without loss, or refused with one clear error."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from bpm.bpmn import BpmnFile, read_file
from bpm.bpmn.artifacts import DataElement
from bpm.bpmn.file_index import walk
from bpm.core.errors import DefinitionInvalid
from bpm.core.xml import BPMN, XmlElement
from tests.support.corpus import corpus_dir

MIWG = corpus_dir("miwg")
FACTS: dict[str, dict[str, Any]] = json.loads((MIWG / "expected.json").read_text(encoding="utf-8"))["files"]
WELL_FORMED = {name: facts for name, facts in FACTS.items() if facts["well_formed"]}
BROKEN = {name: facts for name, facts in FACTS.items() if not facts["well_formed"]}


def read(name: str, *, force_executable: bool = False) -> BpmnFile:
    """Read a file of the corpus."""
    return read_file((MIWG / name).read_bytes(), name=name, force_executable=force_executable)


@pytest.mark.parametrize("name", WELL_FORMED)
def test_processes_and_flow_nodes_are_counted_right(name: str) -> None:
    facts, file = FACTS[name], read(name)
    nodes: Counter[str] = sum((model.flow_nodes for model in file.processes), Counter())
    assert nodes == facts["flow_nodes"]
    assert nodes.total() == facts["flow_node_total"]
    assert sum(model.sequence_flows for model in file.processes) == facts["sequence_flows"]
    assert len(file.processes) == facts["process_count"]
    assert [
        {"id": model.xml.id or None, "flow_nodes": model.flow_nodes.total(), "executable": model.executable}
        for model in file.processes
    ] == [
        {"id": one["id"], "flow_nodes": one["flow_nodes"], "executable": one["isExecutable"] == "true"}
        for one in facts["processes"]
    ]


@pytest.mark.parametrize("name", WELL_FORMED)
def test_what_stands_beside_the_flow_is_counted_right(name: str) -> None:
    facts, file = FACTS[name], read(name)
    diagram = {"diagrams": file.diagram.diagrams, "shapes": file.diagram.shapes, "edges": file.diagram.edges}
    assert diagram == facts["di"]
    assert file.attributes.get("targetNamespace") == facts["definitions"].get("targetNamespace")
    assert file.attributes.get("exporter") == facts["definitions"].get("exporter")
    tags = Counter(xml.tag for xml in file.root_elements)
    counted = {
        "collaborations": len(file.collaborations),
        "participants": len(file.participants),
        "message_flows": len(file.message_flows),
        "lanes": sum(len(model.lanes) for model in file.processes),
        "messages": tags["message"],
        "signals": tags["signal"],
        "errors": tags["error"],
        "escalations": tags["escalation"],
        "data_objects": len(_data(file, "dataObject")),
        "data_stores": tags["dataStore"],
        "text_annotations": sum(1 for _ in _everywhere(file, "textAnnotation")),
        "groups": sum(1 for _ in _everywhere(file, "group")),
    }
    assert {kind: number for kind, number in counted.items() if number} == {
        kind: facts[kind] for kind in counted if facts.get(kind)
    }


def _data(file: BpmnFile, tag: str) -> list[DataElement]:
    return [data for model in file.processes for data in model.data if data.tag == tag]


def _everywhere(file: BpmnFile, tag: str) -> Iterator[XmlElement]:
    return (xml for xml in walk(file.xml) if xml.space == BPMN and xml.tag == tag)


@pytest.mark.parametrize("name", WELL_FORMED)
def test_even_when_forced_a_file_has_a_graph_or_says_why_not(name: str) -> None:
    for model in read(name, force_executable=True).processes:
        if model.graph is None:
            assert model.problems
            assert all(problem.element and problem.rule and problem.message for problem in model.problems)
        else:
            assert len(model.graph.nodes) == model.flow_nodes.total()


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_not_well_formed_gives_one_clear_error(name: str) -> None:
    with pytest.raises(DefinitionInvalid) as caught:
        read(name)
    (problem,) = caught.value.problems
    assert problem.rule == "not-well-formed"
    assert problem.line > 0
    assert f"line {problem.line}" in FACTS[name]["parse_error"]
    assert problem.resource == name


REPORTED = {
    "sequence-flow-crosses-scope": {"flow-crosses-scope", "flow-crosses-process"},
    "default-flow-not-outgoing-of-owner": {"default-flow"},
    "duplicate-id-semantic": {"duplicate-id"},
}


@pytest.mark.parametrize("name", [name for name in WELL_FORMED if FACTS[name]["oddities"]])
def test_vendor_bugs_are_reported_with_their_element(name: str) -> None:
    file = read(name)
    said = [warning for model in file.processes for warning in model.warnings] + list(file.problems)
    for oddity in FACTS[name]["oddities"]:
        rules = REPORTED.get(oddity["kind"], set())
        for example in oddity["examples"] if rules else ():
            at_fault = [one for one in said if example in (one.element, *one.message.split("'"))]
            assert rules & {one.rule for one in at_fault}, (oddity["kind"], example)
