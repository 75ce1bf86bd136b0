"""Call activities: what is called, variables in and out, errors and escalations across, ends on both sides."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bpm import engine
from bpm.models import Outbox, ProcessInstance
from tests.support.between import (
    END,
    START,
    at,
    call,
    check_all,
    complete,
    deploy,
    event,
    events,
    incidents,
    instances,
    node,
    nothing_on_the_way,
    only,
    process,
    start,
    status,
    timer,
    user,
    variables,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _checked() -> Iterator[None]:
    yield
    check_all()


CHILD = process("child", START, user("work"), END, line="s work e")


def parent(inside: str = "", *more: str, line: str = "s c after e", **attributes: str) -> str:
    return process(
        "parent", START, call("c", "child", inside, **attributes), user("after"), END, *more, line=line
    )


def test_the_caller_waits_for_the_called_process_and_goes_on() -> None:
    deploy(parent(), CHILD)
    caller = start("parent", variables={"x": 1})
    called = only("child")
    assert (at(caller), at(called)) == (["c"], ["work"])
    assert variables(called) == {}
    complete(called, y=2)
    assert (status(called), at(caller)) == ("COMPLETED", ["after"])
    assert variables(caller) == {"x": 1}
    assert nothing_on_the_way()


def test_a_called_process_that_ends_at_once_returns_at_once() -> None:
    deploy(parent(), process("child", START, END, line="s e"))
    caller = start("parent")
    assert at(caller) == ["after"]
    complete(caller)
    assert status(caller) == "COMPLETED"


def test_variables_go_in_and_out_as_mapped_with_the_business_key() -> None:
    inside = (
        '<camunda:in businessKey="${execution.processBusinessKey}-1"/><camunda:in source="x" target="y"/>'
        '<camunda:in sourceExpression="${x + 5}" target="z"/><camunda:in source="missing" target="m"/>'
        '<camunda:out source="y" target="back"/><camunda:out sourceExpression="${z * 2}" target="twice"/>'
    )
    deploy(parent(inside), CHILD)
    caller = start("parent", variables={"x": 1}, business_key="b")
    called = only("child")
    assert variables(called) == {"y": 1, "z": 6, "m": None}
    complete(called, y=9007199254740993)
    assert variables(caller) == {"x": 1, "back": 9007199254740993, "twice": 12}


def test_all_variables_come_first_and_local_ones_stay_with_the_call() -> None:
    inside = (
        '<camunda:inputOutput><camunda:inputParameter name="own">${x + 1}</camunda:inputParameter>'
        '<camunda:outputParameter name="result">${y + own}</camunda:outputParameter></camunda:inputOutput>'
        '<camunda:in variables="all" local="true"/><camunda:out variables="all" local="true"/>'
    )
    deploy(parent(inside), CHILD)
    caller = start("parent", variables={"x": 1})
    assert variables(only("child")) == {"own": 2}
    complete(only("child"), y=40)
    assert variables(caller) == {"x": 1, "result": 42}


def test_zeebe_passes_all_unless_it_says_otherwise() -> None:
    inside = '<zeebe:calledElement processId="child" propagateAllChildVariables="false"/>'
    deploy(parent(inside), CHILD)
    caller = start("parent", variables={"x": 1})
    assert variables(only("child")) == {"x": 1}
    complete(only("child"), x=2, y=3)
    assert variables(caller) == {"x": 1}


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({}, "third"),
        ({"camunda__calledElementBinding": "version", "camunda__calledElementVersion": "${v}"}, "second"),
        ({"camunda__calledElementBinding": "versionTag", "camunda__calledElementVersionTag": "one"}, "first"),
        ({"camunda__calledElementBinding": "deployment"}, "second"),
    ],
)
def test_the_binding_says_which_version_is_called(attributes: dict[str, str], expected: str) -> None:
    def version(name: str, tag: str) -> str:
        return process(
            "child", START, user(name), END, line=f"s {name} e", attributes=f'camunda:versionTag="{tag}"'
        )

    deploy(version("first", "one"))
    deploy(parent(**attributes), version("second", "two"))
    deploy(version("third", "three"))
    start("parent", variables={"v": 2})
    assert at(only("child")) == [expected]


def test_what_is_called_can_be_computed() -> None:
    called = process("parent", START, call("c", "${name}"), END, line="s c e")
    deploy(called, CHILD)
    start("parent", variables={"name": "child"})
    assert at(only("child")) == ["work"]


def test_what_is_not_there_is_an_incident_at_the_call_and_can_be_tried_again() -> None:
    deploy(parent('<camunda:in variables="all"/>'))
    caller = start("parent", variables={"x": 1})
    assert (status(caller), incidents(caller)) == ("FAILED", [("c", "CallFailed")])
    deploy(CHILD)
    (token,) = _tokens(caller)
    engine.retry_token(token)
    assert (status(caller), incidents(caller)) == ("RUNNING", [])
    complete(only("child"))
    assert at(caller) == ["after"]


def test_a_called_process_that_starts_by_a_message_only_is_an_incident() -> None:
    child = process("child", event("startEvent", "s", "message", "m"), END, line="s e")
    deploy(parent(), child, message_m="go")
    caller = start("parent")
    assert incidents(caller) == [("c", "CallFailed")]
    assert instances("child") == []


def test_an_output_that_cannot_be_mapped_is_mapped_again_without_a_second_call() -> None:
    deploy(parent('<camunda:out sourceExpression="${y + factor}" target="z"/>'), CHILD)
    caller = start("parent")
    complete(only("child"), y=2)
    assert incidents(caller) == [("c", "ExpressionFailed")]
    (token,) = _tokens(caller)
    engine.retry_token(token)
    assert incidents(caller) == [("c", "ExpressionFailed")]
    assert instances("child") == [only("child")]


def test_a_retried_call_with_a_boundary_event_waits_for_it_once() -> None:
    boundary = timer("boundaryEvent", "late", "PT1H", attachedToRef="c")
    deploy(parent("", boundary, line="s c after e;late after"))
    caller = start("parent")
    assert incidents(caller) == [("c", "CallFailed")]
    engine.retry_token(_tokens(caller)[-1])
    deploy(CHILD)
    engine.retry_token(_tokens(caller)[-1])
    assert events(caller, "TimerScheduled") == 1
    complete(only("child"))
    assert at(caller) == ["after"]


def _tokens(instance: str) -> list[str]:
    from bpm.models import Token

    rows = Token.objects.filter(instance__id=instance, final=False).order_by("id")
    return [str(row) for row in rows.values_list("id", flat=True)]


# ends


def test_a_boundary_event_ends_the_called_instance_and_its_own_calls() -> None:
    middle = process("middle", START, call("cc", "child"), END, line="s cc e")
    boundary = event("boundaryEvent", "stop", "message", "m", attachedToRef="c")
    top = process("top", START, call("c", "middle"), boundary, user("after"), END, line="s c e;stop after e")
    deploy(top, middle, CHILD, message_m="stop")
    caller = start("top")
    assert at(only("child")) == ["work"]
    engine.correlate("stop")
    assert at(caller) == ["after"]
    assert [status(only(key)) for key in ("middle", "child")] == ["CANCELLED", "CANCELLED"]
    assert nothing_on_the_way()


def test_cancelling_the_caller_cancels_what_it_has_called() -> None:
    deploy(parent(), CHILD)
    caller = start("parent")
    engine.cancel(caller)
    assert (status(caller), status(only("child"))) == ("CANCELLED", "CANCELLED")
    assert incidents(caller) == []


def test_cancelling_the_called_instance_is_an_incident_at_the_call_and_can_be_tried_again() -> None:
    deploy(parent(), CHILD)
    caller = start("parent")
    engine.cancel(only("child"), reason="wrong one")
    assert (status(caller), incidents(caller)) == ("FAILED", [("c", "CallCancelled")])
    engine.retry_token(_tokens(caller)[0])
    first, second = instances("child")
    assert (status(first), status(second)) == ("CANCELLED", "RUNNING")
    complete(second)
    assert at(caller) == ["after"]


def test_terminate_in_the_called_process_ends_only_that_and_returns_its_variables() -> None:
    child = process(
        "child",
        START,
        node("parallelGateway", "f"),
        user("other"),
        user("work"),
        event("endEvent", "stop", "terminate"),
        line="s f work stop;f other",
    )
    deploy(parent('<camunda:out source="y" target="z"/>'), child)
    caller = start("parent")
    complete(only("child"), "work", y=7)
    assert (status(only("child")), at(caller), variables(caller)) == ("COMPLETED", ["after"], {"z": 7})


def test_a_caller_of_a_failed_instance_stays_running() -> None:
    child = process(
        "child", START, node("scriptTask", "t", "<script>${nothing.x}</script>"), END, line="s t e"
    )
    deploy(parent(), child)
    caller = start("parent")
    assert (status(caller), status(only("child"))) == ("RUNNING", "FAILED")


def test_recursive_calls_end_with_their_root() -> None:
    again = process("again", START, call("c", "again"), user("u"), END, line="s c u e")
    deploy(again)
    root = start("again")
    grown = len(instances("again"))
    assert grown > 100
    assert Outbox.objects.count() == 1
    engine.cancel(root)
    for _ in range(20):
        if not Outbox.objects.exists():
            break
        Outbox.objects.update(available_at="2000-01-01T00:00:00Z")
        engine.deliver_due(200)
    assert not Outbox.objects.exists()
    assert {status(instance) for instance in instances("again")} == {"CANCELLED"}
    assert len(instances("again")) == grown


# multi-instance


def test_each_instance_of_a_multi_instance_call_calls_its_own() -> None:
    loop = "<multiInstanceLoopCharacteristics camunda:collection='${items}' camunda:elementVariable='item'/>"
    extensions = (
        '<extensionElements><camunda:in source="item" target="item"/>'
        '<camunda:out sourceExpression="${item * 2}" target="last"/></extensionElements>'
    )
    many = process(
        "many", START, node("callActivity", "c", extensions + loop, calledElement="child"), END, line="s c e"
    )
    deploy(many, CHILD)
    caller = start("many", variables={"items": [1, 2, 3]})
    assert [variables(instance) for instance in instances("child")] == [{"item": 1}, {"item": 2}, {"item": 3}]
    for instance in instances("child"):
        complete(instance)
    assert (status(caller), variables(caller)["last"]) == ("COMPLETED", 6)


def test_a_thousand_calls_of_one_caller_all_return() -> None:
    loop = "<multiInstanceLoopCharacteristics><loopCardinality>300</loopCardinality></multiInstanceLoopCharacteristics>"
    many = process("many", START, node("callActivity", "c", loop, calledElement="quick"), END, line="s c e")
    deploy(many, process("quick", START, END, line="s e"))
    caller = start("many")
    for _ in range(20):
        if status(caller) == "COMPLETED":
            break
        Outbox.objects.update(available_at="2000-01-01T00:00:00Z")
        engine.deliver_due(200)
    assert (status(caller), len(instances("quick"))) == ("COMPLETED", 300)
    assert nothing_on_the_way()


# errors and escalations


def thrower(kind: str = "error", *, after: str = "", tag: str = "endEvent") -> str:
    nodes = [START, user("work"), event(tag, "throw", kind, "x")]
    if not after:
        return process("child", *nodes, line="s work throw")
    return process("child", *nodes, user(after), END, line=f"s work throw {after} e")


def catcher(kind: str, *, interrupting: bool = True, inside: str = "", called: str = "child") -> str:
    attributes = {} if interrupting else {"cancelActivity": "false"}
    boundary = event("boundaryEvent", "b", kind, "x", attachedToRef="c", **attributes)
    nodes = [START, call("c", called, inside), boundary, user("after"), user("handled"), END]
    return process("parent", *nodes, line="s c after e;b handled e")


def test_an_error_that_the_called_process_does_not_catch_goes_to_its_caller() -> None:
    deploy(catcher("error", inside='<camunda:out source="y" target="z"/>'), thrower(), error_x="E")
    caller = start("parent")
    complete(only("child"), y=3)
    assert (at(caller), variables(caller), status(only("child"))) == (["handled"], {"z": 3}, "CANCELLED")
    assert nothing_on_the_way()
    assert events(caller, "DeliveryDropped") == 0


def test_an_error_that_nobody_catches_fails_the_token_that_threw_it() -> None:
    deploy(parent(), thrower(), error_x="E")
    caller = start("parent")
    called = only("child")
    complete(called)
    assert (status(called), incidents(called)) == ("FAILED", [("throw", "UncaughtError")])
    assert (status(caller), at(caller)) == ("RUNNING", ["c"])


def test_an_error_goes_on_to_the_caller_of_the_caller_with_the_variables_of_each() -> None:
    both = '<camunda:out source="y" target="y"/>'
    middle = process("middle", START, call("cc", "child", both), END, line="s cc e")
    deploy(catcher("error", inside=both, called="middle"), middle, thrower(), error_x="E")
    caller = start("parent")
    complete(only("child"), y=3)
    assert (at(caller), variables(caller)) == (["handled"], {"y": 3})
    assert [status(only(key)) for key in ("middle", "child")] == ["CANCELLED", "CANCELLED"]
    assert variables(only("middle")) == {"y": 3}


def test_an_error_that_no_caller_catches_fails_only_where_it_was_thrown() -> None:
    middle = process("middle", START, call("cc", "child"), END, line="s cc e")
    top = process("top", START, call("c", "middle"), END, line="s c e")
    deploy(top, middle, thrower(), error_x="E")
    start("top")
    complete(only("child"))
    assert [status(only(key)) for key in ("top", "middle", "child")] == ["RUNNING", "RUNNING", "FAILED"]


def test_an_interrupting_escalation_ends_the_called_instance() -> None:
    deploy(catcher("escalation"), thrower("escalation"), escalation_x="E")
    caller = start("parent")
    complete(only("child"))
    assert (at(caller), status(only("child"))) == (["handled"], "CANCELLED")


def test_an_escalation_that_does_not_interrupt_lets_both_go_on() -> None:
    child = thrower("escalation", after="more", tag="intermediateThrowEvent")
    deploy(catcher("escalation", interrupting=False), child, escalation_x="E")
    caller = start("parent")
    complete(only("child"))
    assert (at(caller), at(only("child"))) == (["c", "c", "handled"], ["more"])
    complete(only("child"))
    assert at(caller) == ["after", "handled"]


def test_an_escalation_that_nobody_catches_goes_on_where_it_was_thrown() -> None:
    deploy(parent(), thrower("escalation"), escalation_x="E")
    caller = start("parent")
    complete(only("child"))
    assert (status(only("child")), at(caller)) == ("COMPLETED", ["after"])


def test_an_error_reported_by_a_worker_crosses_the_call() -> None:
    work = node("serviceTask", "work", camunda__type="external", camunda__topic="t")
    deploy(catcher("error"), process("child", START, work, END, line="s work e"), error_x="E")
    caller = start("parent")
    (task,) = engine.fetch_and_lock("w", topics=["t"], max_tasks=1, lock_ms=10_000)
    engine.throw_external_task_error(task["task_id"], worker="w", error_code="E")
    assert (at(caller), status(only("child"))) == (["handled"], "CANCELLED")


def test_an_error_reported_by_a_worker_and_caught_nowhere_can_be_tried_again() -> None:
    work = node("serviceTask", "work", camunda__type="external", camunda__topic="t")
    deploy(parent(), process("child", START, work, END, line="s work e"))
    caller = start("parent")
    (task,) = engine.fetch_and_lock("w", topics=["t"], max_tasks=1, lock_ms=10_000)
    engine.throw_external_task_error(task["task_id"], worker="w", error_code="E")
    called = only("child")
    assert incidents(called) == [("work", "UncaughtError")]
    engine.retry_dead_letter(task["task_id"])
    (again,) = engine.fetch_and_lock("w", topics=["t"], max_tasks=1, lock_ms=10_000)
    engine.complete_external_task(again["task_id"], worker="w")
    assert (status(called), at(caller)) == ("COMPLETED", ["after"])


def test_an_event_subprocess_of_the_caller_catches_what_the_called_process_throws() -> None:
    handler = (
        '<subProcess id="h" triggeredByEvent="true">'
        + event("startEvent", "hs", "error", "x")
        + user("handled")
        + '<sequenceFlow id="f9" sourceRef="hs" targetRef="handled"/></subProcess>'
    )
    deploy(parent("", handler), thrower(), error_x="E")
    caller = start("parent")
    complete(only("child"))
    assert (at(caller), status(only("child"))) == (["handled"], "CANCELLED")


def test_data_inputs_and_outputs_are_passed_by_name() -> None:
    data = (
        '<ioSpecification><dataInput id="di" name="x"/><dataInput id="d2" name="unset"/><dataOutput id="do" name="y"/>'
        "<inputSet/><outputSet/></ioSpecification>"
        "<dataInputAssociation><sourceRef>given</sourceRef><targetRef>di</targetRef></dataInputAssociation>"
        "<dataInputAssociation><sourceRef>nothing</sourceRef><targetRef>d2</targetRef></dataInputAssociation>"
        "<dataOutputAssociation><sourceRef>do</sourceRef><targetRef>result</targetRef></dataOutputAssociation>"
    )
    properties = "".join(f'<property id="{name}"/>' for name in ("given", "result", "nothing"))
    caller_process = process(
        "parent", properties, START, node("callActivity", "c", data, calledElement="child"), END, line="s c e"
    )
    deploy(caller_process, CHILD)
    caller = start("parent", variables={"given": 1, "other": 2})
    called = only("child")
    assert variables(called) == {"x": 1}
    complete(called, y=3, z=4)
    assert (status(caller), variables(caller)) == ("COMPLETED", {"given": 1, "other": 2, "result": 3})


def test_flowables_attributes_pass_the_key_and_all_variables() -> None:
    attributes = {"camunda__inheritBusinessKey": "true", "camunda__inheritVariables": "true"}
    deploy(parent(**attributes, camunda__sameDeployment="true"), CHILD)
    deploy(process("child", START, user("newer"), END, line="s newer e"))
    start("parent", variables={"x": 1}, business_key="k")
    called = only("child")
    assert (at(called), variables(called)) == (["work"], {"x": 1})
    assert ProcessInstance.objects.get(id=called).business_key == "k"
