"""Every trigger at every place where BPMN lets it stand: deployed and played (semantics §3, §4, §7).

On the core alone, which is fast enough for all of them; what a process starts by is in test_every_start.py.
"""

from __future__ import annotations

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core import operations as o
from tests.support.bpmn_text import bpmn, flows
from tests.support.core_host import CoreHost
from tests.support.event_table import CAUGHT, ERROR, ESCALATION, ROOTS, Trigger, timer
from tests.support.play import Case, Play

ENDS = '<startEvent id="s"/><endEvent id="e"/>'
TASK = '<startEvent id="{0}s"/><userTask id="{0}"/>' + flows("{0}s {0}")
HOSTS = {
    "userTask": '<userTask id="a"/>',
    "receiveTask": '<receiveTask id="a"/>',
    "serviceTask": '<serviceTask id="a" camunda:type="external" camunda:topic="t"/>',
    "sendTask": '<sendTask id="a" camunda:type="external" camunda:topic="t"/>',
    "businessRuleTask": '<businessRuleTask id="a" camunda:type="external" camunda:topic="t"/>',
    "callActivity": '<callActivity id="a" calledElement="other"/>',
    "subProcess": f'<subProcess id="a">{TASK.format("i")}</subProcess>',
    "transaction": f'<transaction id="a">{TASK.format("i")}</transaction>',
    "adHocSubProcess": '<adHocSubProcess id="a"><userTask id="i"/></adHocSubProcess>',
    "multiInstance": (
        '<userTask id="a"><multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality>'
        "</multiInstanceLoopCharacteristics></userTask>"
    ),
    "sequential": (
        '<userTask id="a"><multiInstanceLoopCharacteristics isSequential="true"><loopCardinality>2</loopCardinality>'
        "</multiInstanceLoopCharacteristics></userTask>"
    ),
    "loop": '<userTask id="a"><standardLoopCharacteristics loopMaximum="2"/></userTask>',
}
SCOPES = {
    "process": "{}",
    "subProcess": '<startEvent id="s"/><subProcess id="q">{}</subProcess>' + flows("s q"),
    "transaction": '<startEvent id="s"/><transaction id="q">{}</transaction>' + flows("s q"),
    "instance": (
        '<startEvent id="s"/><subProcess id="q"><multiInstanceLoopCharacteristics><loopCardinality>1</loopCardinality>'
        "</multiInstanceLoopCharacteristics>{}</subProcess>" + flows("s q")
    ),
    "event subprocess": (
        '<startEvent id="s"/><userTask id="outer"/>'
        + flows("s outer")
        + '<subProcess id="q" triggeredByEvent="true">'
        f'<startEvent id="qs" isInterrupting="false">{timer("timeDuration", "PT1S")}</startEvent>'
        "{}</subProcess>"
    ),
}
"""Where something stands; what goes in begins at a start event, or behind `qs`."""


@pytest.fixture
def play() -> Play:
    """A scenario on the core."""
    return Play(CoreHost())


def begin(play: Play, *body: str) -> Case:
    """Deploy one process and start it."""
    play.host.deploy(bpmn(*body, roots=ROOTS))
    return play.start()


def inside(play: Play, scope: str, content: str, first: str) -> Case:
    """Deploy content in a scope, with something that leads to its first node, and start it."""
    if scope == "event subprocess":
        case = begin(play, SCOPES[scope].format(content + flows(f"qs {first}")))
        play.pass_time("PT2S")
        return case
    start = "s" if scope == "process" else "qs"
    return begin(
        play, SCOPES[scope].format(f'<startEvent id="{start}"/>' + content + flows(f"{start} {first}"))
    )


def went(case: Case, node: str) -> bool:
    """Return whether a token has left a node."""
    return case.passed()[node] > 0


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("trigger", CAUGHT.values(), ids=CAUGHT)
def test_intermediate_catch_events(play: Play, trigger: Trigger, scope: str) -> None:
    event = f'<intermediateCatchEvent id="x" {trigger.attributes}>{trigger.xml}</intermediateCatchEvent>'
    case = inside(play, scope, event + '<userTask id="h"/>' + flows("x h"), "x")
    assert "x" in case.at()
    trigger.come(play, case)
    assert (went(case, "x"), len(case.tasks("h"))) == (True, 1)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("trigger", CAUGHT.values(), ids=CAUGHT)
def test_catch_events_behind_an_event_based_gateway(play: Play, trigger: Trigger, scope: str) -> None:
    event = f'<intermediateCatchEvent id="x" {trigger.attributes}>{trigger.xml}</intermediateCatchEvent>'
    other = f'<intermediateCatchEvent id="y">{timer("timeDuration", "PT5H")}</intermediateCatchEvent>'
    body = f'<eventBasedGateway id="g"/>{event}{other}<userTask id="h"/>' + flows("g x", "g y", "x h", "y h")
    case = inside(play, scope, body, "g")
    trigger.come(play, case)
    assert (went(case, "x"), went(case, "y"), len(case.tasks("h"))) == (True, False, 1)
    play.pass_time("PT6H")
    assert len(case.tasks("h")) == 1


@pytest.mark.parametrize("cancels", [True, False], ids=["interrupting", "beside"])
@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("trigger", CAUGHT.values(), ids=CAUGHT)
def test_boundary_events(play: Play, trigger: Trigger, host: str, cancels: bool) -> None:
    event = (
        f'<boundaryEvent id="b" attachedToRef="a" cancelActivity="{str(cancels).lower()}" {trigger.attributes}>'
        f'{trigger.xml}</boundaryEvent><userTask id="h"/>'
    )
    case = begin(play, ENDS, HOSTS[host], event, flows("s a", "a e", "b h"))
    assert "a" in case.at()
    trigger.come(play, case)
    assert len(case.tasks("h")) >= 1
    assert ("a" in case.at()) == (not cancels)


def test_a_parallel_multiple_event_comes_again_when_all_of_it_has(play: Play) -> None:
    trigger = CAUGHT["parallel-multiple"]
    event = (
        f'<boundaryEvent id="b" attachedToRef="a" cancelActivity="false" {trigger.attributes}>{trigger.xml}'
    )
    event += '</boundaryEvent><userTask id="h"/>'
    case = begin(play, ENDS, HOSTS["userTask"], event, flows("s a", "a e", "b h"))
    for count in (1, 2, 3):
        trigger.come(play, case)
        assert len(case.tasks("h")) == count


@pytest.mark.parametrize("cancels", [True, False], ids=["interrupting", "beside"])
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("trigger", CAUGHT.values(), ids=CAUGHT)
def test_starts_of_event_subprocesses(play: Play, trigger: Trigger, scope: str, cancels: bool) -> None:
    handler = (
        f'<subProcess id="p1" triggeredByEvent="true"><startEvent id="hs" isInterrupting="{str(cancels).lower()}" '
        f'{trigger.attributes}>{trigger.xml}</startEvent><userTask id="h"/>' + flows("hs h") + "</subProcess>"
    )
    case = inside(play, scope, '<userTask id="a"/>' + handler, "a")
    trigger.come(play, case)
    assert len(case.tasks("h")) >= 1
    assert ("a" in case.at()) == (not cancels)
    while case.status == "RUNNING":
        case.finish(case.tasks()[0])
    assert case.status == "COMPLETED"


FAULTS = {"error": ERROR, "error-any": "<errorEventDefinition/>", "escalation": ESCALATION}
THROWERS = {
    "end": '<startEvent id="ts"/><endEvent id="t">{}</endEvent>' + flows("ts t"),
    "throw": (
        '<startEvent id="ts"/><intermediateThrowEvent id="t">{}</intermediateThrowEvent><userTask id="on"/>'
        + flows("ts t", "t on")
    ),
    "multiple": '<startEvent id="ts"/><endEvent id="t"><messageEventDefinition messageRef="m"/>{}</endEvent>'
    + flows("ts t"),
}
FAULTY = [
    (fault, thrower)
    for fault in FAULTS
    for thrower in THROWERS
    if not (fault.startswith("error") and thrower == "throw")
]


@pytest.mark.parametrize("handler", ["boundary", "event subprocess", "outer event subprocess"])
@pytest.mark.parametrize(("fault", "thrower"), FAULTY)
@pytest.mark.parametrize("host", ["subProcess", "transaction", "multiInstance"])
def test_errors_and_escalations_are_caught(
    play: Play, host: str, fault: str, thrower: str, handler: str
) -> None:
    thrown = THROWERS[thrower].format(ERROR if fault.startswith("error") else ESCALATION)
    caught = f'<startEvent id="hs">{FAULTS[fault]}</startEvent><userTask id="h"/>' + flows("hs h")
    event = f'<subProcess id="p1" triggeredByEvent="true">{caught}</subProcess>'
    loop = "<multiInstanceLoopCharacteristics><loopCardinality>1</loopCardinality></multiInstanceLoopCharacteristics>"
    tag = "transaction" if host == "transaction" else "subProcess"
    content = (
        (loop if host == "multiInstance" else "") + thrown + (event if handler == "event subprocess" else "")
    )
    outside = {
        "boundary": f'<boundaryEvent id="b" attachedToRef="q">{FAULTS[fault]}</boundaryEvent><userTask id="h"/>'
        + flows("b h"),
        "outer event subprocess": event,
    }
    body = f'{ENDS}<{tag} id="q">{content}</{tag}>' + outside.get(handler, "") + flows("s q", "q e")
    case = begin(play, body)
    assert (len(case.tasks("h")), case.at()[-1], "on" in case.at()) == (1, case.at()[-1], False)
    case.complete("h")
    assert case.status == "COMPLETED"


@pytest.mark.parametrize("tag", ["boundaryEvent", "startEvent"])
def test_an_escalation_may_leave_its_thrower_alone(play: Play, tag: str) -> None:
    thrown = THROWERS["throw"].format(ESCALATION)
    if tag == "boundaryEvent":
        caught = (
            f'<boundaryEvent id="b" attachedToRef="q" cancelActivity="false">{ESCALATION}</boundaryEvent>'
        )
        caught += '<userTask id="h"/>' + flows("b h")
    else:
        caught = f'<subProcess id="p1" triggeredByEvent="true"><startEvent id="b" isInterrupting="false">{ESCALATION}'
        caught += '</startEvent><userTask id="h"/>' + flows("b h") + "</subProcess>"
    case = begin(play, ENDS, f'<subProcess id="q">{thrown}</subProcess>', caught, flows("s q", "q e"))
    assert (len(case.tasks("h")), len(case.tasks("on"))) == (1, 1)


@pytest.mark.parametrize("tag", ["intermediateThrowEvent", "endEvent"])
@pytest.mark.parametrize("waits", ["true", "false"])
@pytest.mark.parametrize("handler", ["boundary", "event subprocess"])
def test_compensation(play: Play, tag: str, waits: str, handler: str) -> None:
    undo = '<userTask id="h" isForCompensation="true"/>'
    if handler == "boundary":
        done = '<task id="a"/><boundaryEvent id="b" attachedToRef="a"><compensateEventDefinition/></boundaryEvent>'
        done += undo + '<association id="as" sourceRef="b" targetRef="h"/>'
    else:
        start = '<startEvent id="hs"><compensateEventDefinition/></startEvent><userTask id="h"/>' + flows(
            "hs h"
        )
        done = '<subProcess id="a"><startEvent id="as1"/><task id="i"/>' + flows("as1 i")
        done += f'<subProcess id="p1" triggeredByEvent="true">{start}</subProcess></subProcess>'
    thrown = f'<{tag} id="t"><compensateEventDefinition waitForCompletion="{waits}"/></{tag}>'
    case = begin(play, '<startEvent id="s"/>', done, thrown, flows("s a", "a t"))
    assert len(case.tasks("h")) == 1
    assert ("t" in case.at()) == (waits == "true")
    case.complete("h")
    assert case.status == "COMPLETED"


def test_cancel(play: Play) -> None:
    inner = '<startEvent id="qs"/><endEvent id="t"><cancelEventDefinition/></endEvent>' + flows("qs t")
    caught = (
        '<boundaryEvent id="b" attachedToRef="q"><cancelEventDefinition/></boundaryEvent><userTask id="h"/>'
    )
    case = begin(play, ENDS, f'<transaction id="q">{inner}</transaction>', caught, flows("s q", "q e", "b h"))
    assert case.at() == ["h"]


@pytest.mark.parametrize("scope", [name for name in SCOPES if name != "process"])
def test_terminate_ends_its_own_scope_only(play: Play, scope: str) -> None:
    body = '<parallelGateway id="f"/><userTask id="a"/><userTask id="k"/>'
    body += '<endEvent id="t"><terminateEventDefinition/></endEvent>' + flows("f a", "f k", "k t")
    case = inside(play, scope, body, "f")
    case.complete("k")
    assert "a" not in case.at()
    assert case.status == ("RUNNING" if scope == "event subprocess" else "COMPLETED")


THROWN = {
    "none": ("", ()),
    "message": ('<messageEventDefinition messageRef="m"/>', (e.MessageThrown,)),
    "signal": ('<signalEventDefinition signalRef="sig"/>', (e.SignalThrown,)),
    "escalation": (ESCALATION, (e.EscalationThrown,)),
    "compensation": ("<compensateEventDefinition/>", (e.CompensationThrown,)),
    "multiple": (
        '<messageEventDefinition messageRef="m"/><signalEventDefinition signalRef="sig"/>' + ESCALATION,
        (e.MessageThrown, e.SignalThrown, e.EscalationThrown),
    ),
}


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("tag", ["intermediateThrowEvent", "endEvent"])
@pytest.mark.parametrize("thrown", THROWN)
def test_what_throws_goes_on_or_ends(play: Play, thrown: str, tag: str, scope: str) -> None:
    xml, happened = THROWN[thrown]
    after = '<userTask id="h"/>' + flows("t h") if tag == "intermediateThrowEvent" else ""
    case = inside(play, scope, f'<{tag} id="t">{xml}</{tag}>{after}', "t")
    assert went(case, "t")
    assert len(case.tasks("h")) == (tag == "intermediateThrowEvent")
    for kind in happened:
        assert len(case.of(kind)) == 1


@pytest.mark.parametrize("scope", SCOPES)
def test_links(play: Play, scope: str) -> None:
    link = '<linkEventDefinition name="far"/>'
    body = f'<intermediateThrowEvent id="t">{link}</intermediateThrowEvent>'
    body += f'<intermediateCatchEvent id="x">{link}</intermediateCatchEvent><userTask id="h"/>' + flows("x h")
    case = inside(play, scope, body, "t")
    assert (went(case, "t"), went(case, "x"), len(case.tasks("h"))) == (True, True, 1)


@pytest.mark.parametrize("kind", ["error", "escalation"])
@pytest.mark.parametrize("host", ["userTask", "serviceTask"])
def test_tasks_end_by_errors_and_escalations(play: Play, host: str, kind: str) -> None:
    if (host, kind) == ("serviceTask", "escalation"):
        kind = "error"
    event = f'<boundaryEvent id="b" attachedToRef="a">{FAULTS[kind]}</boundaryEvent><userTask id="h"/>'
    case = begin(play, ENDS, HOSTS[host], event, flows("s a", "a e", "b h"))
    if host == "serviceTask":
        task = case.external("a").id
        case.do(c.LockExternalTasks(tasks=(task,), worker="w", lock_ms=1_000))
        case.do(c.ThrowExternalTaskError(task=task, worker="w", error_code="err"))
    elif kind == "error":
        case.do(o.ThrowUserTaskError(task=case.tasks("a")[0].id, error_code="err"))
    else:
        case.do(o.ThrowUserTaskEscalation(task=case.tasks("a")[0].id, escalation_code="esc"))
    assert case.at() == ["h"]
