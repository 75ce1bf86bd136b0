"""Small BPMN files for tests, written as the text of their processes."""

from __future__ import annotations

from itertools import pairwise

from bpm.bpmn import BpmnFile, ProcessModel, read_file
from bpm.core.errors import Problem
from bpm.core.graph import Graph

HEAD = (
    '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    ' xmlns:camunda="http://camunda.org/schema/1.0/bpmn"'
    ' xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"'
    ' xmlns:own="urn:bpm-engine:1" xmlns:other="urn:other"'
    ' id="d" targetNamespace="urn:test">'
)
LINE = (
    '<startEvent id="s"/><task id="t"/><endEvent id="e"/>'
    '<sequenceFlow id="f1" sourceRef="s" targetRef="t"/><sequenceFlow id="f2" sourceRef="t" targetRef="e"/>'
)
"""The inside of a process: start, task, end."""


def flow(source: str, target: str, condition: str | None = None, *, name: str = "") -> str:
    """Return a sequence flow; its id is its two ends."""
    inside = "" if condition is None else f"<conditionExpression>{condition}</conditionExpression>"
    ends = f'id="{name or source + "-" + target}" sourceRef="{source}" targetRef="{target}"'
    return f"<sequenceFlow {ends}>{inside}</sequenceFlow>"


def path(*nodes: str) -> str:
    """Return flows from each node to the next."""
    return "".join(flow(source, target) for source, target in pairwise(nodes))


def process(body: str, attributes: str = "", *, key: str = "p", executable: bool = True) -> str:
    """Return a process element."""
    return f'<process id="{key}" isExecutable="{str(executable).lower()}" {attributes}>{body}</process>'


def definitions(*elements: str) -> bytes:
    """Return a file with these elements below its root."""
    return (HEAD + "".join(elements) + "</definitions>").encode()


def read(body: str, attributes: str = "", *, root: str = "", executable: bool = True) -> ProcessModel:
    """Read a file with one process, and root elements after it."""
    return read_all(process(body, attributes, executable=executable), root).processes[0]


def read_all(*elements: str) -> BpmnFile:
    """Read a file with these elements below its root."""
    return read_file(definitions(*elements))


def graph(body: str, attributes: str = "", *, root: str = "") -> Graph:
    """Return the graph of a process without problems."""
    model = read(body, attributes, root=root)
    assert model.problems == ()
    assert model.graph is not None
    return model.graph


def found(problems: tuple[Problem, ...]) -> set[tuple[str, str]]:
    """Return what was found as element and rule."""
    return {(problem.element, problem.rule) for problem in problems}


def around(inside: str, node: str = "x") -> str:
    """Return the inside of a process in which one node stands between start and end."""
    return f'<startEvent id="s"/>{inside}<endEvent id="e"/>' + path("s", node, "e")
