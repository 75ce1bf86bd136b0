"""What is too large for a request is refused, or done by a job in one transaction (semantics §4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from bpm import engine
from bpm.core.errors import InstanceEnded, TooLarge
from bpm.models import HistoryEvent, Incident, Outbox, ProcessInstance, Token, UserTask
from bpm.queries.variables import list_variables
from tests.support.bpmn_text import bpmn, flows
from tests.support.model import parse_model
from tests.support.model_xml import write_xml
from tests.support.statements import executed

pytestmark = pytest.mark.usefixtures("db")
LIMIT = 20
WIDE = "start s -> f\n par f -> a, a, a, a, a, a, a, a, a, a, a, a\n user a -> e\n end e"
"""Twelve tokens with a task each and their scope: 25 rows."""
Operation = Callable[..., dict[str, Any]]


@pytest.fixture
def wide(settings: Any) -> str:
    """An instance with more rows than may be changed at once."""
    engine.deploy([("wide.bpmn", write_xml(parse_model(WIDE, "wide")))])
    instance = str(engine.start("wide")["instance_id"])
    settings.BPM = {**settings.BPM, "MAX_ROWS_AT_ONCE": LIMIT}
    return instance


def _status(instance: str) -> str:
    return str(ProcessInstance.objects.get(id=instance).status)


def _modify(instance: str, **options: Any) -> dict[str, Any]:
    return engine.modify(
        instance,
        [engine.CancelAll(node="a"), engine.StartBefore(node="e", variables={"n": 2**70})],
        **options,
    )


OPERATIONS: dict[str, tuple[Operation, str, str]] = {
    "cancel": (engine.cancel, "CANCELLED", "InstanceCancelled"),
    "suspend": (engine.suspend, "SUSPENDED", "InstanceSuspended"),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_on_too_many_rows_is_refused_and_changes_nothing(wide: str, name: str) -> None:
    before = HistoryEvent.objects.filter(instance_id=UUID(wide)).count()
    with pytest.raises(TooLarge) as refusal:
        OPERATIONS[name][0](wide)
    assert refusal.value.details["limit"] == LIMIT
    assert int(str(refusal.value.details["rows"])) > LIMIT
    assert HistoryEvent.objects.filter(instance_id=UUID(wide)).count() == before
    assert (_status(wide), Outbox.objects.count()) == ("RUNNING", 0)


@pytest.mark.parametrize("name", OPERATIONS)
def test_asked_for_it_a_job_does_it_in_one_transaction_as_who_asked(wide: str, name: str) -> None:
    operation, status, event = OPERATIONS[name]
    answer = operation(wide, later=True, actor="ann")
    assert (answer["postponed"], answer["status"], answer["continuing"]) == (True, "RUNNING", True)
    assert _status(wide) == "RUNNING"
    with executed() as statements:
        assert len(engine.deliver_due(10).done) == 1
    assert (_status(wide), Outbox.objects.count()) == (status, 0)
    rows = HistoryEvent.objects.filter(instance_id=UUID(wide), event_type=event).values_list(
        "actor", flat=True
    )
    assert list(rows) == ["ann"]
    assert len([one for one in statements.all if "bpm_historyevent" in one.lower()]) == 1


def test_what_is_suspended_that_way_is_activated_and_cancelled_that_way(wide: str) -> None:
    engine.suspend(wide, later=True)
    engine.deliver_due(10)
    with pytest.raises(TooLarge):
        engine.activate(wide)
    assert engine.activate(wide, later=True)["postponed"]
    engine.deliver_due(10)
    assert _status(wide) == "RUNNING"
    engine.suspend(wide, later=True)
    engine.deliver_due(10)
    engine.cancel(wide, later=True, reason="enough")
    engine.deliver_due(10)
    assert _status(wide) == "CANCELLED"
    assert not Token.objects.filter(instance_id=UUID(wide), final=False).exists()


def test_a_modification_is_postponed_with_all_that_its_instructions_say(wide: str) -> None:
    # One end at a time is small; the body with all of them is not.
    source = bpmn(
        '<startEvent id="s"/><userTask id="a"><multiInstanceLoopCharacteristics><loopCardinality>12'
        '</loopCardinality></multiInstanceLoopCharacteristics></userTask><userTask id="b"/><endEvent id="e"/>',
        flows("s a", "a b", "b e"),
        key="many",
    )
    engine.deploy([("many.bpmn", source)])
    instance = str(engine.start("many")["instance_id"])
    instructions = [
        engine.CancelAll(node="a#multiInstanceBody"),
        engine.StartBefore(node="b", variables={"n": 2**70}, local_variables={"own": [1, None]}),
    ]
    with pytest.raises(TooLarge):
        engine.modify(instance, instructions)
    answer = engine.modify(instance, instructions, later=True, actor="ann")
    assert answer["postponed"]
    assert "started" not in answer
    engine.deliver_due(10)
    assert list(
        UserTask.objects.filter(instance_id=UUID(instance), status="OPEN").values_list("node", flat=True)
    ) == ["b"]
    shown = {row.name: row.value for row in list_variables(instance, tenant="")}
    assert (shown["n"], shown["own"]) == (2**70, [1, None])
    modified = HistoryEvent.objects.get(instance_id=UUID(instance), event_type="InstanceModified")
    assert modified.actor == "ann"


def test_small_ones_are_done_at_once_whatever_is_asked_for(settings: Any, wide: str) -> None:
    settings.BPM = {**settings.BPM, "MAX_ROWS_AT_ONCE": 1_000}
    answer = engine.suspend(wide, later=True)
    assert (answer["status"], "postponed" in answer, Outbox.objects.count()) == ("SUSPENDED", False, 0)


def test_the_same_call_under_the_same_key_postpones_once(wide: str) -> None:
    key = engine.Idempotency("ann", "k", "f")
    assert engine.cancel(wide, later=True, key=key) == engine.cancel(wide, later=True, key=key)
    assert Outbox.objects.count() == 1


def test_what_has_become_needless_meanwhile_is_dropped(settings: Any, wide: str) -> None:
    engine.cancel(wide, later=True)
    settings.BPM = {**settings.BPM, "MAX_ROWS_AT_ONCE": 1_000}
    engine.cancel(wide)
    while engine.deliver_due(10).done:
        pass
    assert (_status(wide), Outbox.objects.count()) == ("CANCELLED", 0)
    with pytest.raises(InstanceEnded):
        engine.cancel(wide, later=True)


def test_the_engine_itself_is_not_bound(settings: Any, wide: str) -> None:
    """Nobody could ask a timer to come later: it interrupts what it must."""
    inner = '<startEvent id="i"/><userTask id="u"><multiInstanceLoopCharacteristics><loopCardinality>30'
    inner += '</loopCardinality></multiInstanceLoopCharacteristics></userTask><endEvent id="ie"/>'
    source = bpmn(
        f'<startEvent id="s"/><subProcess id="sub">{inner}{flows("i u", "u ie")}</subProcess>',
        '<boundaryEvent id="b" attachedToRef="sub"><timerEventDefinition><timeDate>2020-01-01T00:00:00Z</timeDate>'
        '</timerEventDefinition></boundaryEvent><endEvent id="e"/><endEvent id="be"/>',
        flows("s sub", "sub e", "b be"),
        key="timed",
    )
    engine.deploy([("timed.bpmn", source)])
    instance = str(engine.start("timed")["instance_id"])
    engine.fire_due_timers()
    assert (_status(instance), Incident.objects.count()) == ("COMPLETED", 0)
