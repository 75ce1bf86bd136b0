"""Two tenants with the same names have nothing to do with each other, in the engine itself."""

from __future__ import annotations

import pytest

from bpm import engine
from bpm.core.errors import MessageUnmatched
from bpm.models import ExternalTask, ProcessInstance
from tests.api.definitions import END, bpmn, line

TENANTS = ("a", "b")
START = '<startEvent id="begin"><messageEventDefinition messageRef="m"/></startEvent>'
WAIT = '<intermediateCatchEvent id="wait"><messageEventDefinition messageRef="m"/></intermediateCatchEvent>'


def file(key: str, body: str) -> bytes:
    return bpmn(key, body).replace(b"<process ", b'<message id="m" name="go"/><process ')


@pytest.fixture
def both(transactional_db: None) -> None:
    work = '<serviceTask id="work" camunda:type="external" camunda:topic="t"/>'
    body = START + work + END + line("begin", "work", "end")
    for tenant in TENANTS:
        engine.deploy([("p.bpmn", file("p", body))], tenant=tenant)


def counted() -> dict[str, int]:
    return {tenant: ProcessInstance.objects.filter(tenant=tenant).count() for tenant in TENANTS}


@pytest.mark.usefixtures("both")
def test_the_same_key_and_message_start_an_instance_in_each() -> None:
    """P46: the same key in two tenants blocks the other one."""
    for tenant, expected in (("a", {"a": 1, "b": 0}), ("b", {"a": 1, "b": 1})):
        engine.correlate("go", business_key="K", tenant=tenant)
        assert counted() == expected
    with pytest.raises(MessageUnmatched):
        engine.correlate("go", business_key="K", tenant="")
    assert counted() == {"a": 1, "b": 1}


@pytest.mark.usefixtures("both")
def test_a_worker_of_one_gets_nothing_of_the_other() -> None:
    for tenant in TENANTS:
        engine.correlate("go", business_key="K", tenant=tenant)
    (task,) = engine.fetch_and_lock("w", topics=["t"], max_tasks=10, lock_ms=60_000, tenant="a")
    assert ExternalTask.objects.get(id=task["task_id"]).tenant == "a"
    assert engine.fetch_and_lock("w", topics=["t"], max_tasks=10, lock_ms=60_000, tenant="") == []


def test_a_message_reaches_the_instance_of_its_tenant(transactional_db: None) -> None:
    body = '<startEvent id="begin"/>' + WAIT + END + line("begin", "wait", "end")
    for tenant in TENANTS:
        engine.deploy([("w.bpmn", file("w", body))], tenant=tenant)
        engine.start("w", business_key="K", tenant=tenant)
    engine.correlate("go", business_key="K", tenant="b")
    assert dict(ProcessInstance.objects.values_list("tenant", "status")) == {"a": "RUNNING", "b": "COMPLETED"}
