"""Data objects, properties and the associations that copy them (semantics §9)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from bpm.core import commands as c
from bpm.core.lookup import own_variables
from tests.support.bpmn_text import bpmn, flows, subprocess
from tests.support.play import Case, Play

OBJECTS = (
    '<dataObject id="o1" name="order"/><dataObjectReference id="order_ref" dataObjectRef="o1"/>'
    '<property id="total"/>'
)


def copy(source: str, target: str, *, out: bool = False, inside: str = "") -> str:
    """Return a data association."""
    tag = "dataOutputAssociation" if out else "dataInputAssociation"
    ends = (f"<sourceRef>{source}</sourceRef>" if source else "") + f"<targetRef>{target}</targetRef>"
    return f"<{tag}>{ends}{inside}</{tag}>"


def task(name: str, *associations: str, inputs: str = "", outputs: str = "", loop: str = "") -> str:
    """Return a user task with data inputs and outputs by name; their ids are those with `in_` and `out_` before."""
    data = "".join(f'<dataInput id="in_{one}" name="{one}"/>' for one in inputs.split())
    data += "".join(f'<dataOutput id="out_{one}" name="{one}"/>' for one in outputs.split())
    needed = "".join(f"<dataInputRefs>in_{one}</dataInputRefs>" for one in inputs.split())
    specification = f"<ioSpecification>{data}<inputSet>{needed}</inputSet><outputSet/></ioSpecification>"
    return f'<userTask id="{name}">{specification}{"".join(associations)}{loop}</userTask>'


def begin(play: Play, *body: str, **variables: Any) -> Case:
    """Deploy and start a process with the data elements."""
    play.host.deploy(bpmn(OBJECTS, *body))
    return play.start(**variables)


def line(*names: str) -> str:
    """Return start and end around some nodes, with the flows between all of them."""
    way = ["s", *names, "e"]
    pairs = [f"{one} {other}" for one, other in pairwise(way)]
    return '<startEvent id="s"/><endEvent id="e"/>' + flows(*pairs)


def local(case: Case, node: str) -> dict[str, object]:
    """Return what stands in the scope in which a node's token waits."""
    (token,) = [one for one in case.live(node) if one.scope != case.id]
    return own_variables(case.state, token.scope)


def test_an_output_goes_into_the_data_object_and_an_input_comes_from_it(play: Play) -> None:
    first = task("a", copy("out_made", "order_ref", out=True), outputs="made")
    second = task("b", copy("order_ref", "in_wanted"), inputs="wanted")
    case = begin(play, first, second, line("a", "b"))
    case.complete("a", made={"id": 7})
    assert case.variables() == {"order": {"id": 7}}
    assert local(case, "b") == {"wanted": {"id": 7}}
    case.complete("b")
    assert (case.status, case.variables()) == ("COMPLETED", {"order": {"id": 7}})


def test_an_output_that_is_not_set_leaves_the_variable_alone_in_every_pass(play: Play) -> None:
    again = '<exclusiveGateway id="x" default="x_a"/>' + flows("x a")
    leave = (
        '<sequenceFlow id="x_e" sourceRef="x" targetRef="e"><conditionExpression>${done}</conditionExpression>'
        "</sequenceFlow>"
    )
    made = task("a", copy("out_made", "order_ref", out=True), outputs="made")
    ends = '<startEvent id="s"/><endEvent id="e"/>' + flows("s a", "a x")
    case = begin(play, made, ends, again, leave, done=False)
    case.complete("a", made=1)
    case.do(c.SetVariables(scope=case.id, variables={"order": 2, "made": 99}))
    case.complete("a")
    assert case.variables()["order"] == 2
    case.complete("a", made=3, done=True)
    assert (case.status, case.variables()["order"], case.variables()["made"]) == ("COMPLETED", 3, 99)


@pytest.mark.parametrize(
    ("inside", "result"),
    [
        ("<transformation>${order.price * 2}</transformation>", 20),
        ("<transformation>order_ref.price + 1</transformation>", 11),
        (
            '<transformation language="https://www.omg.org/spec/FEEL/20180521/FEEL/">order.price</transformation>',
            10,
        ),
        ("<assignment><from>fixed</from><to>in_wanted</to></assignment>", "fixed"),
        ("<assignment><from>order_ref</from><to>${wanted}</to></assignment>", {"price": 10}),
        ("<assignment><from>${order.price}</from><to>wanted.inner</to></assignment>", {"inner": 10}),
    ],
)
def test_what_is_copied_can_be_computed(play: Play, inside: str, result: object) -> None:
    node = task("a", copy("order_ref", "in_wanted", inside=inside), inputs="wanted")
    case = begin(play, node, line("a"), order={"price": 10})
    assert local(case, "a") == {"wanted": result}


def test_what_cannot_be_computed_is_an_incident(play: Play) -> None:
    inside = "<transformation>${nowhere.price}</transformation>"
    case = begin(
        play, task("a", copy("order_ref", "in_wanted", inside=inside), inputs="wanted"), line("a"), order=1
    )
    assert [row.kind for row in case.incidents()] == ["ExpressionFailed"]


def test_an_activity_does_not_begin_without_the_data_of_one_input_set(play: Play) -> None:
    case = begin(play, task("a", copy("order_ref", "in_wanted"), inputs="wanted"), line("a"))
    (incident,) = case.incidents()
    assert (incident.kind, "wanted" in incident.message) == ("DataInputMissing", True)
    case.do(c.SetVariables(scope=case.id, variables={"order": 1}))
    case.do(c.RetryToken(token=incident.token or ""))
    assert local(case, "a") == {"wanted": 1}


def test_an_optional_input_is_not_needed(play: Play) -> None:
    node = task("a", copy("order_ref", "in_wanted"), inputs="wanted")
    optional = "</dataInputRefs><optionalInputRefs>in_wanted</optionalInputRefs>"
    case = begin(play, node.replace("</dataInputRefs>", optional), line("a"))
    assert (case.status, local(case, "a")) == ("RUNNING", {})


def test_the_data_object_of_a_subprocess_is_a_variable_of_its_scope(play: Play) -> None:
    inside = '<dataObject id="o2" name="draft"/><userTask id="a"/><userTask id="b"/>'
    sub = subprocess("q", inside, '<startEvent id="qs"/>', flows("qs a", "a b"))
    case = begin(play, sub, line("q"))
    case.complete("a", draft=1, other=2)
    assert case.variables() == {"other": 2}
    assert local(case, "b") == {"draft": 1}
    case.complete("b", draft=3)
    assert (case.status, case.variables()) == ("COMPLETED", {"other": 2})


def test_the_property_of_a_task_goes_with_it(play: Play) -> None:
    node = '<userTask id="a"><property id="note"/></userTask><userTask id="b"/>'
    case = begin(play, node, line("a", "b"))
    case.complete("a", note="x", total=5)
    assert case.variables() == {"total": 5}


def test_instances_take_their_item_and_give_what_is_gathered(play: Play) -> None:
    loop = (
        "<multiInstanceLoopCharacteristics{}><loopDataInputRef>in_all</loopDataInputRef>"
        "<loopDataOutputRef>out_prices</loopDataOutputRef>"
        '<inputDataItem id="item"/><outputDataItem id="price"/></multiInstanceLoopCharacteristics>'
    )
    for attributes in ("", ' isSequential="true"'):
        node = task(
            "a",
            copy("order_ref", "in_all"),
            copy("out_prices", "total", out=True),
            inputs="all",
            outputs="prices",
            loop=loop.format(attributes),
        )
        case = begin(play, node, line("a"), order=["x", "y", "z"])
        for price in (1, None, 3):
            case.complete("a", **({"price": price} if price else {}))
        assert (case.status, case.variables()["total"]) == ("COMPLETED", [1, None, 3])
        assert "price" not in case.variables()


def test_zeebe_gathers_what_its_instances_give(play: Play) -> None:
    zeebe = (
        '<zeebe:loopCharacteristics inputCollection="=items" inputElement="item" outputCollection="results"'
        ' outputElement="=item * 2"/>'
    )
    loop = (
        "<multiInstanceLoopCharacteristics><extensionElements>"
        f"{zeebe}</extensionElements></multiInstanceLoopCharacteristics>"
    )
    play.host.deploy(bpmn(f'<userTask id="a">{loop}</userTask>', line("a")))
    case = play.start(items=[1, 2])
    case.finish(case.tasks()[1])
    case.complete("a")
    assert (case.status, case.variables()["results"]) == ("COMPLETED", [2, 4])


def test_with_zeebe_outputs_only_what_is_mapped_leaves(play: Play) -> None:
    mapped = '<zeebe:ioMapping><zeebe:output source="=a + 1" target="b"/></zeebe:ioMapping>'
    node = f'<userTask id="x"><extensionElements>{mapped}</extensionElements></userTask>'
    play.host.deploy(bpmn(node, line("x")))
    case = play.start(other=0)
    case.complete("x", a=1, other=5)
    assert (case.status, case.variables()) == ("COMPLETED", {"b": 2, "other": 0})


def test_what_a_signal_brings_goes_into_the_data_of_its_catcher(play: Play) -> None:
    thrown = (
        '<intermediateThrowEvent id="t"><dataInput id="d" name="news"/>'
        "<dataInputAssociation><sourceRef>total</sourceRef><targetRef>d</targetRef></dataInputAssociation>"
        '<inputSet><dataInputRefs>d</dataInputRefs></inputSet><signalEventDefinition signalRef="sig"/>'
        "</intermediateThrowEvent>"
    )
    caught = (
        '<intermediateCatchEvent id="w"><dataOutput id="g" name="news"/>'
        "<dataOutputAssociation><sourceRef>g</sourceRef><targetRef>order_ref</targetRef></dataOutputAssociation>"
        '<outputSet/><signalEventDefinition signalRef="sig"/></intermediateCatchEvent>'
    )
    ends = '<startEvent id="s"/><parallelGateway id="f"/>' + flows("s f", "f w", "f t")
    play.host.deploy(bpmn(OBJECTS, ends, thrown, caught, roots='<signal id="sig" name="sig"/>'))
    case = play.start(total=12)
    assert (case.status, case.variables()) == ("COMPLETED", {"total": 12, "order": 12})


def test_what_an_error_brings_goes_to_its_handler(play: Play) -> None:
    thrown = (
        '<endEvent id="t"><dataInput id="d" name="why"/><dataInputAssociation><targetRef>d</targetRef>'
        "<assignment><from>late</from><to>why</to></assignment></dataInputAssociation>"
        '<errorEventDefinition errorRef="err"/></endEvent>'
    )
    caught = (
        '<boundaryEvent id="b" attachedToRef="q"><dataOutput id="g" name="why"/>'
        "<dataOutputAssociation><sourceRef>g</sourceRef><targetRef>order_ref</targetRef></dataOutputAssociation>"
        '<errorEventDefinition errorRef="err"/></boundaryEvent>'
    )
    sub = subprocess("q", '<startEvent id="qs"/>', thrown, flows("qs t"))
    play.host.deploy(bpmn(OBJECTS, sub, caught, line("q"), roots='<error id="err" errorCode="err"/>'))
    case = play.start()
    assert (case.status, case.variables()) == ("COMPLETED", {"order": "late"})


def test_a_catch_event_behind_a_throw_without_that_data_leaves_its_target_alone(play: Play) -> None:
    caught = (
        '<intermediateCatchEvent id="w"><dataOutput id="g" name="news"/>'
        "<dataOutputAssociation><sourceRef>g</sourceRef><targetRef>order_ref</targetRef></dataOutputAssociation>"
        '<outputSet/><signalEventDefinition signalRef="sig"/></intermediateCatchEvent>'
    )
    play.host.deploy(bpmn(OBJECTS, caught, line("w"), roots='<signal id="sig" name="sig"/>'))
    case = play.start(order=1, news=2)
    (row,) = case.state.subscriptions.values()
    case.do(c.TriggerSignal(subscriptions=(row.id,)))
    assert (case.status, case.variables()) == ("COMPLETED", {"order": 1, "news": 2})
