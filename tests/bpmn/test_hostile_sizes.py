"""Files of a few megabytes that would take minutes if anything looked at everything once for each thing."""

from __future__ import annotations

from itertools import pairwise

import pytest

from bpm.bpmn import Limits, read_file
from bpm.bpmn.forms.form_json import FormInvalid, read_form_json
from bpm.bpmn.limits import DEFAULT_LIMITS
from bpm.core.errors import DefinitionInvalid
from bpm.core.values import from_outside
from tests.bpmn.files import LINE, definitions, flow, process
from tests.support.processor_time import processor_time

_MANY = 300_000


def refused(data: bytes, limits: Limits = DEFAULT_LIMITS) -> tuple[str, int]:
    """Return rule and line of the one problem of a file that is not read at all."""
    with pytest.raises(DefinitionInvalid) as caught:
        read_file(data, limits=limits)
    (problem,) = caught.value.problems
    return problem.rule, problem.line


def wide(count: int, template: str) -> bytes:
    """Return a file with an element on its second line that has so many attributes."""
    attributes = " ".join(template.format(number) for number in range(count))
    return definitions("\n<task " + attributes + "/>")


@pytest.mark.parametrize(
    ("template", "rule"),
    [
        ('x{0}="1"', "too-many-attributes"),
        ('xmlns:x{0}="u{0}"', "too-many-namespaces"),
        ('xmlns:x{0}="u"', "too-many-namespaces"),
    ],
)
def test_an_element_with_very_many_attributes_or_namespaces_is_refused_at_once(
    template: str, rule: str
) -> None:
    data = wide(_MANY, template)
    with processor_time() as spent:
        assert refused(data) == (rule, 2)
    assert spent.seconds < 10


@pytest.mark.parametrize("template", ['x{0}="1"', 'xmlns:x{0}="u{0}"', 'xmlns:x{0}="u{0}" x{0}:a="1"'])
def test_the_limits_of_attributes_and_namespaces_are_exact(template: str) -> None:
    read_file(wide(100, template), limits=Limits(attributes=100, namespaces=100))
    assert refused(wide(101, template), Limits(attributes=100, namespaces=100))[1] == 2


def test_namespaces_are_counted_at_each_element() -> None:
    inner = '<a xmlns:p="u" xmlns:q="v">' * 50 + "</a>" * 50
    assert read_file(definitions(inner), limits=Limits(namespaces=10)).problems == ()


def test_many_elements_that_are_as_wide_as_may_be_are_read_in_time() -> None:
    attributes = " ".join(f'x{number}="1"' for number in range(DEFAULT_LIMITS.attributes))
    data = definitions(f"<a {attributes}/>" * 1_000)
    with processor_time() as spent:
        assert read_file(data).problems == ()
    assert spent.seconds < 15


def test_many_processes_beside_many_message_flows_and_global_tasks_are_read_in_time() -> None:
    count = 8_000
    flows = '<messageFlow id="m" sourceRef="a" targetRef="b"/>' * count
    called = '<globalUserTask id="g"><ioSpecification><dataInput id="i"/></ioSpecification></globalUserTask>'
    inside = "".join(f'<process id="p{number}">{LINE}</process>' for number in range(500))
    data = definitions(f'<collaboration id="c">{flows}</collaboration>{called * count}{inside}')
    with processor_time() as spent:
        assert len(read_file(data).processes) == 500
    assert spent.seconds < 20


def referring(count: int, element: str, top: str) -> bytes:
    """Return a process of so many elements in a row, and beside it what they refer to."""
    elements = "".join(element.replace("N", str(number)) for number in range(count))
    names = ["s", *(f"x{number}" for number in range(count)), "e"]
    ends = "".join(flow(source, target) for source, target in pairwise(names))
    return definitions(process('<startEvent id="s"/><endEvent id="e"/>' + elements + ends) + top)


_REFERENCE = (
    '<intermediateThrowEvent id="xN"><eventDefinitionRef>g</eventDefinitionRef></intermediateThrowEvent>'
)


_SIGNAL = (
    '<signal id="q" name="n"/><signalEventDefinition id="g" signalRef="q"><extensionElements>'
    f"{'<camunda:in/>' * 5_000}</extensionElements></signalEventDefinition>"
)


@pytest.mark.parametrize(
    ("element", "top"),
    [
        (
            '<callActivity id="xN" calledElement="g"/>',
            f'<globalUserTask id="g">{"<documentation/>" * 5_000}</globalUserTask>',
        ),
        (_REFERENCE, _SIGNAL),
    ],
    ids=["global task", "event definition"],
)
def test_what_is_referred_to_counts_every_time(element: str, top: str) -> None:
    with processor_time() as spent:
        assert refused(referring(5_000, element, top))[0] == "too-many-elements"
    assert spent.seconds < 10
    assert read_file(referring(20, element, top)).problems == ()


def test_the_error_about_what_is_referred_to_names_the_file() -> None:
    top = f'<globalTask id="g">{"<documentation/>" * 100}</globalTask>'
    data = referring(3, '<callActivity id="xN" calledElement="g"/>', top)
    with pytest.raises(DefinitionInvalid) as caught:
        read_file(data, name="a.bpmn", limits=Limits(elements=250))
    assert [(one.rule, one.resource) for one in caught.value.problems] == [("too-many-elements", "a.bpmn")]


def test_a_long_name_that_thousands_of_events_have_is_compiled_once() -> None:
    element = (
        '<intermediateThrowEvent id="xN"><signalEventDefinition signalRef="q"/></intermediateThrowEvent>'
    )
    data = referring(4_000, element, f'<signal id="q" name=" {"${a}" * 4_000}"/>')
    with processor_time() as spent:
        assert read_file(data).problems == ()
    assert spent.seconds < 15


def test_keys_of_a_form_and_of_a_json_object_are_counted_in_one_pass() -> None:
    names = [*(f"k{number}" for number in range(20_000)), "twice", "twice"]
    components = ",".join(f'{{"type":"textfield","key":"{name}"}}' for name in names)
    pairs = ",".join(f'"{name}":0' for name in (*names[:-2], *(f"l{n}" for n in range(200_000)), *names[-2:]))
    with processor_time() as spent:
        with pytest.raises(FormInvalid, match="'twice'"):
            read_form_json(f'{{"components":[{components}]}}')
        with pytest.raises(ValueError, match="'twice' stands twice"):
            from_outside("{" + pairs + "}")
    assert spent.seconds < 10
