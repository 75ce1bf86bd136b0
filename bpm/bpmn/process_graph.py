"""From a process's layout to its graph."""

from __future__ import annotations

from bpm.bpmn.compensation import compensating_event_subprocesses
from bpm.bpmn.extras import read_extras, read_version_tag
from bpm.bpmn.flow_conditions import read_condition
from bpm.bpmn.layout import FlowXml, Layout
from bpm.bpmn.process_reading import ProcessReading
from bpm.bpmn.starts import starts_of
from bpm.bpmn.tags import is_true
from bpm.core.dominators import binding_forks
from bpm.core.elements.registry import ELEMENTS
from bpm.core.graph import Flow, Graph, Node, ScopeGraph, node_map
from bpm.core.xml import XmlElement


def compile_graph(layout: Layout, reading: ProcessReading) -> Graph:
    """Return the graph; problems are reported to `reading`, and with any the graph must not be used."""
    nodes = node_map(_read_nodes(layout, reading))
    flows = {flow.id: _flow(flow, layout, reading) for flow in layout.flows.values()}
    scopes = {name: _scope(layout, name, reading) for name in layout.scopes}
    return Graph(
        key=layout.key,
        name=_name(layout.xml),
        version_tag=read_version_tag(layout.xml),
        nodes=nodes,
        flows=flows,
        scopes=scopes,
        extras=read_extras(layout),
        binding_fork=_binding_forks(scopes, nodes, flows) if len(nodes) == len(layout.nodes) else {},
    )


def _name(xml: XmlElement) -> str:
    return xml.get("name").strip()


def _flow(flow: FlowXml, layout: Layout, reading: ProcessReading) -> Flow:
    return Flow(
        flow.id,
        flow.source,
        flow.target,
        read_condition(flow, layout, reading),
        _name(flow.xml),
        reading.take_listeners(flow.xml),
    )


def _read_nodes(layout: Layout, reading: ProcessReading) -> list[Node]:
    nodes: list[Node] = []
    for node in layout.nodes.values():
        element = ELEMENTS.get(node.tag)
        if element is None:
            reading.problem(node.xml, "unsupported-element", f"The element {node.tag} is not supported.")
        else:
            nodes.append(element.read(node.xml, reading))
    return nodes


def _scope(layout: Layout, name: str, reading: ProcessReading) -> ScopeGraph:
    scope = layout.scopes[name]
    compensating = compensating_event_subprocesses(layout, scope, reading)
    starts = starts_of(layout, scope)
    inner = [layout.scopes[node] for node in scope.nodes if node in layout.scopes]
    handlers = tuple(one.id for one in inner if is_true(one.xml.get("triggeredByEvent")))
    unentered = scope.parent is None or is_true(scope.xml.get("triggeredByEvent"))
    return ScopeGraph(
        id=name,
        parent=scope.parent,
        starts=starts.triggered if is_true(scope.xml.get("triggeredByEvent")) else starts.none,
        nodes=tuple(scope.nodes),
        handlers=handlers,
        compensation=compensating[0].id if compensating else None,
        data=reading.data.of_scope(scope.xml),
        on_start=reading.listeners(scope.xml, "executionListener", "start") if unentered else (),
        on_end=reading.listeners(scope.xml, "executionListener", "end") if unentered else (),
    )


def _binding_forks(
    scopes: dict[str, ScopeGraph], nodes: dict[str, Node], flows: dict[str, Flow]
) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for scope in scopes.values():
        found.update(binding_forks(scope, nodes, flows))
    return found
