"""Real files are drawn: as their authors drew them, and laid out where the drawing is taken away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from playwright.sync_api import Browser

from bpm.bpmn.drawing import drawn_copy
from bpm.bpmn.namespaces import DIAGRAM, MODEL
from bpm.bpmn.tags import FLOW_NODES
from tests.support.corpus import CORPUS, corpus_dir

pytestmark = pytest.mark.corpus
Draw = Callable[[bytes], tuple[list[str], list[str]]]
_VIEWER = Path(__file__).parents[2] / "cockpit/static/cockpit/vendor/bpmn-navigated-viewer.min.js"
_DRAW = """async xml => {
  const viewer = new BpmnJS({container: '#room'});
  const {warnings} = await viewer.importXML(xml);
  const drawn = viewer.get('elementRegistry').filter(element => !element.labelTarget).map(element => element.id);
  viewer.destroy();
  return [warnings.map(warning => warning.message), drawn];
}"""


def files() -> list[str]:
    return sorted(path.name for path in corpus_dir("miwg", "Reference").glob("*.bpmn")) if CORPUS else [""]


@pytest.fixture(scope="module")
def draw(chromium: Browser) -> Iterator[Draw]:
    page = chromium.new_page(viewport={"width": 1_400, "height": 900})
    page.set_content('<div id="room" style="width: 1400px; height: 900px"></div>')
    page.add_script_tag(path=_VIEWER)
    yield lambda content: page.evaluate(_DRAW, content.decode())
    page.close()


@pytest.mark.parametrize("name", files())
def test_every_process_is_drawn_as_its_author_did_and_without_the_drawing(draw: Draw, name: str) -> None:
    """P97: also a file without a drawing is drawn."""
    content = (corpus_dir("miwg", "Reference") / name).read_bytes()
    root = etree.fromstring(content)
    bare = etree.fromstring(content)
    for diagram in bare.findall(f"{{{DIAGRAM}}}BPMNDiagram"):
        bare.remove(diagram)
    for process in root.findall(f"{{{MODEL}}}process"):
        if process.find(f"{{{MODEL}}}startEvent") is None:
            continue
        of_author, drawn = draw(drawn_copy(content, str(process.get("id"))))
        assert set(nodes_of(process)) & set(drawn)
        warnings, drawn = draw(drawn_copy(etree.tostring(bare), str(process.get("id"))))
        assert set(warnings) <= set(of_author)
        assert parts_of(process) <= set(drawn)


def nodes_of(process: Any) -> list[str]:
    """Return the flow nodes that are directly in the process."""
    return [child.get("id") for child in process if etree.QName(child).localname in FLOW_NODES]


def parts_of(process: Any) -> set[str]:
    """Return everything inside that has a shape or an edge; of nested lanes only the innermost have."""
    wanted = {*FLOW_NODES, "sequenceFlow", "textAnnotation", "dataObjectReference", "lane"}
    lanes = {
        lane.get("id")
        for lane in process.iter(f"{{{MODEL}}}lane")
        if len(lane.findall(f"{{{MODEL}}}childLaneSet"))
    }
    found = {one.get("id") for one in process.iter(etree.Element) if etree.QName(one).localname in wanted}
    return found - lanes - {None}


def test_message_flows_and_pools_are_drawn(draw: Draw) -> None:
    root = etree.fromstring((corpus_dir("miwg", "Reference") / "C.1.0.bpmn").read_bytes())
    for diagram in root.findall(f"{{{DIAGRAM}}}BPMNDiagram"):
        root.remove(diagram)
    keys = [str(process.get("id")) for process in root.findall(f"{{{MODEL}}}process")]
    _, drawn = draw(drawn_copy(etree.tostring(root), keys[0]))
    expected = {
        one.get("id") for tag in ("messageFlow", "participant") for one in root.iter(f"{{{MODEL}}}{tag}")
    }
    assert len(expected) > 3
    assert expected <= set(drawn)
