"""Vendor extensions and standard content that would change how a process runs are acted on or refused."""

from __future__ import annotations

import pytest

from bpm.core.elements.subprocess import SubProcess
from tests.bpmn.files import HEAD, LINE, around, found, graph, read, read_all


def task(inside: str = "", attributes: str = "", tag: str = "task") -> str:
    """Return the inside of a process with one such task."""
    return around(f'<{tag} id="x" {attributes}>{inside}</{tag}>')


def extension(element: str) -> str:
    """Return extension elements."""
    return f"<extensionElements>{element}</extensionElements>"


REFUSED_INSIDE = [
    "<unheardOf/>",
    *(
        extension(f"<{element}/>")
        for element in (
            *(
                "camunda:connector",
                "camunda:errorEventDefinition",
                "camunda:field",
                "camunda:in",
                "camunda:out",
                "camunda:unheardOf",
            ),
            *("zeebe:executionListeners", "zeebe:taskListeners", "zeebe:taskHeaders"),
            *("zeebe:unheardOf", "own:unheardOf"),
        )
    ),
]


@pytest.mark.parametrize("inside", REFUSED_INSIDE)
def test_elements_that_are_not_supported_are_refused_never_ignored(inside: str) -> None:
    assert found(read(task(inside)).problems) == {("x", "unsupported-element")}


@pytest.mark.parametrize(
    "namespace", ["operaton.org/schema/1.0/bpmn", "flowable.org/bpmn", "activiti.org/bpmn"]
)
def test_the_vendors_namespaces_mean_the_same(namespace: str) -> None:
    body = task(extension(f'<v:connector xmlns:v="http://{namespace}"/>'))
    assert found(read(body).problems) == {("x", "unsupported-element")}


def test_listeners_without_expression_or_at_an_unknown_event_are_refused() -> None:
    listener = '<camunda:executionListener event="{}" {}/>'
    assert found(read(task(extension(listener.format("start", "")))).problems) == {("x", "listener")}
    later = extension(listener.format("later", 'expression="${a}"'))
    assert found(read(task(later)).problems) == {("x", "unsupported-element")}


@pytest.mark.parametrize(
    "inside",
    [
        "<documentation>x</documentation>",
        "<ioSpecification><inputSet/><outputSet/></ioSpecification>",
        '<property id="pr"/>',
        extension('<camunda:properties><camunda:property name="a" value="b"/></camunda:properties>'),
        extension('<camunda:formData><camunda:formField id="a" type="string"/></camunda:formData>'),
        extension("<zeebe:properties/><zeebe:userTask/><other:anything><other:inside/></other:anything>"),
    ],
)
def test_elements_without_effect_are_accepted_in_silence(inside: str) -> None:
    model = read(task(inside))
    assert (model.problems, model.warnings) == ((), ())


@pytest.mark.parametrize(
    "attributes",
    [
        'camunda:modelerTemplate="a" camunda:modelerTemplateVersion="1"',
        'camunda:formKey="a" camunda:exclusive="false"',
        'zeebe:modelerTemplate="a" other:anything="x"',
    ],
)
def test_attributes_without_effect_are_accepted_in_silence(attributes: str) -> None:
    model = read(task(attributes=attributes, tag="userTask"), 'camunda:isStartableInTasklist="true"')
    assert (model.problems, model.warnings) == ((), ())


@pytest.mark.parametrize("attribute", ["camunda:skipExpression", "camunda:triggerable", "own:unheardOf"])
def test_attributes_that_are_not_supported_are_refused(attribute: str) -> None:
    assert found(read(task(attributes=f'{attribute}="x"')).problems) == {("x", "unsupported-attribute")}
    assert found(read(LINE, f'{attribute}="x"').problems) == {("p", "unsupported-attribute")}


def test_saga_mode_is_an_affair_of_processes_and_subprocesses() -> None:
    assert found(read(task(attributes='own:saga="local"')).problems) == {("x", "unsupported-attribute")}
    assert found(read(LINE, 'own:saga="x"').problems) == {("p", "saga-mode")}
    assert graph(LINE, 'own:saga="global"').extras["saga"] == "global"
    node = graph(around('<subProcess id="x" own:saga="local"><startEvent id="a"/></subProcess>')).nodes["x"]
    assert isinstance(node, SubProcess)
    assert node.saga == "local"


@pytest.mark.parametrize("attribute", ["jobPriority", "unheardOf", "parallelInSameTransaction"])
def test_attributes_that_are_ignored_are_warnings(attribute: str) -> None:
    model = read(task(attributes=f'camunda:{attribute}="1"'))
    assert model.problems == ()
    assert found(model.warnings) == {("x", "ignored-attribute")}


def test_a_throw_is_never_a_job_of_its_own() -> None:
    thrown = '<signalEventDefinition signalRef="g" camunda:async="true"/>'
    body = around(f'<intermediateThrowEvent id="x">{thrown}</intermediateThrowEvent>')
    model = read(body, root='<signal id="g" name="G"/>')
    assert (model.problems, found(model.warnings)) == ((), {("x", "ignored-attribute")})


def test_correlation_by_subscriptions_of_the_process_is_refused() -> None:
    model = read(LINE + '<correlationSubscription id="c"/>')
    assert found(model.problems) == {("c", "unsupported-element")}


@pytest.mark.parametrize(
    ("attributes", "rule"),
    [
        ('camunda:taskPriority="high"', "priority"),
        ('camunda:jobPriority="high"', "priority"),
        ('camunda:type="external"', "external-topic"),
        ('camunda:type="external" camunda:topic=" "', "external-topic"),
    ],
)
def test_constant_values_that_cannot_be_used_are_refused(attributes: str, rule: str) -> None:
    assert found(read(task(attributes=attributes, tag="serviceTask")).problems) == {("x", rule)}


@pytest.mark.parametrize("priority", ["7", "-7", "${p}", "#{p}", "=p"])
def test_priorities_are_numbers_or_expressions(priority: str) -> None:
    attributes = f'camunda:type="external" camunda:topic="t" camunda:taskPriority="{priority}"'
    assert read(task(attributes=attributes, tag="serviceTask")).problems == ()


@pytest.mark.parametrize(
    ("text", "valid"), [("30", True), ("P30D", True), ("", True), ("soon", False), ("P1M", False)]
)
def test_time_to_live_is_a_number_of_days(text: str, valid: bool) -> None:
    rules = found(read(LINE, f'camunda:historyTimeToLive="{text}"').problems)
    assert rules == (set() if valid else {("p", "history-time-to-live")})


@pytest.mark.parametrize(
    "association",
    [
        "<dataOutputAssociation><targetRef>do</targetRef></dataOutputAssociation>",
        (
            '<property id="pr" name="__targetRef_placeholder"/>'
            "<dataInputAssociation><sourceRef>do</sourceRef><targetRef>pr</targetRef></dataInputAssociation>"
        ),
    ],
)
def test_data_associations_that_are_only_drawn_are_warnings(association: str) -> None:
    model = read('<dataObjectReference id="do"/>' + task(association))
    assert model.problems == ()
    assert found(model.warnings) == {("x", "data-association")}


def test_foreign_elements_in_a_process_are_warnings() -> None:
    model = read(LINE + "<other:anything/>")
    assert model.problems == ()
    assert {rule for _, rule in found(model.warnings)} == {"foreign-element"}


def test_prefixes_do_not_matter() -> None:
    body = f"<process id='p' isExecutable='true'>{LINE}</process>"
    for tag in ("startEvent", "task", "endEvent", "sequenceFlow", "process"):
        body = body.replace(f"<{tag}", f"<b:{tag}").replace(f"</{tag}", f"</b:{tag}")
    namespace = 'xmlns:b="http://www.omg.org/spec/BPMN/20100524/MODEL"'
    (model,) = read_all(body.replace("<b:process", f"<b:process {namespace}")).processes
    assert model.graph is not None
    assert HEAD.startswith("<definitions xmlns=")
