"""Tasks that are worked on by workers, handlers, expressions or messages, as the graph holds them."""

from __future__ import annotations

import pytest

from bpm.bpmn import read_file
from bpm.core.elements.boundary_event import BoundaryEvent
from bpm.core.elements.receive_task import ReceiveTask
from bpm.core.elements.service_task import ServiceTask
from bpm.core.elements.start_event import StartEvent
from bpm.core.elements.subprocess import SubProcess
from tests.bpmn.files import LINE, around, definitions, flow, found, graph, path, process, read, read_all

MESSAGE = '<message id="m" name="M"/>'
TAGS = ("serviceTask", "sendTask", "businessRuleTask")
TIMER = "<timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition>"


def work(tag: str, attributes: str = "", inside: str = "") -> ServiceTask:
    """Return such a task as it is read."""
    node = graph(around(f'<{tag} id="x" {attributes}>{inside}</{tag}>'), root=MESSAGE).nodes["x"]
    assert isinstance(node, ServiceTask)
    return node


@pytest.mark.parametrize("tag", TAGS)
def test_work_for_workers(tag: str) -> None:
    node = work(tag, 'camunda:type="external" camunda:topic="pay-${kind}" camunda:taskPriority="7"')
    assert node.topic is not None
    assert node.priority is not None
    assert (node.external, node.topic.names, node.priority.text) == (True, frozenset({"kind"}), "7")
    definition = '<extensionElements><zeebe:taskDefinition type="pay" retries="5"/></extensionElements>'
    node = work(tag, inside=definition)
    assert node.topic is not None
    assert (node.external, node.topic.text, node.retries) == (True, "pay", 5)


@pytest.mark.parametrize("tag", TAGS)
def test_work_for_handlers_and_expressions(tag: str) -> None:
    node = work(tag, 'camunda:class="a.B" camunda:resultVariable="r"')
    assert (node.external, node.names, node.result_variable) == (False, ("a.B",), "r")
    assert work(tag, 'camunda:delegateExpression="${b}"').names == ("${b}",)
    node = work(tag, 'camunda:expression="${a + 1}"')
    assert node.expression is not None
    assert (node.expression.names, node.names, node.external) == (frozenset({"a"}), (), False)


def test_a_send_task_throws_its_message_only_without_other_work() -> None:
    assert work("sendTask", 'messageRef="m"').throws
    assert not work("sendTask").throws
    for other in (
        'camunda:type="external" camunda:topic="t"',
        'camunda:class="a.B"',
        'camunda:expression="${1}"',
    ):
        assert not work("sendTask", f'messageRef="m" {other}').throws


@pytest.mark.parametrize("retries", ["0", "-1", "many"])
def test_retries_are_a_number_above_zero(retries: str) -> None:
    inside = f'<extensionElements><zeebe:taskDefinition type="pay" retries="{retries}"/></extensionElements>'
    body = around(f'<serviceTask id="x">{inside}</serviceTask>')
    assert found(read(body).problems) == {("x", "retries")}


def test_decisions_are_refused_until_there_are_some() -> None:
    body = around('<businessRuleTask id="x" camunda:decisionRef="d"/>')
    assert found(read(body).problems) == {("x", "unsupported-attribute")}


@pytest.mark.parametrize(
    ("tag", "called"),
    [
        ("globalTask", "task"),
        ("globalUserTask", "userTask"),
        ("globalScriptTask", "scriptTask"),
        ("globalManualTask", "manualTask"),
        ("globalBusinessRuleTask", "businessRuleTask"),
    ],
)
def test_a_call_of_a_global_task_is_that_task(tag: str, called: str) -> None:
    body = process(around('<callActivity id="x" calledElement="g"/>'))
    (model,) = read_all(body, f'<{tag} id="g" name="G"/>').processes
    assert model.graph is not None
    assert (model.graph.nodes["x"].tag, model.graph.nodes["x"].name) == (called, "G")
    assert model.flow_nodes["callActivity"] == 1
    (other,) = read_all(body, f'<{tag} id="other"/>').processes
    assert other.graph is not None
    assert other.graph.nodes["x"].tag == "callActivity"


@pytest.mark.parametrize(("yes", "no"), [("true", "false"), ("1", "0"), (" True ", " False ")])
def test_booleans_are_read_in_both_spellings(yes: str, no: str) -> None:
    body = (
        LINE
        + f'<boundaryEvent id="b" attachedToRef="t" cancelActivity="{no}" parallelMultiple="{yes}">{TIMER}{TIMER}'
        + f'</boundaryEvent><subProcess id="q" triggeredByEvent="{yes}"><startEvent id="a" isInterrupting="{no}">'
        + f"{TIMER}</startEvent></subProcess>"
    )
    nodes = graph(body).nodes
    boundary, subprocess, start = nodes["b"], nodes["q"], nodes["a"]
    assert isinstance(boundary, BoundaryEvent)
    assert isinstance(subprocess, SubProcess)
    assert isinstance(start, StartEvent)
    assert (boundary.interrupting, boundary.parallel) == (False, True)
    assert (subprocess.triggered, start.interrupting) == (True, False)


def test_a_receive_task_may_start_or_wait() -> None:
    body = '<receiveTask id="x" instantiate="1" messageRef="m"/>'
    compiled = graph(body, root=MESSAGE)
    node = compiled.nodes["x"]
    assert isinstance(node, ReceiveTask)
    assert (node.instantiate, compiled.extras["triggered_starts"]) == (True, ("x",))
    waiting = graph(around('<receiveTask id="x" messageRef="m"/>'), root=MESSAGE).nodes["x"]
    assert isinstance(waiting, ReceiveTask)
    assert not waiting.instantiate


def test_subprocesses_may_be_nested_deeply() -> None:
    depth = 190
    inside = "".join(f'<startEvent id="s{one}"/><subProcess id="q{one}">' for one in range(depth))
    inside += '<startEvent id="last"/>' + "".join("</subProcess>" for _ in range(depth))
    flows = "".join(
        f'<sequenceFlow id="f{one}" sourceRef="s{one}" targetRef="q{one}"/></subProcess>'
        for one in reversed(range(1, depth))
    )
    text = inside.replace("</subProcess>" * depth, "</subProcess>" + flows)
    text += '<sequenceFlow id="f0" sourceRef="s0" targetRef="q0"/>'
    compiled = graph(text)
    assert (len(compiled.scopes), compiled.scopes[f"q{depth - 1}"].starts) == (depth + 1, ("last",))
    assert compiled.scopes["q5"].parent == "q4"


def test_nested_too_deeply_is_a_problem_of_the_file() -> None:
    from bpm.core.errors import DefinitionInvalid

    body = "".join(f'<subProcess id="q{one}">' for one in range(300)) + "</subProcess>" * 300
    with pytest.raises(DefinitionInvalid) as invalid:
        read(body)
    assert {problem.rule for problem in invalid.value.problems} == {"too-deep"}


@pytest.mark.parametrize("tag", ["intermediateThrowEvent", "endEvent"])
@pytest.mark.parametrize(
    ("inside", "topic"),
    [
        ('<messageEventDefinition camunda:type="external" camunda:topic="mail"/>', "mail"),
        ('<messageEventDefinition camunda:delegateExpression="${mailer}"/>', "${mailer}"),
        (
            '<extensionElements><zeebe:taskDefinition type="mail"/></extensionElements><messageEventDefinition/>',
            "mail",
        ),
    ],
)
def test_a_message_event_with_work_is_a_send_task(tag: str, inside: str, topic: str) -> None:
    body = '<startEvent id="s"/>' + f'<{tag} id="x">{inside}</{tag}>' + path("s", "x")
    model = read(body)
    assert model.problems == ()
    assert model.graph is not None
    node = model.graph.nodes["x"]
    assert isinstance(node, ServiceTask)
    assert (node.topic.text if node.topic else None, node.throws) == (topic, False)
    assert model.flow_nodes[tag] == 1


def test_work_that_nobody_would_do_is_refused() -> None:
    body = around(
        '<intermediateThrowEvent id="x"><extensionElements><zeebe:taskDefinition type="mail"/></extensionElements>'
        "</intermediateThrowEvent>"
    )
    assert found(read(body).problems) == {("x", "unsupported-element")}


def test_a_message_without_name_goes_by_its_id() -> None:
    body = around('<receiveTask id="x" messageRef="m"/>')
    (model,) = read_all(process(body), '<message id="m"/>').processes
    assert model.graph is not None
    node = model.graph.nodes["x"]
    assert isinstance(node, ReceiveTask)
    assert node.message is not None
    assert node.message.name.text == "m"


def test_the_language_of_the_file_is_that_of_its_conditions() -> None:
    text = (
        definitions(process(LINE + flow("s", "e", "a = 1")))
        .decode()
        .replace(
            "<definitions", '<definitions expressionLanguage="https://www.omg.org/spec/DMN/20191111/FEEL/"', 1
        )
    )
    (model,) = read_file(text.encode()).processes
    assert model.problems == ()
    assert model.graph is not None
    condition = model.graph.flows["s-e"].condition
    assert condition is not None
    assert condition.text == "=a = 1"
