"""Lays out one process of a file."""

from __future__ import annotations

from typing import Final

from bpm.bpmn.file_index import FileIndex
from bpm.bpmn.global_tasks import as_called_task
from bpm.bpmn.layout import FlowXml, Layout, NodeXml, ScopeXml
from bpm.bpmn.problems import Problems
from bpm.bpmn.tags import CHOREOGRAPHY, FLOW_NODES, PASSIVE, SUBPROCESSES, is_bpmn
from bpm.bpmn.working_events import as_send_task
from bpm.core.xml import BPMN, XmlElement

_OF_ACTIVITIES: Final = frozenset(
    {"incoming", "outgoing", "completionCondition", "extensionElements", "ioSpecification"}
)


def read_layout(process: XmlElement, key: str, index: FileIndex, problems: Problems) -> Layout:
    """Return the layout; what does not hold is reported and left out."""
    layout = Layout(key, process)
    problems.owners[id(process)] = key
    _read_scope(layout, process, key, None, index, problems)
    for scope, xml in layout.flow_elements:
        _read_flow(layout, xml, scope, index, problems)
    return layout


def _read_scope(
    layout: Layout, xml: XmlElement, name: str, parent: str | None, index: FileIndex, problems: Problems
) -> None:
    scope = layout.scopes[name] = ScopeXml(name, parent, xml)
    for child in xml.children:
        if is_bpmn(child, FLOW_NODES):
            node = _read_node(layout, as_send_task(as_called_task(child, index), index), scope, problems)
            if child.tag in SUBPROCESSES:
                _read_scope(layout, child, node, name, index, problems)
        elif child.space == BPMN and child.tag == "sequenceFlow":
            layout.flow_elements.append((name, child))
        else:
            _read_other(child, problems)
            if child.tag == "extensionElements":
                _own(child, name, problems)


def _read_node(layout: Layout, xml: XmlElement, scope: ScopeXml, problems: Problems) -> str:
    order = len(layout.nodes)
    name = xml.id or f"{xml.tag}-{order + 1}"
    problems.owners[id(xml)] = xml.id or xml.tag
    if not xml.id:
        problems.problem(xml, "missing-id", f"A flow node needs an id; this {xml.tag} has none.")
    if name in layout.nodes:
        problems.problem(xml, "duplicate-id", f"The id {name!r} is used by more than one element.")
        name = f"{name}#{order + 1}"
    layout.nodes[name] = NodeXml(name, xml, scope.id, order)
    layout.ids[id(xml)] = name
    scope.nodes.append(name)
    _own(xml, name, problems)
    return name


def _own(xml: XmlElement, owner: str, problems: Problems) -> None:
    """Let everything inside be reported at the owner; of a subprocess only what is not its inner scope."""
    for child in xml.children:
        if not is_bpmn(xml, SUBPROCESSES) or _belongs_to_subprocess(child):
            problems.owners[id(child)] = owner
            _own(child, owner, problems)


def _read_other(xml: XmlElement, problems: Problems) -> None:
    if is_bpmn(xml, CHOREOGRAPHY):
        problems.problem(xml, "choreography", f"A {xml.tag} cannot stand in a process.")
    elif xml.space != BPMN:
        where = xml.space or "no namespace"
        problems.warning(xml, "foreign-element", f"The element {xml.tag} of {where} is ignored.")
    elif xml.tag not in PASSIVE and not _belongs_to_subprocess(xml):
        problems.problem(xml, "unsupported-element", f"The element {xml.tag} is not supported in a process.")


def _belongs_to_subprocess(xml: XmlElement) -> bool:
    """Children that an activity may have: they are looked at where the subprocess is read as a node."""
    return xml.tag.endswith(("LoopCharacteristics", "Association")) or xml.tag in _OF_ACTIVITIES


def _read_flow(layout: Layout, xml: XmlElement, scope: str, index: FileIndex, problems: Problems) -> None:
    name = xml.id or f"{xml.get('sourceRef')}->{xml.get('targetRef')}"
    problems.owners[id(xml)] = name
    _own(xml, name, problems)
    if name in layout.flows or name in layout.nodes:
        if xml.id:
            problems.problem(xml, "duplicate-id", f"The id {name!r} is used by more than one element.")
        name = f"{name}#{len(layout.flows) + 1}"
    source = _end(layout, xml, "sourceRef", index, problems)
    target = _end(layout, xml, "targetRef", index, problems)
    if source is None or target is None:
        return
    if layout.nodes[source].scope != layout.nodes[target].scope:
        message = f"The flow from {source!r} to {target!r} leaves its (sub)process."
        problems.problem(xml, "flow-crosses-scope", message)
        return
    layout.flows[name] = FlowXml(name, xml, source, target)
    layout.outgoing[source].append(name)
    layout.incoming[target].append(name)


def _end(layout: Layout, xml: XmlElement, which: str, index: FileIndex, problems: Problems) -> str | None:
    """Return the node at one end of a flow, None after reporting why there is none."""
    reference = xml.get(which).strip()
    node = layout.node(reference)
    if node is not None:
        return node.id
    found = index.find(reference)
    end = f"The {which} {reference!r} of the flow"
    if found is not None and is_bpmn(found, CHOREOGRAPHY):
        return None
    if not reference:
        problems.problem(xml, "dangling-reference", f"The flow has no {which}.")
    elif found is None:
        problems.problem(xml, "dangling-reference", f"{end} is not in the file.")
    elif is_bpmn(found, FLOW_NODES):
        problems.problem(xml, "flow-crosses-process", f"{end} is in another process.")
    else:
        problems.problem(xml, "flow-end", f"{end} is a {found.tag}, no flow node.")
    return None
