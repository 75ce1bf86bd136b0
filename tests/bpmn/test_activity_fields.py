"""What stands around an activity's work, as the graph holds it."""

from __future__ import annotations

from typing import Any

import pytest

from bpm.core.expressions import Expression
from bpm.core.graph import Activity, MultiInstance, StandardLoop
from bpm.core.mappings import ListSource, MapSource, VariableMapping
from tests.bpmn.files import LINE, around, found, graph, read

TIMER = "<timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition>"


def activity(
    inside: str = "", attributes: str = "", tag: str = "task", more: str = "", root: str = ""
) -> Activity:
    """Return an activity x as it is read."""
    node = graph(around(f'<{tag} id="x" {attributes}>{inside}</{tag}>') + more, root=root).nodes["x"]
    assert isinstance(node, Activity)
    return node


def extension(inside: str) -> str:
    """Return extension elements."""
    return f"<extensionElements>{inside}</extensionElements>"


def parameters(inside: str) -> str:
    """Return Camunda's mappings."""
    return extension(f"<camunda:inputOutput>{inside}</camunda:inputOutput>")


def problems(inside: str) -> set[tuple[str, str]]:
    """Return what is wrong with a task x."""
    return found(read(around(f'<task id="x">{inside}</task>')).problems)


def written(mappings: tuple[VariableMapping, ...]) -> list[Any]:
    """Return mappings with their sources as text."""

    def text(source: Any) -> Any:
        if isinstance(source, ListSource):
            return [text(item) for item in source.items]
        if isinstance(source, MapSource):
            return {text(key): text(entry) for key, entry in source.entries}
        return source.text

    return [(".".join(mapping.target), text(mapping.source)) for mapping in mappings]


def test_a_plain_task_has_nothing_around_it() -> None:
    node = activity()
    assert (node.boundary, node.loop, node.inputs, node.outputs) == ((), None, (), ())
    assert (node.layered, node.start_quantity, node.completion_quantity) == (False, 1, 1)
    assert (node.compensation, node.for_compensation, node.mappings_local) == (None, False, False)


def test_boundary_events_stand_in_the_order_of_the_document_without_those_of_compensation() -> None:
    text = '<boundaryEvent id="{}" attachedToRef="{}">{}</boundaryEvent>'
    more = (
        text.format("b2", "q:x", TIMER)
        + text.format("b3", "x", "<compensateEventDefinition/>")
        + text.format("b1", " x ", "<signalEventDefinition/>")
        + '<task id="h" isForCompensation="true"/><association id="a" sourceRef="h" targetRef="b3"/>'
    )
    more = more.replace("<signalEventDefinition/>", '<signalEventDefinition signalRef="g"/>')
    node = activity(more=more, root='<signal id="g" name="G"/>')
    assert (node.boundary, node.compensation, node.layered) == (("b2", "b1"), "h", True)


def test_quantities() -> None:
    node = activity(attributes='startQuantity=" 2 " completionQuantity="3"')
    assert (node.start_quantity, node.completion_quantity, node.joins) == (2, 3, "quantity")


@pytest.mark.parametrize(
    ("text", "loop"),
    [
        ("<standardLoopCharacteristics/>", StandardLoop()),
        (
            '<standardLoopCharacteristics testBefore="1" loopMaximum="3"/>',
            StandardLoop(test_before=True, maximum=3),
        ),
        ('<standardLoopCharacteristics loopMaximum="0"/>', StandardLoop(maximum=0)),
    ],
)
def test_standard_loops(text: str, loop: StandardLoop) -> None:
    assert activity(text).loop == loop


def test_the_condition_of_a_standard_loop_needs_no_marks() -> None:
    text = "<standardLoopCharacteristics><loopCondition>{}</loopCondition></standardLoopCharacteristics>"
    for condition in ("a &lt; 3", "${a &lt; 3}", "=a &lt; 3"):
        loop = activity(text.format(condition)).loop
        assert isinstance(loop, StandardLoop)
        assert loop.condition is not None
        assert loop.condition.names == frozenset({"a"})
    assert problems(text.format("${a &lt;}")) == {("x", "expression")}


def multi(inside: str = "<loopCardinality>3</loopCardinality>", attributes: str = "") -> MultiInstance:
    """Return multi-instance characteristics as they are read."""
    tag = "multiInstanceLoopCharacteristics"
    loop = activity(f"<{tag} {attributes}>{inside}</{tag}>").loop
    assert isinstance(loop, MultiInstance)
    return loop


def test_multi_instance_by_number() -> None:
    loop = multi()
    assert loop.cardinality is not None
    assert (loop.cardinality.text, loop.sequential, loop.collection, loop.behavior) == (
        "3",
        False,
        None,
        "All",
    )
    assert multi(attributes='isSequential="true"').sequential


@pytest.mark.parametrize(
    ("inside", "attributes"),
    [
        ("", 'camunda:collection="list" camunda:elementVariable="one"'),
        ("", 'camunda:collection="${list}" camunda:elementVariable="one"'),
        ('<loopDataInputRef>list</loopDataInputRef><inputDataItem name="one"/>', ""),
        ('<loopDataInputRef>list</loopDataInputRef><inputDataItem id="one"/>', ""),
        (extension('<zeebe:loopCharacteristics inputCollection="=list" inputElement="one"/>'), ""),
    ],
)
def test_multi_instance_by_list(inside: str, attributes: str) -> None:
    loop = multi(inside, attributes)
    assert loop.collection is not None
    assert (loop.collection.names, loop.cardinality, loop.element) == (frozenset({"list"}), None, "one")


def test_multi_instance_gathers_and_completes() -> None:
    gathered = '<zeebe:loopCharacteristics inputCollection="=l" outputCollection="all" outputElement="=one"/>'
    loop = multi(
        extension(gathered) + "<completionCondition>nrOfCompletedInstances > 1</completionCondition>"
    )
    assert loop.completion is not None
    assert isinstance(loop.output_element, Expression)
    assert (loop.output_collection, loop.output_element.names) == ("all", frozenset({"one"}))
    assert loop.completion.names == frozenset({"nrOfCompletedInstances"})


def test_jobs_of_instances_are_those_of_the_loop_not_of_the_activity() -> None:
    loop = multi(attributes='camunda:asyncBefore="true" camunda:asyncAfter="true"')
    assert (loop.before, loop.after) == (True, True)


def test_camunda_mappings_take_text_lists_maps_and_scripts() -> None:
    node = activity(
        parameters(
            '<camunda:inputParameter name="a"> ${b} </camunda:inputParameter>'
            '<camunda:inputParameter name="c"><camunda:list><camunda:value>1</camunda:value>'
            "<camunda:list><camunda:value>${d}</camunda:value></camunda:list>"
            '<camunda:script scriptFormat="juel">e + 1</camunda:script></camunda:list></camunda:inputParameter>'
            '<camunda:inputParameter name="m"><camunda:map><camunda:entry key="${k}">2</camunda:entry>'
            '<camunda:entry key="n"><camunda:map/></camunda:entry></camunda:map></camunda:inputParameter>'
            '<camunda:outputParameter name="o"><camunda:script scriptFormat="FEEL">p</camunda:script>'
            "</camunda:outputParameter>"
        )
    )
    assert [
        (name, str(text).strip() if isinstance(text, str) else text) for name, text in written(node.inputs)
    ] == [
        ("a", "${b}"),
        ("c", ["1", ["${d}"], "${e + 1}"]),
        ("m", {"${k}": "2", "n": {}}),
    ]
    assert (written(node.outputs), node.mappings_local) == ([("o", "=p")], False)


def test_zeebe_mappings_set_entries_and_keep_the_rest_inside() -> None:
    inside = '<zeebe:input source="=a" target="b.c"/>{}'
    both = '<zeebe:output source="=d" target="e"/>'
    node = activity(extension(f"<zeebe:ioMapping>{inside.format(both)}</zeebe:ioMapping>"))
    assert (written(node.inputs), written(node.outputs)) == ([("b.c", "=a")], [("e", "=d")])
    assert node.mappings_local
    assert not activity(extension(f"<zeebe:ioMapping>{inside.format('')}</zeebe:ioMapping>")).mappings_local


@pytest.mark.parametrize(
    ("inside", "rule"),
    [
        ('<camunda:inputParameter name=" ">1</camunda:inputParameter>', "mapping-target"),
        ("<camunda:outputParameter>1</camunda:outputParameter>", "mapping-target"),
        ('<camunda:inputParameter name="a">${</camunda:inputParameter>', "expression"),
        (
            (
                '<camunda:inputParameter name="a"><camunda:script scriptFormat="groovy">1</camunda:script>'
                "</camunda:inputParameter>"
            ),
            "script-format",
        ),
        (
            (
                '<camunda:inputParameter name="a"><camunda:script scriptFormat="juel" resource="b"/>'
                "</camunda:inputParameter>"
            ),
            "unsupported-element",
        ),
        (
            '<camunda:inputParameter name="a"><camunda:unheardOf/></camunda:inputParameter>',
            "unsupported-element",
        ),
        (
            (
                '<camunda:inputParameter name="a"><camunda:list><camunda:unheardOf/></camunda:list>'
                "</camunda:inputParameter>"
            ),
            "unsupported-element",
        ),
    ],
)
def test_mappings_that_cannot_be_carried_out_are_refused(inside: str, rule: str) -> None:
    assert problems(parameters(inside)) == {("x", rule)}


@pytest.mark.parametrize("target", ["", "a..b", ".a"])
def test_zeebe_mappings_need_a_whole_target(target: str) -> None:
    inside = f'<zeebe:ioMapping><zeebe:output source="=a" target="{target}"/></zeebe:ioMapping>'
    assert problems(extension(inside)) == {("x", "mapping-target")}


MAPPED = parameters('<camunda:inputParameter name="a">1</camunda:inputParameter>')


OUTPUT = parameters('<camunda:outputParameter name="a">1</camunda:outputParameter>')
ZEEBE_INPUT = extension('<zeebe:ioMapping><zeebe:input source="=a" target="b"/></zeebe:ioMapping>')


@pytest.mark.parametrize(
    ("tag", "mapped", "rule"),
    [
        ("startEvent", MAPPED, "mapping"),
        ("startEvent", OUTPUT, "mapping"),
        ("startEvent", ZEEBE_INPUT, "mapping"),
        ("boundaryEvent", OUTPUT, "mapping"),
        ("boundaryEvent", ZEEBE_INPUT, "mapping"),
        ("endEvent", OUTPUT, "mapping"),
        ("exclusiveGateway", MAPPED, "unsupported-element"),
    ],
)
def test_mappings_where_nothing_works_are_refused(tag: str, mapped: str, rule: str) -> None:
    event = TIMER if tag == "boundaryEvent" else ""
    body = LINE + '<task id="u"/>' + f'<{tag} id="x" attachedToRef="u">{mapped}{event}</{tag}>'
    assert ("x", rule) in found(read(body).problems)
    assert found(read(MAPPED + LINE).problems) == {("p", "unsupported-element")}


def test_nothing_stands_around_an_event_subprocess() -> None:
    start = f'<startEvent id="a">{TIMER}</startEvent>'
    text = '<subProcess id="q" triggeredByEvent="true" {}>{}' + start + "</subProcess>"
    loop = "<standardLoopCharacteristics/>"
    for attributes, inside in (("", loop), ("", MAPPED), ('isForCompensation="true"', "")):
        body = LINE + text.format(attributes, inside)
        assert found(read(body).problems) == {("q", "event-subprocess-content")}
    body = LINE + text.format("", "") + f'<boundaryEvent id="b" attachedToRef="q">{TIMER}</boundaryEvent>'
    assert found(read(body).problems) == {("b", "event-subprocess-content")}


@pytest.mark.parametrize(
    ("tag", "inside"),
    [
        ("task", '<zeebe:taskDefinition type="a"/>'),
        ("userTask", '<zeebe:taskDefinition type="a"/>'),
        ("serviceTask", '<zeebe:script expression="=1" resultVariable="a"/>'),
        ("task", '<zeebe:calledElement processId="a"/>'),
        ("task", '<zeebe:loopCharacteristics inputCollection="=a"/>'),
        ("businessRuleTask", '<zeebe:calledDecision decisionId="a" resultVariable="b"/>'),
    ],
)
def test_extensions_in_the_wrong_place_are_not_passed_over(tag: str, inside: str) -> None:
    body = around(f'<{tag} id="x">{extension(inside)}</{tag}>')
    assert found(read(body).problems) == {("x", "unsupported-element")}


@pytest.mark.parametrize("place", ["{0}", "{1}"])
def test_attributes_that_are_refused_are_so_inside_of_events_too(place: str) -> None:
    refused = ('camunda:resource="a"', "")
    inside = (
        f"<conditionalEventDefinition {refused[place == '{1}']}><condition {refused[place == '{0}']}>"
        "${a}</condition></conditionalEventDefinition>"
    )
    body = around(f'<intermediateCatchEvent id="x">{inside}</intermediateCatchEvent>')
    assert found(read(body).problems) == {("x", "unsupported-attribute")}


@pytest.mark.parametrize(
    ("child", "rule"),
    [
        ("<loopDataOutputRef>o</loopDataOutputRef>", "multi-instance"),
        ('<outputDataItem id="i"/>', "multi-instance"),
        ("<unheardOf/>", "unsupported-element"),
    ],
)
def test_results_that_nobody_would_gather_are_refused(child: str, rule: str) -> None:
    loop = f"<multiInstanceLoopCharacteristics><loopCardinality>1</loopCardinality>{child}"
    assert problems(loop + "</multiInstanceLoopCharacteristics>") == {("x", rule)}
