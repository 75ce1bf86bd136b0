"""Whatever is done over REST is an event with who did it (semantics §12)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bpm import engine
from bpm.models import DefinitionEvent, HistoryEvent, ProcessInstance
from tests.api.caller import Api
from tests.support.bpmn_text import bpmn, flows

pytestmark = pytest.mark.django_db(transaction=True)
ROOTS = '<message id="m" name="paid"/><message id="go" name="begin"/><signal id="sig" name="alarm"/>'
SOURCE = bpmn(
    '<startEvent id="s"/><startEvent id="sm"><messageEventDefinition messageRef="go"/></startEvent>'
    '<startEvent id="ss"><signalEventDefinition signalRef="sig"/></startEvent>'
    '<startEvent id="sc"><conditionalEventDefinition><condition>${level &gt; 3}</condition>'
    "</conditionalEventDefinition></startEvent>"
    '<exclusiveGateway id="x"/><parallelGateway id="f"/>'
    '<intermediateCatchEvent id="cm"><messageEventDefinition messageRef="m"/>'
    '</intermediateCatchEvent><intermediateCatchEvent id="cs"><signalEventDefinition signalRef="sig"/>'
    '</intermediateCatchEvent><userTask id="u"/><endEvent id="e"/>',
    flows("s x", "sm x", "ss x", "sc x", "x f", "f cm", "f cs", "f u", "cm e", "cs e", "u e"),
    roots=ROOTS,
)


@pytest.fixture
def olga(caller_named: Callable[..., Api]) -> Api:
    """An operator; everything before her was done by others."""
    engine.deploy([("p.bpmn", SOURCE)], actor="setup")
    return caller_named("olga", staff=True)


def by(actor: str, **where: Any) -> set[str]:
    """Return the types of the events of an actor."""
    return set(HistoryEvent.objects.filter(actor=actor, **where).values_list("event_type", flat=True))


def _started() -> str:
    return str(engine.start("p", actor="setup")["instance_id"])


def test_messages_signals_and_conditions_carry_their_sender(olga: Api) -> None:
    instance = _started()
    olga.post("/messages", {"name": "paid", "instance_id": instance}).ok()
    assert "SubscriptionTriggered" in by("olga", instance=instance)
    olga.post("/messages", {"name": "begin"}).ok()
    olga.post("/conditions", {"variables": {"level": 4}}).ok()
    assert olga.post("/signals", {"name": "alarm"}).ok()["starts"] == 1
    while engine.deliver_due(50).done:
        pass
    started = HistoryEvent.objects.filter(event_type="InstanceStarted").values_list("actor", flat=True)
    assert sorted(started) == ["olga", "olga", "olga", "setup"]
    signalled = HistoryEvent.objects.filter(event_type="SubscriptionTriggered", node="cs")
    assert set(signalled.values_list("actor", flat=True)) == {"olga"}


def test_operations_on_instances_carry_who_asked(olga: Api) -> None:
    instance = _started()
    path = f"/process-instances/{instance}"
    olga.post(f"{path}/suspend").ok()
    olga.post(f"{path}/activate").ok()
    olga.post(f"{path}/modify", {"instructions": [{"type": "cancel", "node_id": "u"}]}).ok()
    olga.post(f"{path}/variables", {"variables": {"x": 1}}).ok()
    olga.post(f"{path}/cancel", {"reason": "enough"}).ok()
    assert by("olga", instance=instance) >= {
        "InstanceSuspended",
        "InstanceActivated",
        "InstanceModified",
        "VariableSet",
        "InstanceCancelled",
    }


def test_migration_and_retries_of_many_carry_who_asked(olga: Api) -> None:
    instance = _started()
    source = ProcessInstance.objects.get(id=instance).definition_id
    changed = SOURCE.replace(b'<userTask id="u"/>', b'<userTask id="u" name="Other"/>')
    target = engine.deploy([("p.bpmn", changed)], actor="setup")["definitions"][0]["id"]
    plan = {"source_definition_id": str(source), "target_definition_id": target}
    shown = olga.post("/migrations/preview", {**plan, "instance_ids": [instance]}).ok()
    assert [row["status"] for row in shown] == [200]
    assert "InstanceMigrated" not in by("olga")
    assert [row["status"] for row in olga.post("/migrations/execute", plan).ok()] == [200]
    assert "InstanceMigrated" in by("olga", instance=instance)


def test_operations_on_definitions_are_events_of_the_key(olga: Api) -> None:
    instance = _started()
    definition = str(ProcessInstance.objects.get(id=instance).definition_id)
    path = f"/process-definitions/{definition}"
    assert olga.post(f"{path}/suspend", {"include_instances": True}).ok()["instances"] == 1
    assert "InstanceSuspended" in by("olga", instance=instance)
    olga.post(f"{path}/activate", {"include_instances": True}).ok()
    olga.send_as("DELETE", path).problem(409, "InstancesRunning")
    assert olga.send_as("DELETE", f"{path}?cascade=true").ok()["deleted"][0]["id"] == definition
    assert "InstanceCancelled" in by("olga", instance=instance)
    told = (
        DefinitionEvent.objects.filter(actor="olga").order_by("sequence").values_list("event_type", flat=True)
    )
    assert [name for name in told if name != "DefinitionSuspended"] == [
        "DefinitionActivated",
        "DefinitionDeleted",
    ]


def test_a_deployment_is_deleted_as_a_whole(olga: Api) -> None:
    deployment = engine.deploy([("p.bpmn", SOURCE.replace(b'id="u"', b'id="u" name="x"'))])["deployment_id"]
    assert len(olga.send_as("DELETE", f"/deployments/{deployment}").ok()["deleted"]) == 1
    olga.send_as("DELETE", f"/deployments/{deployment}").problem(404, "DeploymentNotFound")
    assert DefinitionEvent.objects.filter(actor="olga", event_type="DefinitionDeleted").count() == 1


def test_every_one_of_these_is_in_the_openapi_document(olga: Api) -> None:
    paths = olga.get("/openapi.json").ok()["paths"]
    operations = {operation["operationId"] for methods in paths.values() for operation in methods.values()}
    assert operations >= {
        *("sendMessage", "sendSignal", "evaluateConditions", "planMigration", "previewMigration"),
        *("executeMigration", "migrateProcessInstance", "retryIncidents", "deleteProcessDefinition"),
        *("deleteDeployment", "suspendProcessDefinition", "activateProcessDefinition"),
        *("listDefinitionStarts", "changeDefinitionStart", "disarmDefinitionStart", "triggerDefinitionStart"),
        *(
            "modifyProcessInstance",
            "suspendProcessInstance",
            "cancelProcessInstance",
            "explainProcessInstance",
        ),
    }
