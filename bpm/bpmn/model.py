"""The neutral model of a file: all that is in it, executable or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from bpm.bpmn.artifacts import Annotation, Association, DataElement, Group
from bpm.bpmn.collaboration import Collaboration, MessageFlow, Participant
from bpm.bpmn.diagram import Diagram
from bpm.bpmn.lanes import Lane
from bpm.core.errors import Problem
from bpm.core.graph import Graph
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessModel:
    """One process of a file.

    Attributes:
        key: id of the process element.
        executable: `isExecutable="true"`.
        problems: why it is refused; empty for a process that is not to be executed.
        warnings: what may not be meant; for a process that is not to be executed also what would be problems.
        graph: None where there are problems or nothing is to be executed.
        checksum: SHA-256, hexadecimal, of the whole file's content (`bpm.bpmn.checksum`).
        flow_nodes: how many of each element, those in subprocesses included.
    """

    key: str
    name: str
    executable: bool
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    graph: Graph | None
    checksum: str
    version_tag: str
    documentation: str
    flow_nodes: Counter[str]
    sequence_flows: int
    lanes: tuple[Lane, ...]
    data: tuple[DataElement, ...]
    annotations: tuple[Annotation, ...]
    groups: tuple[Group, ...]
    associations: tuple[Association, ...]
    xml: XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class BpmnFile:
    """One file.

    Attributes:
        name: as it was handed in.
        attributes: those of `definitions` (id, targetNamespace, exporter …).
        warnings: what belongs to no single process.
        root_elements: what else stands below `definitions`: messages, signals, errors, data stores ….
        xml: everything, vendor extensions and diagram included.
    """

    name: str
    checksum: str
    attributes: Mapping[str, str]
    processes: tuple[ProcessModel, ...]
    collaborations: tuple[Collaboration, ...]
    root_elements: tuple[XmlElement, ...]
    diagram: Diagram
    warnings: tuple[Problem, ...]
    xml: XmlElement

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems of all processes."""
        return tuple(problem for process in self.processes for problem in process.problems)

    @property
    def participants(self) -> tuple[Participant, ...]:
        """All pools."""
        return tuple(pool for collaboration in self.collaborations for pool in collaboration.participants)

    @property
    def message_flows(self) -> tuple[MessageFlow, ...]:
        """All message flows."""
        return tuple(flow for collaboration in self.collaborations for flow in collaboration.message_flows)

    @property
    def has_diagram(self) -> bool:
        """Whether the file says where its shapes are."""
        return self.diagram.shapes > 0

    def process(self, key: str) -> ProcessModel:
        """Return the process with that id.

        Raises:
            KeyError: the file has none.
        """
        for process in self.processes:
            if process.key == key:
                return process
        raise KeyError(key)
