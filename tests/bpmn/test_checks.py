"""Each structural rule: a process that breaks it is refused with the element at fault, one that keeps it is not."""

from __future__ import annotations

import pytest

from bpm.bpmn.checks.registry import CHECKS, OF_DEPLOYING
from tests.bpmn.files import LINE, around, definitions, flow, found, path, read, read_all

MESSAGE = '<messageEventDefinition messageRef="m"/>'
CANCEL = "<cancelEventDefinition/>"
TIMER = "<timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition>"


def event(tag: str, inside: str = "", attributes: str = "") -> str:
    """Return an event with the id x."""
    return f'<{tag} id="x" {attributes}>{inside}</{tag}>'


def subprocess(inside: str, attributes: str = "", tag: str = "subProcess") -> str:
    """Return a subprocess with the id q between start and end."""
    return around(f'<{tag} id="q" {attributes}>{inside}</{tag}>', "q")


def event_subprocess(start: str) -> str:
    """Return a process with an event subprocess q."""
    return LINE + f'<subProcess id="q" triggeredByEvent="true">{start}</subProcess>'


def boundary(inside: str, attributes: str = "", host: str = "t") -> str:
    """Return a process with a boundary event x, with an end behind it."""
    body = LINE + event("boundaryEvent", inside, f'attachedToRef="{host}" {attributes}')
    return body + '<endEvent id="e3"/>' + flow("x", "e3")


def definition(kind: str, attributes: str = "") -> str:
    """Return an event definition."""
    return f"<{kind}EventDefinition {attributes}/>"


COMPENSATED = (
    LINE
    + '<boundaryEvent id="b" attachedToRef="t"><compensateEventDefinition/></boundaryEvent>'
    + '<task id="h" isForCompensation="true"/><association sourceRef="b" targetRef="h"/>'
)
"""A process with a compensation boundary event b and its handler h."""
COMPENSATION = (
    '<subProcess id="h{0}" triggeredByEvent="true"><startEvent id="c{0}"><compensateEventDefinition/></startEvent>'
    "</subProcess>"
)
"""A compensation event subprocess."""


def wrong_at(position: str, kinds: str) -> dict[str, tuple[str, str, str]]:
    """Return one case for each event definition that may not stand at a position."""
    bodies = {
        "start": "{0}" + '<startEvent id="x">{1}</startEvent>' + "{2}",
        "sub start": subprocess('<startEvent id="x">{1}</startEvent>'),
        "event sub start": event_subprocess('<startEvent id="x">{1}</startEvent>'),
        "event sub start, other": event_subprocess(
            '<startEvent id="x" isInterrupting="false">{1}</startEvent>'
        ),
        "boundary": boundary("{1}"),
        "boundary, other": boundary("{1}", 'cancelActivity="false"'),
        "catch": around('<intermediateCatchEvent id="x">{1}</intermediateCatchEvent>'),
        "throw": around('<intermediateThrowEvent id="x">{1}</intermediateThrowEvent>'),
        "end": '<startEvent id="s"/><endEvent id="x">{1}</endEvent>' + flow("s", "x"),
    }
    body = bodies[position]
    return {
        f"{kind} {position}": (body.format("", definition(kind), ""), "x", "event-definition")
        for kind in kinds.split()
    }


REFUSED: dict[str, tuple[str, str, str]] = {
    "duplicate node": (LINE + '<task id="t"/>', "t", "duplicate-id"),
    "node without id": (around("<task/>", "t"), "task", "missing-id"),
    "choreography": (LINE + '<choreographyTask id="x"/>', "x", "choreography"),
    "choreography inside": (subprocess('<subChoreography id="x"/>'), "x", "choreography"),
    "unheard-of element": (LINE + '<unheardOf id="x"/>', "x", "unsupported-element"),
    "flow into a start": (LINE + flow("t", "s"), "s", "incoming-flow"),
    "flow out of an end": (LINE + flow("e", "t"), "e", "outgoing-flow"),
    "flow into a boundary": (boundary(TIMER) + flow("t", "x"), "x", "incoming-flow"),
    "flow into an event subprocess": (event_subprocess("") + flow("t", "q"), "q", "incoming-flow"),
    "flow out of an event subprocess": (event_subprocess("") + flow("q", "e"), "q", "outgoing-flow"),
    "flow out of a compensation": (boundary(definition("compensate")), "x", "outgoing-flow"),
    "flow out of a link": (
        around(event("intermediateThrowEvent", definition("link", 'name="n"'))),
        "x",
        "outgoing-flow",
    ),
    "flow into a link": (
        around(event("intermediateCatchEvent", definition("link", 'name="n"'))),
        "x",
        "incoming-flow",
    ),
    "catch that nothing reaches": (LINE + event("intermediateCatchEvent", TIMER), "x", "no-incoming-flow"),
    "throw that nothing reaches": (LINE + event("intermediateThrowEvent", MESSAGE), "x", "no-incoming-flow"),
    "milestone at the beginning": (
        '<task id="t"/>' + event("intermediateThrowEvent"),
        "x",
        "no-incoming-flow",
    ),
    "gateway without flows": (LINE + '<exclusiveGateway id="x"/>', "x", "gateway-without-flows"),
    "catch without definition": (around(event("intermediateCatchEvent")), "x", "event-definition"),
    "boundary without definition": (boundary(""), "x", "event-definition"),
    "event subprocess's start without": (event_subprocess('<startEvent id="x"/>'), "x", "event-definition"),
    "cancel end outside": (around(event("endEvent", CANCEL)), "x", "cancel-outside-transaction"),
    "cancel end in a subprocess": (subprocess(event("endEvent", CANCEL)), "x", "cancel-outside-transaction"),
    "cancel boundary of a task": (boundary(CANCEL), "x", "cancel-outside-transaction"),
    "boundary of nothing": (boundary(TIMER, host="gone"), "x", "dangling-reference"),
    "boundary of a gateway": (
        around('<exclusiveGateway id="g"/>', "g") + event("boundaryEvent", TIMER, 'attachedToRef="g"'),
        "x",
        "dangling-reference",
    ),
    "definition not there": (
        around(event("intermediateThrowEvent", "<eventDefinitionRef>s</eventDefinitionRef>")),
        "x",
        "dangling-reference",
    ),
    "caught message not named": (
        around(event("intermediateCatchEvent", definition("message"))),
        "x",
        "message-reference",
    ),
    "caught message not there": (
        around(event("intermediateCatchEvent", '<messageEventDefinition messageRef="gone"/>')),
        "x",
        "message-reference",
    ),
    "condition empty": (
        around(
            event(
                "intermediateCatchEvent",
                "<conditionalEventDefinition><condition/></conditionalEventDefinition>",
            )
        ),
        "x",
        "empty-expression",
    ),
    "link without catch": (
        LINE + event("intermediateThrowEvent", definition("link", 'name="n"')),
        "x",
        "link-target",
    ),
    "link caught in another scope": (
        subprocess('<intermediateCatchEvent id="c"><linkEventDefinition name="n"/></intermediateCatchEvent>')
        + event("intermediateThrowEvent", definition("link", 'name="n"')),
        "x",
        "link-target",
    ),
    "link caught twice": (
        LINE
        + '<intermediateCatchEvent id="c"><linkEventDefinition name="n"/></intermediateCatchEvent>'
        + event("intermediateCatchEvent", definition("link", 'name="n"')),
        "x",
        "link-target",
    ),
    "link to a node": (
        LINE
        + event("intermediateCatchEvent", "<linkEventDefinition><source>s</source></linkEventDefinition>"),
        "x",
        "dangling-reference",
    ),
    "race with a task": (
        around('<eventBasedGateway id="x"/><task id="a"/>') + flow("x", "a"),
        "x",
        "event-gateway-target",
    ),
    "start at a gateway inside": (
        around('<eventBasedGateway id="x" instantiate="true"/>'),
        "x",
        "incoming-flow",
    ),
    "no start quantity": (around('<task id="x" startQuantity="0"/>'), "x", "quantity"),
    "odd quantity": (around('<task id="x" completionQuantity="two"/>'), "x", "quantity"),
    "two loops": (
        around(
            '<task id="x"><standardLoopCharacteristics/><multiInstanceLoopCharacteristics>'
            "<loopCardinality>3</loopCardinality></multiInstanceLoopCharacteristics></task>"
        ),
        "x",
        "loop",
    ),
    "how often is not said": (around('<task id="x"><multiInstanceLoopCharacteristics/></task>'), "x", "loop"),
    "behaviour without condition": (
        around(
            '<task id="x"><multiInstanceLoopCharacteristics><loopCardinality>3</loopCardinality>'
            "<complexBehaviorDefinition><condition/></complexBehaviorDefinition></multiInstanceLoopCharacteristics></task>"
        ),
        "x",
        "empty-expression",
    ),
    "handler is an ordinary task": (
        LINE
        + '<boundaryEvent id="b" attachedToRef="t"><compensateEventDefinition/></boundaryEvent>'
        + '<task id="x"/><association id="a" sourceRef="b" targetRef="x"/>',
        "x",
        "compensation-handler",
    ),
    "two compensations": (
        LINE
        + '<boundaryEvent id="b" attachedToRef="t"><compensateEventDefinition/></boundaryEvent>'
        + event("boundaryEvent", definition("compensate"), 'attachedToRef="t"'),
        "x",
        "several-compensations",
    ),
    "two handlers of one boundary": (
        COMPENSATED + '<task id="k" isForCompensation="true"/><association sourceRef="k" targetRef="b"/>',
        "b",
        "several-compensations",
    ),
    "flow to a handler": (COMPENSATED + flow("t", "h"), "h", "compensation-handler"),
    "flow from a handler": (COMPENSATED + flow("h", "e"), "h", "compensation-handler"),
    "compensation and something else": (
        COMPENSATED.replace("<compensateEventDefinition/>", f"<compensateEventDefinition/>{TIMER}"),
        "b",
        "event-definition",
    ),
    "process compensated from inside": (
        event_subprocess('<startEvent id="x"><compensateEventDefinition/></startEvent>'),
        "q",
        "compensation-handler",
    ),
    "two compensation event subprocesses": (
        subprocess('<startEvent id="a"/>' + COMPENSATION.format(1) + COMPENSATION.format(2)),
        "h2",
        "several-compensations",
    ),
    "compensation inside and at the boundary": (
        subprocess('<startEvent id="a"/>' + COMPENSATION.format(1))
        + event("boundaryEvent", definition("compensate"), 'attachedToRef="q"'),
        "h1",
        "several-compensations",
    ),
    "compensation of nothing": (
        around(event("intermediateThrowEvent", definition("compensate", 'activityRef="gone"'))),
        "x",
        "compensation-reference",
    ),
    "compensation of an event": (
        around(event("intermediateThrowEvent", definition("compensate", 'activityRef="s"'))),
        "x",
        "compensation-reference",
    ),
    "compensation of what lies deeper": (
        around(event("intermediateThrowEvent", definition("compensate", 'activityRef="deep"')))
        + '<subProcess id="q"><startEvent id="a"/><task id="deep"/></subProcess>',
        "x",
        "compensation-reference",
    ),
    "compensation of what lies around": (
        subprocess('<startEvent id="a"/>' + event("endEvent", definition("compensate", 'activityRef="q"'))),
        "x",
        "compensation-reference",
    ),
    "two cancel boundaries": (
        subprocess('<startEvent id="a"/>', tag="transaction")
        + f'<boundaryEvent id="b" attachedToRef="q">{CANCEL}</boundaryEvent>'
        + event("boundaryEvent", CANCEL, 'attachedToRef="q"'),
        "x",
        "several-cancel-events",
    ),
    "end without start inside": (
        subprocess('<task id="a"/><endEvent id="z"/>' + path("a", "z")),
        "q",
        "subprocess-start",
    ),
    "odd ordering": (
        subprocess('<task id="a"/>', 'ordering="Random"', "adHocSubProcess"),
        "q",
        "ad-hoc-content",
    ),
    "odd maximum": (
        around('<task id="x"><standardLoopCharacteristics loopMaximum="-1"/></task>'),
        "x",
        "loop",
    ),
    "script format": (
        around('<scriptTask id="x" scriptFormat="INVALID"><script>1</script></scriptTask>'),
        "x",
        "script-format",
    ),
    "operation is a message": (around('<serviceTask id="x" operationRef="m"/>'), "x", "dangling-reference"),
    "two starts inside": (subprocess('<startEvent id="a"/><startEvent id="x"/>'), "x", "several-none-starts"),
    "event subprocess without start": (event_subprocess(""), "q", "event-subprocess-start"),
    "event subprocess with two": (
        event_subprocess(f'<startEvent id="a">{TIMER}</startEvent><startEvent id="b">{TIMER}</startEvent>'),
        "q",
        "event-subprocess-start",
    ),
    "start in an ad-hoc": (subprocess('<startEvent id="x"/>', tag="adHocSubProcess"), "x", "ad-hoc-content"),
    "end in an ad-hoc": (
        subprocess('<task id="a"/><endEvent id="x"/>', tag="adHocSubProcess"),
        "x",
        "ad-hoc-content",
    ),
    "timer without time": (
        around(event("intermediateCatchEvent", "<timerEventDefinition/>")),
        "x",
        "timer-definition",
    ),
    "timer with an odd time": (
        around(event("intermediateCatchEvent", TIMER.replace("PT1S", "soon"))),
        "x",
        "timer-text",
    ),
    **wrong_at("start", "cancel compensate error escalation link terminate"),
    **wrong_at("sub start", "message timer signal conditional error escalation"),
    **wrong_at("event sub start", "cancel link terminate"),
    **wrong_at("event sub start, other", "error compensate"),
    **wrong_at("boundary", "link terminate"),
    **wrong_at("boundary, other", "error cancel terminate link"),
    **wrong_at("catch", "cancel compensate error escalation terminate"),
    **wrong_at("throw", "cancel conditional error terminate timer"),
    **wrong_at("end", "conditional link timer"),
}


@pytest.mark.parametrize(("body", "element", "rule"), REFUSED.values(), ids=REFUSED)
def test_what_breaks_a_rule_is_refused_at_the_element_at_fault(body: str, element: str, rule: str) -> None:
    assert (element, rule) in found(read(body, root='<message id="m" name="M"/>').problems)


ALLOWED = {
    "terminate end": '<startEvent id="s"/><endEvent id="x"><terminateEventDefinition/></endEvent>'
    + flow("s", "x"),
    "timer catch": around(event("intermediateCatchEvent", TIMER)),
    "milestone": around(event("intermediateThrowEvent")),
    "gateway with one flow in and out": around('<parallelGateway id="x" gatewayDirection="Diverging"/>'),
    "several flows into and out of a task": LINE
    + flow("t", "e")
    + '<task id="y"/>'
    + flow("t", "y")
    + flow("y", "t"),
    "path without end": '<startEvent id="s"/><task id="t"/>' + flow("s", "t"),
    "quantity of one": around('<task id="x" startQuantity="1" completionQuantity=" 1 "/>'),
    "script formats": around(
        '<scriptTask id="x" scriptFormat="text/x-python"><script>1</script></scriptTask>'
    ),
    "known language": around('<scriptTask id="x" scriptFormat="JavaScript"><script>1</script></scriptTask>'),
    "no language": around('<scriptTask id="x"><script>1</script></scriptTask>'),
    "passive content": LINE
    + '<property id="pr"/><dataObject id="do"/><dataObjectReference id="dr" dataObjectRef="do"/><ioSpecification/>'
    + '<textAnnotation id="ta"><text>x</text></textAnnotation><association id="a" sourceRef="ta" targetRef="t"/>'
    + '<group id="g"/><dataStoreReference id="ds"/><auditing/><monitoring/>',
}


@pytest.mark.parametrize("body", ALLOWED.values(), ids=ALLOWED)
def test_what_keeps_the_rules_is_not_refused(body: str) -> None:
    model = read(body)
    assert model.problems == ()
    assert model.graph is not None


ALLOWED_WITH_MESSAGES = {
    "cancel in a transaction": subprocess(
        '<startEvent id="a"/>' + event("endEvent", CANCEL), tag="transaction"
    ),
    "link by name": LINE
    + event("intermediateThrowEvent", definition("link", 'name="n"'))
    + flow("t", "x")
    + '<intermediateCatchEvent id="c"><linkEventDefinition name="n"/></intermediateCatchEvent>'
    + flow("c", "e"),
    "link by id": LINE
    + event(
        "intermediateThrowEvent", '<linkEventDefinition name="1"><target>d2</target></linkEventDefinition>'
    )
    + flow("t", "x")
    + '<intermediateCatchEvent id="c"><linkEventDefinition id="d2" name="2"/></intermediateCatchEvent>'
    + flow("c", "e"),
    "throw that begins": '<task id="t"/>' + event("intermediateThrowEvent", MESSAGE) + path("x", "t"),
    "compensation": COMPENSATED,
    "compensation event subprocess": subprocess('<startEvent id="a"/>' + COMPENSATION.format(1)),
    "compensation of a task": around(
        event("intermediateThrowEvent", definition("compensate", 'activityRef="t2"'))
    )
    + '<task id="t2"/>'
    + flow("e", "t2").replace("e-t2", "unused").replace('sourceRef="e"', 'sourceRef="s"'),
    "compensation of what an event subprocess stands in": LINE
    + f'<subProcess id="q" triggeredByEvent="true"><startEvent id="a">{TIMER}</startEvent>'
    + event("endEvent", definition("compensate", 'activityRef="t"'))
    + flow("a", "x")
    + "</subProcess>",
    "cancel boundary of a saga": subprocess('<startEvent id="a"/>', 'own:saga="local"')
    + event("boundaryEvent", CANCEL, 'attachedToRef="q"'),
    "subprocess without start and end": subprocess('<task id="a"/>'),
    "complex gateway": around(
        '<complexGateway id="x"><activationCondition>activationCount &gt; 1</activationCondition></complexGateway>'
    ),
    "non-interrupting compensation": LINE
    + '<boundaryEvent id="b" attachedToRef="t" cancelActivity="false"><compensateEventDefinition/></boundaryEvent>',
    "race": around(
        '<eventBasedGateway id="x"/><receiveTask id="r"/>'
        + event("intermediateCatchEvent", TIMER).replace('"x"', '"c"')
    ).replace(flow("x", "e"), "")
    + path("x", "r", "e")
    + path("x", "c", "e"),
    "event subprocess": event_subprocess(f'<startEvent id="a" isInterrupting="false">{TIMER}</startEvent>'),
    "ad-hoc": subprocess('<task id="a"/>', tag="adHocSubProcess"),
    "ad-hoc in order": subprocess(
        '<task id="a"/><completionCondition>${a}</completionCondition>',
        'ordering="Sequential"',
        "adHocSubProcess",
    ),
    "higher quantity": around('<task id="x" startQuantity="2"/>'),
}


@pytest.mark.parametrize("body", ALLOWED_WITH_MESSAGES.values(), ids=ALLOWED_WITH_MESSAGES)
def test_what_stands_in_its_place_is_not_refused(body: str) -> None:
    model = read(body, root='<message id="m" name="M"/>')
    assert model.problems == ()
    assert model.graph is not None


def test_all_problems_of_all_processes_are_found_at_once() -> None:
    first = (
        '<process id="a" isExecutable="true">'
        + around('<task id="x" default="no"/><callActivity id="c"/>')
        + "</process>"
    )
    second = (
        '<process id="b" isExecutable="true"><startEvent id="s2"/>'
        + flow("s2", "gone", name="f")
        + "</process>"
    )
    file = read_all(first, second)
    assert found(file.problems) == {
        ("x", "default-flow"),
        ("c", "called-element"),
        ("f", "dangling-reference"),
    }


def test_several_compensation_boundaries_are_named_with_their_activity() -> None:
    other = event("boundaryEvent", definition("compensate"), 'attachedToRef="t"')
    (message,) = [
        problem.message
        for problem in read(COMPENSATED + other).problems
        if problem.rule == "several-compensations"
    ]
    assert all(f"'{name}'" in message for name in ("t", "b", "x"))


def test_a_compensation_boundary_without_handler_is_a_warning() -> None:
    model = read(LINE + event("boundaryEvent", definition("compensate"), 'attachedToRef="t"'))
    assert model.problems == ()
    assert ("x", "no-compensation-handler") in found(model.warnings)


def test_problems_stand_in_the_order_of_lines_and_name_them() -> None:
    body = '\n<startEvent id="s"/>\n<task id="t" default="no"/>\n<callActivity id="c"/>\n' + path(
        "s", "t", "c"
    )
    assert [(problem.line, problem.element) for problem in read(body).problems] == [(3, "t"), (4, "c")]


def test_what_is_wrong_inside_an_event_is_reported_at_the_event() -> None:
    inside = '<timerEventDefinition id="inner"><timeDuration id="deeper">soon</timeDuration></timerEventDefinition>'
    assert found(read(around(event("intermediateCatchEvent", inside))).problems) == {("x", "timer-text")}


def test_ids_repeated_where_they_decide_nothing_are_warnings() -> None:
    model = read(LINE + '<textAnnotation id="n"/><group id="n"/>')
    assert model.problems == ()
    assert ("n", "duplicate-id") in found(model.warnings)


def test_a_node_with_the_id_of_a_node_in_another_process_is_refused() -> None:
    one, two = read_all(
        '<process id="a" isExecutable="true">' + LINE + "</process>",
        '<process id="b" isExecutable="true"><startEvent id="s"/></process>',
    ).processes
    assert one.problems == ()
    assert found(two.problems) == {("s", "duplicate-id")}


def test_two_processes_with_one_id_are_refused() -> None:
    text = '<process id="a" isExecutable="true">{}</process>'
    _, two = read_all(text.format(LINE), text.format('<startEvent id="s2"/>')).processes
    assert found(two.problems) == {("a", "duplicate-id")}


def test_a_process_without_id_is_refused() -> None:
    assert found(read_all(f'<process isExecutable="true">{LINE}</process>').problems) == {
        ("process", "missing-id")
    }


def test_a_script_format_with_a_registered_handler_is_known() -> None:
    from bpm.bpmn import read_file

    body = around('<scriptTask id="x" scriptFormat="Sums"><script>1+1</script></scriptTask>')
    data = definitions(f'<process id="p" isExecutable="true">{body}</process>')
    assert found(read_file(data).problems) == {("x", "script-format")}
    assert read_file(data, script_formats=frozenset({"sums"})).problems == ()


def test_every_check_is_registered_once_and_says_its_rule() -> None:
    assert len({*CHECKS, *OF_DEPLOYING}) == len(CHECKS) + len(OF_DEPLOYING)
    assert all(check.__doc__ for check in (*CHECKS, *OF_DEPLOYING))
