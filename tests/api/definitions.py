"""BPMN files for the tests of the API."""

from __future__ import annotations

_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" '
    'xmlns:camunda="http://camunda.org/schema/1.0/bpmn" id="file" targetNamespace="urn:test">\n'
)


def bpmn(key: str, body: str, *, executable: bool = True) -> bytes:
    """Return a file with one process."""
    flag = "true" if executable else "false"
    return f'{_HEAD}<process id="{key}" name="{key}" isExecutable="{flag}">\n{body}\n</process>\n</definitions>\n'.encode()


def flow(source: str, target: str, condition: str = "") -> str:
    """Return a sequence flow named after its ends."""
    inside = f"<conditionExpression>{condition}</conditionExpression>" if condition else ""
    return f'<sequenceFlow id="{source}-{target}" sourceRef="{source}" targetRef="{target}">{inside}</sequenceFlow>'


def line(*nodes: str) -> str:
    """Return the flows of a sequence of nodes."""
    return "".join(flow(a, b) for a, b in zip(nodes, nodes[1:], strict=False))


START, END = '<startEvent id="start"/>', '<endEvent id="end"/>'
MINIMAL = bpmn("minimal", START + END + line("start", "end"))
PAYMENT = bpmn(
    "payment-flow",
    START
    + '<serviceTask id="pay" camunda:type="external" camunda:topic="payment"/>'
    + END
    + line("start", "pay", "end"),
)
APPROVAL = bpmn(
    "approval",
    START
    + '<userTask id="approve" name="Approve" camunda:candidateUsers="ann,bob" camunda:candidateGroups="bosses"/>'
    + END
    + line("start", "approve", "end"),
)
FORK = bpmn(
    "fork",
    START
    + '<parallelGateway id="split"/><userTask id="a"/><userTask id="b"/><userTask id="c"/>'
    + '<parallelGateway id="join"/>'
    + END
    + flow("start", "split")
    + "".join(flow("split", name) + flow(name, "join") for name in "abc")
    + flow("join", "end"),
)
CHOICE = bpmn(
    "choice",
    START
    + '<exclusiveGateway id="which"/><userTask id="big"/>'
    + END
    + flow("start", "which")
    + flow("which", "big", "${amount > 100}")
    + flow("which", "end", "${amount &lt;= 100}")
    + flow("big", "end"),
)
WAITING = bpmn(
    "waiting",
    START
    + '<intermediateCatchEvent id="pause"><timerEventDefinition><timeDuration>PT1H</timeDuration>'
    + "</timerEventDefinition></intermediateCatchEvent>"
    + END
    + line("start", "pause", "end"),
)
DRAFT = bpmn("draft", START + END + line("start", "end"), executable=False)
EVERY = {
    "minimal.bpmn": MINIMAL,
    "payment.bpmn": PAYMENT,
    "approval.bpmn": APPROVAL,
    "fork.bpmn": FORK,
    "choice.bpmn": CHOICE,
    "waiting.bpmn": WAITING,
    "draft.bpmn": DRAFT,
}
