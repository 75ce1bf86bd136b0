"""Small processes for tests about loops."""

from __future__ import annotations

from itertools import pairwise

from bpm import engine

_FILE = (
    '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" '
    'xmlns:camunda="http://camunda.org/schema/1.0/bpmn" id="file" targetNamespace="urn:test">'
    '<process id="{key}" isExecutable="true"><startEvent id="start"/>{middle}<endEvent id="end"/></process>'
    "</definitions>"
)


def process(key: str, *nodes: str) -> bytes:
    """Return a file with a sequence of nodes, ids `n1`, `n2` …, between start and end.

    A node is XML with `ID` in place of its id.
    """
    places = ["start", *(f"n{number + 1}" for number in range(len(nodes))), "end"]
    parts = [node.replace("ID", f'id="{place}"', 1) for node, place in zip(nodes, places[1:], strict=False)]
    flows = pairwise(places)
    parts += [f'<sequenceFlow id="f{n}" sourceRef="{a}" targetRef="{b}"/>' for n, (a, b) in enumerate(flows)]
    return _FILE.format(key=key, middle="".join(parts)).encode()


def timer(text: str, kind: str = "timeDuration") -> str:
    """Return a catch event that waits for a time."""
    return (
        f"<intermediateCatchEvent ID><timerEventDefinition><{kind}>{text}</{kind}>"
        "</timerEventDefinition></intermediateCatchEvent>"
    )


def service(name: str, extra: str = "", inside: str = "") -> str:
    """Return a service task for a handler of this name."""
    return f'<serviceTask ID camunda:class="{name}" {extra}>{inside}</serviceTask>'


def external(topic: str) -> str:
    """Return a service task for workers."""
    return f'<serviceTask ID camunda:type="external" camunda:topic="{topic}"/>'


def retries(cycle: str) -> str:
    """Return the extension that says how often and when a job is attempted again."""
    tag = "camunda:failedJobRetryTimeCycle"
    return f"<extensionElements><{tag}>{cycle}</{tag}></extensionElements>"


def deploy(*files: bytes) -> None:
    """Deploy files, all in one deployment."""
    engine.deploy([(f"{number}.bpmn", file) for number, file in enumerate(files)])
