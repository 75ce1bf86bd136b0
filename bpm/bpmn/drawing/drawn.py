"""A copy of a file with a drawing."""

from __future__ import annotations

from typing import Any, Final

from lxml import etree

from bpm.bpmn.drawing.pools import draw_file
from bpm.bpmn.drawing.shapes import Picture, local
from bpm.bpmn.namespaces import DIAGRAM, MODEL, local_part
from bpm.bpmn.tags import FLOW_NODES

_DC: Final = "http://www.omg.org/spec/DD/20100524/DC"
_DI: Final = "http://www.omg.org/spec/DD/20100524/DI"
_NAMED: Final = FLOW_NODES | {
    "sequenceFlow", "association", "messageFlow", "participant", "lane", "textAnnotation", "dataObjectReference",
    "dataStoreReference", "process", "collaboration", "dataInputAssociation", "dataOutputAssociation",
}  # fmt: skip
_SAFE: Final[dict[str, Any]] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
}


def drawn_copy(content: bytes, key: str) -> bytes:
    """Return the file as it is if its first diagram draws the process `key`, else a copy.

    In the copy the diagram that draws it stands first, or is made where there is none; elements without an id get one
    that says so. The file was deployed, so it is well-formed and has no document type. What is stored never changes.
    """
    root = etree.fromstring(content, etree.XMLParser(**_SAFE))
    process = next((one for one in root.findall(f"{{{MODEL}}}process") if one.get("id") == key), None)
    if process is None:
        return content
    diagrams = root.findall(f"{{{DIAGRAM}}}BPMNDiagram")
    for diagram in diagrams:
        if _draws(diagram, process):
            if diagram is diagrams[0]:
                return content
            diagrams[0].addprevious(diagram)
            break
    else:
        for diagram in diagrams:
            root.remove(diagram)
        _give_ids(root)
        _write(root, *draw_file(root, key))
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def _draws(diagram: Any, process: Any) -> bool:
    """Return whether a diagram shows one of the process's nodes, or all it has, on a plane on which it has a place."""
    if not _has_place(diagram, process):
        return False
    nodes = {child.get("id") for child in process if local(child) in FLOW_NODES}
    shown = {local_part(shape.get("bpmnElement", "")) for shape in diagram.iter(f"{{{DIAGRAM}}}BPMNShape")}
    return bool(nodes & shown) if nodes else True


def _has_place(diagram: Any, process: Any) -> bool:
    """Return whether the plane is for the process, or a collaboration with a pool for it; viewers show nothing else."""
    plane = diagram.find(f"{{{DIAGRAM}}}BPMNPlane")
    name = local_part(plane.get("bpmnElement", "")) if plane is not None else ""
    owner = next((one for one in process.getparent() if one.get("id") == name), None) if name else None
    if owner is None or owner is process:
        return True
    pools = (one for one in owner if local(one) == "participant")
    return any(local_part(pool.get("processRef", "")) == process.get("id") for pool in pools)


def _give_ids(root: Any) -> None:
    taken = {element.get("id") for element in root.iter() if element.get("id")}
    number = 0
    for element in root.iter():
        if local(element) in _NAMED and not element.get("id"):
            number += 1
            while f"without-id-{number}" in taken:
                number += 1
            element.set("id", f"without-id-{number}")


def _write(root: Any, plane: str, picture: Picture) -> None:
    names = {"bpmndi": DIAGRAM, "dc": _DC, "di": _DI}
    diagram = etree.SubElement(root, f"{{{DIAGRAM}}}BPMNDiagram", {"id": "laid-out"}, nsmap=names)
    parent = etree.SubElement(
        diagram, f"{{{DIAGRAM}}}BPMNPlane", {"id": "laid-out-plane", "bpmnElement": plane}
    )
    for number, shape in enumerate(picture.shapes):
        given = {"id": f"laid-out-shape-{number}", "bpmnElement": shape.element}
        if shape.expanded is not None:
            given["isExpanded"] = "true"
        if shape.horizontal:
            given["isHorizontal"] = "true"
        xml = etree.SubElement(parent, f"{{{DIAGRAM}}}BPMNShape", given)
        bounds = {"x": shape.x, "y": shape.y, "width": shape.width, "height": shape.height}
        etree.SubElement(xml, f"{{{_DC}}}Bounds", {name: f"{value:.0f}" for name, value in bounds.items()})
    for number, edge in enumerate(picture.edges):
        given = {"id": f"laid-out-edge-{number}", "bpmnElement": edge.element}
        xml = etree.SubElement(parent, f"{{{DIAGRAM}}}BPMNEdge", given)
        for point in edge.points:
            etree.SubElement(xml, f"{{{_DI}}}waypoint", {"x": f"{point.x:.0f}", "y": f"{point.y:.0f}"})
