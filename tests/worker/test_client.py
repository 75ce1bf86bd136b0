"""What the client puts on the wire, and what it makes of the answers."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from decimal import Decimal

import httpx
import pytest

from bpm.worker import EngineClient, MalformedAnswer, NotJson
from tests.worker.scripted_engine import Answer, ScriptedEngine, task


def test_fetch_and_lock(engine: ScriptedEngine, client: EngineClient) -> None:
    engine.offer(
        task(variables={"amount": 9007199254740993, "note": "ü"}, business_key=None, extra="ignored")
    )
    fetched = client.fetch_and_lock("worker-1", ["work", "other"], 5, 30_000, 0)
    [request] = engine.requests
    assert (request.method, request.path) == ("POST", "/api/v1/external-tasks/fetch-and-lock")
    assert request.headers["authorization"] == "Token secret"
    assert str(uuid.UUID(request.key)) == request.key
    assert request.body == {
        "worker_id": "worker-1",
        "task_types": ["work", "other"],
        "max_tasks": 5,
        "lock_duration_ms": 30_000,
        "wait_ms": 0,
    }
    [found] = fetched.tasks
    assert found.variables == {"amount": 9007199254740993, "note": "ü"}
    assert found.business_key is None
    assert found.lock_expires_at == datetime(2026, 1, 1, 0, 0, 30, tzinfo=UTC)
    assert fetched.retry_after_s is None


def test_an_empty_fetch_may_ask_to_wait(engine: ScriptedEngine, client: EngineClient) -> None:
    engine.script("fetch-and-lock", Answer(body=[], headers={"Retry-After": "2"}))
    fetched = client.fetch_and_lock("worker-1", ["work"], 1, 30_000)
    assert (fetched.tasks, fetched.retry_after_s) == ((), 2.0)


def test_bodies_of_task_calls(engine: ScriptedEngine, client: EngineClient) -> None:
    holder = {"worker_id": "worker-1", "lease_id": 4}
    client.complete("t/1", "worker-1", 4, {"x": Decimal("1.10")}, "key-1")
    client.fail("t/1", "worker-1", 4, "broken")
    client.fail("t/1", "worker-1", 4, "broken", "trace", 0, 0)
    client.bpmn_error("t/1", "worker-1", 4, "E1")
    client.bpmn_error("t/1", "worker-1", 4, "E1", "no", {"y": 1})
    client.unlock("t/1", "worker-1", 4)
    extended = client.extend_lock("t/1", "worker-1", 4, 500)
    assert [request.path.removeprefix("/api/v1/external-tasks/t%2F1/") for request in engine.requests] == [
        "complete", "fail", "fail", "bpmn-error", "bpmn-error", "unlock", "extend-lock",
    ]  # fmt: skip
    assert [request.body for request in engine.requests] == [
        holder | {"variables": {"x": 1.1}},
        holder | {"error": "broken"},
        holder | {"error": "broken", "details": "trace", "retries": 0, "retry_after_ms": 0},
        holder | {"error_code": "E1"},
        holder | {"error_code": "E1", "error_message": "no", "variables": {"y": 1}},
        holder,
        holder | {"lock_duration_ms": 500},
    ]
    assert b'"x":1.10}' in engine.requests[0].raw
    assert engine.requests[0].key == "key-1"
    assert len({request.key for request in engine.requests}) == 7
    assert (extended.lease_id, extended.lock_expires_at.tzinfo) == (4, UTC)


def test_instances(engine: ScriptedEngine) -> None:
    started = {"instance_id": "i-1", "status": "RUNNING"}
    engine.script("process-instances", Answer(201, started))
    engine.script("i-1", Answer(200, started))
    with EngineClient(engine.url, tenant="acme") as client:
        assert client.start_process("payment-flow", {"amount": "100"}, "order-7") == started
        assert client.get_instance("i-1") == started
    post, get = engine.requests
    assert post.body == {
        "process_def_id": "payment-flow",
        "variables": {"amount": "100"},
        "business_key": "order-7",
    }
    assert (get.method, get.path, get.headers["x-tenant-id"]) == (
        "GET",
        "/api/v1/process-instances/i-1",
        "acme",
    )
    assert "idempotency-key" not in get.headers
    assert "authorization" not in get.headers


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"task_id": None}, "tasks[0].task_id must be str, is NoneType"),
        ({"lease_id": "1"}, "tasks[0].lease_id must be int, is str"),
        ({"attempt": True}, "tasks[0].attempt must be int, is bool"),
        ({"variables": []}, "tasks[0].variables must be dict, is list"),
        (
            {"lock_expires_at": "tomorrow"},
            "tasks[0].lock_expires_at must be an ISO 8601 instant, is 'tomorrow'",
        ),
        ({"lock_expires_at": "2026-01-01T00:00:00"}, "tasks[0].lock_expires_at must name its zone"),
    ],
)
def test_a_broken_promise_is_named(
    engine: ScriptedEngine, client: EngineClient, changes: dict[str, object], place: str
) -> None:
    engine.offer(task() | changes)
    with pytest.raises(MalformedAnswer) as caught:
        client.fetch_and_lock("worker-1", ["work"], 1, 30_000)
    assert str(caught.value).startswith(place)


def test_a_missing_field_and_a_wrong_shape_are_named(engine: ScriptedEngine, client: EngineClient) -> None:
    engine.script("fetch-and-lock", Answer(body=[{}]), Answer(body={}), Answer(body=[1]))
    for message in (
        "tasks[0].task_id must be str, is missing",
        "tasks must be a JSON array",
        "tasks[0] must be a",
    ):
        with pytest.raises(MalformedAnswer) as caught:
            client.fetch_and_lock("worker-1", ["work"], 1, 30_000)
        assert str(caught.value).startswith(message)


def test_a_value_that_cannot_be_sent_makes_no_call(engine: ScriptedEngine, client: EngineClient) -> None:
    with pytest.raises(NotJson, match=r"^body\.variables\.x: set is not a JSON value$"):
        client.complete("task-1", "worker-1", 1, {"x": {1}})  # type: ignore[dict-item]
    assert engine.requests == []


@pytest.mark.parametrize("tail", ["", "/", "/api/v1", "/api/v1/"])
def test_the_address_may_name_the_api_or_not(engine: ScriptedEngine, tail: str) -> None:
    with EngineClient(engine.url + tail) as client:
        client.unlock("task-1", "worker-1", 1)
    assert engine.requests[0].path == "/api/v1/external-tasks/task-1/unlock"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8000",
        "ftp://host",
        "http://",
        "http://host?x=1",
        "http://host/#top",
        "http://host:port",
    ],
)
def test_addresses_that_cannot_be_called_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match="base_url"):
        EngineClient(url)


def test_header_values_are_checked_without_telling_secrets(client: EngineClient) -> None:
    with pytest.raises(ValueError, match=r"^token must be printable ASCII text$"):
        EngineClient("http://host", token="sec\nret")
    with pytest.raises(ValueError, match="tenant"):
        EngineClient("http://host", tenant="ü")
    for key in ("", "k" * 256, "a\r\nb"):
        with pytest.raises(ValueError, match="idempotency_key"):
            client.unlock("task-1", "worker-1", 1, key)
    assert "secret" not in repr(client)


def test_an_own_http_client_stays_open(engine: ScriptedEngine) -> None:
    with httpx.Client(headers={"X-Trace": "abc"}) as http:
        with EngineClient(engine.url, http=http) as client:
            client.unlock("task-1", "worker-1", 1)
        assert not http.is_closed
    assert engine.requests[0].headers["x-trace"] == "abc"
