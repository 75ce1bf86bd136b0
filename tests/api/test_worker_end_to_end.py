"""The worker SDK against the real API on a real server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from knox.models import AuthToken
from pytest_django.live_server_helper import LiveServer

from bpm import engine
from bpm.worker import (
    EngineClient,
    LeaseLost,
    NotFound,
    Refused,
    TaskHandler,
    TaskResult,
    Unauthorized,
    Worker,
    WorkerConfig,
)
from bpm.worker.examples.payment import PaymentHandler
from tests.api.definitions import END, PAYMENT, START, bpmn, line
from tests.worker.handlers import Calling, Raising

CHAIN = bpmn(
    "chain",
    START
    + "".join(f'<serviceTask id="n{n}" camunda:type="external" camunda:topic="work"/>' for n in range(5))
    + END
    + line("start", *(f"n{n}" for n in range(5)), "end"),
)
CONFIG = WorkerConfig(
    worker_id="w1", concurrency=2, wait_ms=1_000, lock_duration_ms=60_000, backoff_base_ms=10
)


@pytest.fixture
def client(live_server: LiveServer) -> Iterator[EngineClient]:
    """A client with a token of its own, and definitions to work on."""
    engine.deploy([("payment.bpmn", PAYMENT), ("chain.bpmn", CHAIN)])
    _, key = AuthToken.objects.create(User.objects.create_superuser("worker"))
    with EngineClient(live_server.url, token=key) as found:
        yield found


@pytest.fixture
def working(client: EngineClient) -> Iterator[Callable[[TaskHandler], None]]:
    """Start a worker with one handler; it drains at the end."""
    workers: list[Worker] = []

    def start(handler: TaskHandler) -> None:
        workers.append(Worker(client, [handler], CONFIG))
        workers[-1].start()

    yield start
    for worker in workers:
        assert worker.drain()


def _until(client: EngineClient, instance: str, status: str) -> Any:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = client.get_instance(instance)
        if found["status"] == status:
            return found
        time.sleep(0.05)
    pytest.fail(f"{found['status']} instead of {status}")


def test_the_payment_example_pays(client: EngineClient, working: Callable[[TaskHandler], None]) -> None:
    started = client.start_process("payment-flow", {"amount": Decimal("100.10"), "id": 2**70}, "order 1")
    working(PaymentHandler())
    found = _until(client, str(started["instance_id"]), "COMPLETED")
    assert found["variables"]["status"] == "PAID"
    assert str(found["variables"]["amount"]) == "100.10"
    assert found["variables"]["id"] == 2**70


def test_chained_tasks_follow_each_other_without_gaps(
    client: EngineClient, working: Callable[[TaskHandler], None]
) -> None:
    handler = Calling(lambda task, context: TaskResult.complete({task.node_id: True}))
    working(handler)
    time.sleep(0.3)
    instance = str(client.start_process("chain")["instance_id"])
    began = time.monotonic()
    _until(client, instance, "COMPLETED")
    assert [task.node_id for task in handler.tasks] == [f"n{n}" for n in range(5)]
    assert time.monotonic() - began < 30


def test_a_handler_that_raises_ends_as_a_dead_letter(
    client: EngineClient, working: Callable[[TaskHandler], None]
) -> None:
    instance = str(client.start_process("chain")["instance_id"])
    working(Raising())
    assert _until(client, instance, "FAILED")["incidents"] == 1


def test_the_clients_errors_are_those_of_the_api(client: EngineClient, live_server: LiveServer) -> None:
    with pytest.raises(NotFound):
        client.start_process("nothing")
    with pytest.raises(Refused):
        client.start_process("payment-flow", {"x": "y" * 4_000_001})
    client.start_process("payment-flow")
    (task,) = client.fetch_and_lock("w1", ["payment"], 1, 60_000).tasks
    with pytest.raises(LeaseLost):
        client.complete(task.task_id, "w2", task.lease_id)
    with pytest.raises(LeaseLost):
        client.extend_lock(task.task_id, "w1", task.lease_id + 1, 60_000)
    extended = client.extend_lock(task.task_id, "w1", task.lease_id, 600_000)
    assert extended.lock_expires_at > task.lock_expires_at
    client.unlock(task.task_id, "w1", task.lease_id)
    with EngineClient(live_server.url, token="wrong") as stranger, pytest.raises(Unauthorized):
        stranger.fetch_and_lock("w1", ["payment"], 1, 5_000)


def test_a_fetch_repeated_under_its_key_gives_the_same_leases(client: EngineClient) -> None:
    client.start_process("payment-flow")
    first = client.fetch_and_lock("w1", ["payment"], 5, 60_000, idempotency_key="r1")
    assert client.fetch_and_lock("w1", ["payment"], 5, 60_000, idempotency_key="r1") == first
    assert client.fetch_and_lock("w1", ["payment"], 5, 60_000, idempotency_key="r2").tasks == ()
