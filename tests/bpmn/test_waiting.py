"""Who waits for the same thing, and what may stand behind an event-based gateway."""

from __future__ import annotations

import pytest

from bpm.core.elements.intermediate_throw_event import IntermediateThrowEvent
from tests.bpmn.files import LINE, around, flow, found, graph, path, read

ROOT = (
    '<message id="m" name="M"/><message id="m2" name="M"/><message id="n" name="N"/><signal id="g" name="G"/>'
    '<error id="r" errorCode="R"/><error id="r2" errorCode="R"/><escalation id="l" escalationCode="L"/>'
)
M, M2, N = (f'<messageEventDefinition messageRef="{name}"/>' for name in ("m", "m2", "n"))
G = '<signalEventDefinition signalRef="g"/>'
CONDITION = "<conditionalEventDefinition><condition>${{{}}}</condition></conditionalEventDefinition>"
TIMER = "<timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition>"


def starts(one: str, other: str) -> str:
    """Return a process with two start events a and b."""
    nodes = f'<startEvent id="a">{one}</startEvent><startEvent id="b">{other}</startEvent><task id="t"/>'
    return nodes + flow("a", "t") + flow("b", "t")


def boundaries(one: str, other: str, attributes: str = "") -> str:
    """Return a process with two boundary events a and b at a task."""
    text = '<boundaryEvent id="{}" attachedToRef="t" {}>{}</boundaryEvent>'
    return LINE + text.format("a", attributes, one) + text.format("b", attributes, other)


def handlers(one: str, other: str) -> str:
    """Return a process with two event subprocesses, which a and b start."""
    text = '<subProcess id="q{0}" triggeredByEvent="true"><startEvent id="{0}">{1}</startEvent></subProcess>'
    return LINE + text.format("a", one) + text.format("b", other)


@pytest.mark.parametrize("build", [starts, boundaries, handlers])
def test_one_message_with_two_receivers_side_by_side_is_refused(build: object) -> None:
    assert callable(build)
    for other in (M, M2):
        assert found(read(build(M, other), root=ROOT).problems) == {("b", "same-message")}
    assert read(build(M, N), root=ROOT).problems == ()


def test_a_message_may_be_waited_for_at_different_activities() -> None:
    body = around('<task id="x"/><task id="y"/>') + flow("x", "y")
    for host in ("x", "y"):
        body += f'<boundaryEvent id="b{host}" attachedToRef="{host}">{M}</boundaryEvent>'
    assert read(body, root=ROOT).problems == ()


def test_one_condition_at_two_starts_is_refused() -> None:
    same = starts(CONDITION.format("a"), CONDITION.format("a"))
    assert found(read(same).problems) == {("b", "same-condition")}
    assert read(starts(CONDITION.format("a"), CONDITION.format("b"))).problems == ()


def test_a_signal_reaches_all_who_wait_for_it() -> None:
    for build in (starts, boundaries, handlers):
        assert read(build(G, G), root=ROOT).problems == ()


@pytest.mark.parametrize("name", ["${a}", "#{a}", "order-${a}", "=a"])
def test_names_of_starts_are_constant(name: str) -> None:
    for kind in ("message", "signal"):
        root = f'<{kind} id="w" name="{name}"/>'
        start = f'<startEvent id="x"><{kind}EventDefinition {kind}Ref="w"/></startEvent>'
        assert found(read(start, root=root).problems) == {("x", "start-name")}
        caught = around(start.replace("startEvent", "intermediateCatchEvent"))
        assert read(caught, root=root).problems == ()


def test_of_several_handlers_of_one_code_only_the_first_catches() -> None:
    anything = "<escalationEventDefinition/>"
    escalation = '<escalationEventDefinition escalationRef="l"/>'
    errors = ('<errorEventDefinition errorRef="r"/>', '<errorEventDefinition errorRef="r2"/>')
    for build in (boundaries, handlers):
        for one, other, rule in (
            (anything, anything, "same-escalation"),
            (escalation, escalation, "same-escalation"),
            (*errors, "same-error"),
        ):
            model = read(build(one, other), root=ROOT)
            assert (model.problems, found(model.warnings)) == ((), {("b", rule)})
            (warning,) = model.warnings
            assert "'a'" in warning.message
        assert read(build(anything, escalation), root=ROOT).warnings == ()


def race(target: str, more: str = "") -> str:
    """Return a process in which an event-based gateway x leads to y."""
    return (
        '<startEvent id="s"/><eventBasedGateway id="x"/><endEvent id="e"/>'
        + target
        + path("s", "x", "y", "e")
        + more
    )


@pytest.mark.parametrize("definition", [M, G, TIMER, CONDITION.format("a")])
def test_events_that_wait_can_race(definition: str) -> None:
    body = race(f'<intermediateCatchEvent id="y">{definition}</intermediateCatchEvent>')
    assert read(body, root=ROOT).problems == ()


@pytest.mark.parametrize(
    "target",
    [
        '<userTask id="y"/>',
        '<exclusiveGateway id="y"/>',
        '<intermediateThrowEvent id="y"/>',
        f'<subProcess id="y"><startEvent id="q">{""}</startEvent></subProcess>',
    ],
)
def test_nothing_else_can_race(target: str) -> None:
    assert found(read(race(target)).problems) == {("x", "event-gateway-target")}


def test_a_link_does_not_race() -> None:
    body = race('<intermediateCatchEvent id="y"><linkEventDefinition name="n"/></intermediateCatchEvent>')
    assert ("x", "event-gateway-target") in found(read(body).problems)


@pytest.mark.parametrize("tag", ["receiveTask", "intermediateCatchEvent"])
def test_only_the_gateway_leads_to_what_races(tag: str) -> None:
    target = f'<{tag} id="y" messageRef="m">{M if tag != "receiveTask" else ""}</{tag}>'
    assert read(race(target), root=ROOT).problems == ()
    both = race(target, '<task id="t"/>' + path("s", "t", "y"))
    assert found(read(both, root=ROOT).problems) == {("y", "event-gateway-target")}


@pytest.mark.parametrize("attribute", ["asyncAfter", "asyncLeave"])
def test_no_job_stands_behind_an_event_based_gateway(attribute: str) -> None:
    body = race(f'<intermediateCatchEvent id="y">{TIMER}</intermediateCatchEvent>')
    later = body.replace('id="x"', f'id="x" camunda:{attribute}="true"')
    assert found(read(later).problems) == {("x", "async-after")}
    assert graph(body.replace('id="x"', 'id="x" camunda:asyncBefore="true"')).nodes["x"].before


@pytest.mark.parametrize(
    ("throw", "catch"), [('name="n"', 'id="d1" name="n"'), ('name="n"', 'id="d2" name="other"')]
)
def test_a_link_goes_on_where_its_name_or_else_its_target_says(throw: str, catch: str) -> None:
    body = (
        f'<startEvent id="s"/><intermediateThrowEvent id="x"><linkEventDefinition {throw}><target>d2</target>'
        '</linkEventDefinition></intermediateThrowEvent><endEvent id="e"/>'
        f'<intermediateCatchEvent id="c"><linkEventDefinition {catch}/></intermediateCatchEvent>'
        + path("s", "x")
        + path("c", "e")
    )
    if "d1" in catch:
        body = body.replace("<target>d2</target>", "")
    node = graph(body).nodes["x"]
    assert isinstance(node, IntermediateThrowEvent)
    assert node.link == "c"
