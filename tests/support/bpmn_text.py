"""BPMN files for what the small models cannot say: subprocesses, boundary events, loops. XML, with flows in short.

bpmn('<startEvent id="s"/>', '<userTask id="a"/>', '<endEvent id="e"/>', flows("s a", "a e"))
"""

from __future__ import annotations

_NAMESPACES = (
    'xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xmlns:camunda="http://camunda.org/schema/1.0/bpmn" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" '
    'targetNamespace="urn:test"'
)


def bpmn(*body: str, key: str = "p", roots: str = "") -> bytes:
    """Return a file with one executable process; `roots` are messages, signals, errors and escalations."""
    process = f'<process id="{key}" isExecutable="true">{"".join(body)}</process>'
    return f'<definitions id="d" {_NAMESPACES}>{roots}{process}</definitions>'.encode()


def flows(*pairs: str) -> str:
    """Return sequence flows; each pair is `source target`, and the flow's id is `source_target`."""
    found = []
    for pair in pairs:
        source, target = pair.split()
        found.append(f'<sequenceFlow id="{source}_{target}" sourceRef="{source}" targetRef="{target}"/>')
    return "".join(found)


def subprocess(name: str, *body: str, attributes: str = "") -> str:
    """Return an embedded subprocess."""
    return f'<subProcess id="{name}" {attributes}>{"".join(body)}</subProcess>'


def one_task(name: str) -> str:
    """Return the inside of a scope: a start, one user task, an end."""
    start, end = f"{name}_start", f"{name}_end"
    nodes = f'<startEvent id="{start}"/><userTask id="{name}"/><endEvent id="{end}"/>'
    return nodes + flows(f"{start} {name}", f"{name} {end}")
