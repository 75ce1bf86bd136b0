"""The processes that the benchmarks run, as BPMN files."""

from __future__ import annotations

from collections.abc import Iterable

_HEAD = (
    '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="urn:bpm-bench">'
)
_START, _END = '<startEvent id="start"/>', '<endEvent id="end"/>'


def _process(key: str, nodes: Iterable[str], flows: Iterable[str]) -> bytes:
    inside = "".join([_START, *nodes, _END, *flows])
    return f'{_HEAD}<process id="{key}" isExecutable="true">{inside}</process></definitions>'.encode()


def _flow(source: str, target: str, condition: str = "") -> str:
    ends = f'id="{source}-{target}" sourceRef="{source}" targetRef="{target}"'
    if not condition:
        return f"<sequenceFlow {ends}/>"
    inside = f'<conditionExpression xsi:type="tFormalExpression">{condition}</conditionExpression>'
    return f"<sequenceFlow {ends}>{inside}</sequenceFlow>"


def _external(name: str, topic: str) -> str:
    return f'<serviceTask id="{name}" camunda:type="external" camunda:topic="{topic}"/>'


def path(key: str, *nodes: str) -> bytes:
    """Return nodes in a row; each is an element with `{id}` in place of its id."""
    names = [f"n{number}" for number in range(len(nodes))]
    flows = [_flow(*ends) for ends in zip(["start", *names], [*names, "end"], strict=True)]
    return _process(key, [node.format(id=name) for node, name in zip(nodes, names, strict=True)], flows)


def external(key: str) -> bytes:
    """Return start, one external task whose topic is the key, end."""
    return path(key, _external("{id}", key))


def user(key: str) -> bytes:
    """Return start, one user task, end."""
    return path(key, '<userTask id="{id}"/>')


def pass_through(key: str, length: int) -> bytes:
    """Return a path of nodes that wait for nothing."""
    return path(key, *['<task id="{id}"/>'] * length)


def loop(key: str, turns: int) -> bytes:
    """Return a loop in which an expression counts the variable `n` up."""
    count = '<serviceTask id="count" camunda:expression="${n + 1}" camunda:resultVariable="n"/>'
    flows = [_flow("start", "count"), _flow("count", "again"), _flow("again", "end")]
    flows.append(_flow("again", "count", f"${{n &lt; {turns}}}"))
    return _process(key, [count, '<exclusiveGateway id="again" default="again-end"/>'], flows)


def fork(key: str, width: int) -> bytes:
    """Return a fork into external tasks whose topic is the key, and their join."""
    branches = [f"b{number}" for number in range(width)]
    tasks = [_external(name, key) for name in branches]
    flows = [_flow("start", "fork"), _flow("join", "end")]
    flows += [part for name in branches for part in (_flow("fork", name), _flow(name, "join"))]
    return _process(key, ['<parallelGateway id="fork"/>', *tasks, '<parallelGateway id="join"/>'], flows)


def multi_instance(key: str, items: int) -> bytes:
    """Return start, one activity with that many parallel external tasks whose topic is the key, end."""
    loop = f"<loopCardinality>{items}</loopCardinality>"
    task = (
        f'<serviceTask id="{{id}}" camunda:type="external" camunda:topic="{key}">'
        f"<multiInstanceLoopCharacteristics>{loop}</multiInstanceLoopCharacteristics></serviceTask>"
    )
    return path(key, task)
