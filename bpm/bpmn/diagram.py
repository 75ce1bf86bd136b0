"""What a file says about its drawing (BPMN DI)."""

from __future__ import annotations

from typing import NamedTuple

from bpm.bpmn.file_index import walk
from bpm.bpmn.namespaces import DIAGRAM
from bpm.core.xml import XmlElement


class Diagram(NamedTuple):
    """How many diagrams, shapes and edges there are, in the whole file."""

    diagrams: int
    shapes: int
    edges: int


def read_diagram(definitions: XmlElement) -> Diagram:
    """Count the drawing."""
    diagrams = list(definitions.all("BPMNDiagram", DIAGRAM))
    tags = [element.tag for diagram in diagrams for element in walk(diagram) if element.space == DIAGRAM]
    return Diagram(len(diagrams), tags.count("BPMNShape"), tags.count("BPMNEdge"))
