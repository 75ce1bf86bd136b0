"""The way in: bytes to the neutral model, every process checked and compiled."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, tzinfo
from typing import NamedTuple

from bpm.bpmn.artifacts import read_annotations, read_associations, read_data, read_groups
from bpm.bpmn.checks import run_checks
from bpm.bpmn.checksum import content_checksum
from bpm.bpmn.collaboration import COLLABORATION_TAGS, read_collaborations
from bpm.bpmn.diagram import read_diagram
from bpm.bpmn.extras import read_version_tag
from bpm.bpmn.file_index import FileIndex
from bpm.bpmn.file_warnings import read_file_warnings
from bpm.bpmn.global_tasks import drawn_tag
from bpm.bpmn.lanes import read_lanes
from bpm.bpmn.layout import Layout
from bpm.bpmn.layout_reader import read_layout
from bpm.bpmn.limits import DEFAULT_LIMITS, Limits
from bpm.bpmn.model import BpmnFile, ProcessModel
from bpm.bpmn.problems import Problems
from bpm.bpmn.process_graph import compile_graph
from bpm.bpmn.process_reading import ProcessReading
from bpm.bpmn.tags import is_boolean, is_true
from bpm.bpmn.xml import read_xml
from bpm.core.errors import DefinitionInvalid, Problem
from bpm.core.graph import Graph
from bpm.core.xml import BPMN, XmlElement


class _File(NamedTuple):
    """What all processes of a file share."""

    elements: FileIndex
    checksum: str
    zone: tzinfo
    force_executable: bool
    script_formats: frozenset[str]
    limits: Limits
    stored: bool


def read_file(
    data: bytes,
    *,
    name: str = "",
    zone: tzinfo = UTC,
    limits: Limits = DEFAULT_LIMITS,
    force_executable: bool = False,
    script_formats: frozenset[str] = frozenset(),
    stored: bool = False,
) -> BpmnFile:
    """Read a BPMN file.

    Vendor bugs (duplicate ids, dangling references, flows across scopes) are problems of the process they
    are in, not errors of the call: the caller refuses a file by `BpmnFile.problems`.

    Args:
        data: the file as it came, in any encoding that it declares.
        name: of the file; goes into every problem.
        zone: of times in the file that have none.
        force_executable: check and compile processes that are not marked as executable, too.
        script_formats: lower-case formats for which a handler is registered, beside the usual languages.
        stored: it was deployed before, so how its values are written is not judged again.

    Raises:
        DefinitionInvalid: it is too large, hostile, no XML or no BPMN.
    """
    try:
        root = read_xml(data, limits)
        _check_root(root)
    except DefinitionInvalid as error:
        raise DefinitionInvalid(_named(error.problems, name)) from None
    elements = FileIndex(root, limits.elements)
    file = _File(elements, content_checksum(root), zone, force_executable, script_formats, limits, stored)
    try:
        processes = tuple(_read_process(xml, file, name) for xml in root.all("process"))
    except DefinitionInvalid as error:
        raise DefinitionInvalid(_named(error.problems, name)) from None
    return BpmnFile(
        name=name,
        checksum=file.checksum,
        attributes=root.attributes,
        processes=processes,
        collaborations=read_collaborations(root),
        root_elements=_root_elements(root),
        diagram=read_diagram(root),
        warnings=_named(read_file_warnings(elements), name),
        xml=root,
    )


def _named(problems: tuple[Problem, ...], name: str) -> tuple[Problem, ...]:
    return tuple(problem._replace(resource=name) for problem in problems) if name else problems


def _root_elements(root: XmlElement) -> tuple[XmlElement, ...]:
    others = ("process", "documentation", "extensionElements", *COLLABORATION_TAGS)
    return tuple(child for child in root.children if child.space == BPMN and child.tag not in others)


def _check_root(root: XmlElement) -> None:
    if root.tag == "definitions" and root.space == BPMN:
        return
    found = f"{root.tag} of {root.space}" if root.space else root.tag
    message = f"This is no BPMN 2.0 file: its root element is {found}."
    raise DefinitionInvalid((Problem("", root.line, "not-bpmn", message),))


def _compile(layout: Layout, reading: ProcessReading, file: _File) -> Graph | None:
    """Check and compile a process, unless it is so large that this alone would take too long."""
    most = file.limits.flow_nodes
    if len(layout.nodes) > most:
        message = f"The process has {len(layout.nodes)} flow nodes, more than the {most} allowed."
        reading.problem(layout.xml, "too-large", message)
        return None
    run_checks(layout, reading, stored=file.stored)
    return compile_graph(layout, reading)


def _read_process(xml: XmlElement, file: _File, name: str) -> ProcessModel:
    said = xml.get("isExecutable", "false")
    # Whoever writes something else there may mean either, so the process is judged, and refused for that.
    executable = is_true(said) or not (is_boolean(said) or file.stored)
    key = xml.id or "process"
    problems = Problems()
    layout = read_layout(xml, key, file.elements, problems)
    reading = ProcessReading(layout, file.elements, problems, file.zone, file.script_formats)
    graph = _compile(layout, reading, file)
    refusing, warnings = problems.problems, problems.warnings
    if not (executable or file.force_executable):
        refusing, warnings = (), (*refusing, *warnings)
    usable = not problems.problems and (executable or file.force_executable)
    return ProcessModel(
        key=key,
        name=xml.get("name").strip(),
        executable=executable,
        problems=_named(refusing, name),
        warnings=_named(warnings, name),
        graph=graph if usable else None,
        checksum=file.checksum,
        version_tag=read_version_tag(xml),
        documentation=xml.child_text("documentation") or "",
        flow_nodes=Counter(drawn_tag(node.xml) for node in layout.nodes.values()),
        sequence_flows=len(layout.flow_elements),
        lanes=read_lanes(xml),
        data=read_data(xml),
        annotations=read_annotations(xml),
        groups=read_groups(xml),
        associations=read_associations(xml),
        xml=xml,
    )
