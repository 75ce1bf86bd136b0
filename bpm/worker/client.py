"""The engine's REST API as a worker sees it, one method per call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Self
from urllib.parse import quote

import httpx

from bpm.worker.answers import read_answer, retry_after_s
from bpm.worker.connection import Connection
from bpm.worker.errors import MalformedAnswer
from bpm.worker.exact_json import JsonValue
from bpm.worker.external_task import (
    ExternalTask,
    read_external_task,
    read_instant,
    read_object,
    read_whole,
)
from bpm.worker.topic import FetchTopic, topics_body


@dataclass(frozen=True, slots=True)
class FetchedTasks:
    """Answer to a fetch.

    Attributes:
        tasks: Highest priority first, then oldest; may be empty.
        retry_after_s: Seconds the engine asks to wait before the next fetch; None when it asks for none.
    """

    tasks: tuple[ExternalTask, ...]
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class LeaseExtension:
    """Answer to an extension: the number of the lease and its new end (aware, the engine's clock)."""

    lease_id: int
    lock_expires_at: datetime


class EngineClient:
    """Calls to one engine; safe to share between threads.

    Each method makes one HTTP request and never repeats it. To repeat a call whose answer was lost, pass the
    same `idempotency_key` (1 to 255 visible ASCII characters) and the same arguments: the engine then answers
    as the first time. Without one, each call gets a key of its own.

    All methods raise `EngineError`, and `NotJson` for values that JSON cannot hold.

    Args:
        base_url: `http://host:port`, with or without `/api/v1`.
        token: API token; None sends none.
        tenant: Tenant id; None leaves it to the engine.
        timeout_s: For connecting, and for each pause in an answer; a long poll adds its own waiting time.
        http: An own client (certificates, proxies); the caller closes it.

    Raises:
        ValueError: An address that is not http or https, or a header value that cannot be sent.
    """

    def __init__(
        self,
        base_url: str,
        token: str | None = None,
        tenant: str | None = None,
        timeout_s: float = 10.0,
        http: httpx.Client | None = None,
    ) -> None:
        self._connection = Connection(base_url, token, tenant, timeout_s, http)

    def __repr__(self) -> str:
        return f"EngineClient({self._connection.base_url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; no call may follow."""
        self._connection.close()

    def fetch_and_lock(
        self,
        worker_id: str,
        task_types: Sequence[str | FetchTopic],
        max_tasks: int,
        lock_duration_ms: int,
        wait_ms: int = 0,
        idempotency_key: str | None = None,
    ) -> FetchedTasks:
        """Lease up to `max_tasks` tasks; repeated under the same key it returns the same leases.

        Args:
            task_types: Topics by name, or with what else is asked of them.
            wait_ms: Long poll, 0 to 30,000: how long the engine may wait for a task to come.
        """
        body = {
            "worker_id": worker_id,
            **topics_body(task_types),
            "max_tasks": max_tasks,
            "lock_duration_ms": lock_duration_ms,
            "wait_ms": wait_ms,
        }
        response = self._connection.post(
            "/external-tasks/fetch-and-lock", body, idempotency_key, wait_ms / 1000
        )
        answer = read_answer(response)
        if not isinstance(answer, list):
            raise MalformedAnswer(f"tasks must be a JSON array, is {type(answer).__name__}")
        tasks = tuple(read_external_task(item, f"tasks[{index}]") for index, item in enumerate(answer))
        return FetchedTasks(tasks, retry_after_s(response))

    def complete(
        self,
        task_id: str,
        worker_id: str,
        lease_id: int,
        variables: Mapping[str, JsonValue] | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """Report the work as done."""
        body = {"worker_id": worker_id, "lease_id": lease_id, "variables": dict(variables or {})}
        self._post_to_task(task_id, "complete", body, idempotency_key)

    def fail(
        self,
        task_id: str,
        worker_id: str,
        lease_id: int,
        error: str,
        details: str | None = None,
        retries: int | None = None,
        retry_after_ms: int | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """Report that this attempt failed; see `TaskResult.fail` for the arguments."""
        optional = {"details": details, "retries": retries, "retry_after_ms": retry_after_ms}
        body = {"worker_id": worker_id, "lease_id": lease_id, "error": error} | _given(optional)
        self._post_to_task(task_id, "fail", body, idempotency_key)

    def bpmn_error(
        self,
        task_id: str,
        worker_id: str,
        lease_id: int,
        error_code: str,
        error_message: str | None = None,
        variables: Mapping[str, JsonValue] | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """Throw a BPMN error at the task."""
        optional = {"error_message": error_message, "variables": dict(variables) if variables else None}
        body = {"worker_id": worker_id, "lease_id": lease_id, "error_code": error_code} | _given(optional)
        self._post_to_task(task_id, "bpmn-error", body, idempotency_key)

    def extend_lock(
        self,
        task_id: str,
        worker_id: str,
        lease_id: int,
        lock_duration_ms: int,
        idempotency_key: str | None = None,
    ) -> LeaseExtension:
        """Let the lease end `lock_duration_ms` after the engine's now."""
        body = {"worker_id": worker_id, "lease_id": lease_id, "lock_duration_ms": lock_duration_ms}
        answer = read_object(self._post_to_task(task_id, "extend-lock", body, idempotency_key), "extension")
        return LeaseExtension(
            read_whole(answer, "lease_id", "extension"),
            read_instant(answer, "lock_expires_at", "extension"),
        )

    def unlock(self, task_id: str, worker_id: str, lease_id: int, idempotency_key: str | None = None) -> None:
        """Give the task back unworked; it is fetchable at once and keeps its retries."""
        self._post_to_task(task_id, "unlock", {"worker_id": worker_id, "lease_id": lease_id}, idempotency_key)

    def start_process(
        self,
        process_def_id: str,
        variables: Mapping[str, JsonValue] | None = None,
        business_key: str | None = None,
        idempotency_key: str | None = None,
    ) -> Mapping[str, JsonValue]:
        """Start an instance of the latest version; returns the engine's JSON object."""
        optional = {"variables": dict(variables) if variables else None, "business_key": business_key}
        body = {"process_def_id": process_def_id} | _given(optional)
        answer = read_answer(self._connection.post("/process-instances", body, idempotency_key))
        return read_object(answer, "process instance")

    def get_instance(self, instance_id: str) -> Mapping[str, JsonValue]:
        """Return the engine's JSON object of one instance."""
        response = self._connection.get(f"/process-instances/{_segment(instance_id)}")
        return read_object(read_answer(response), "process instance")

    def _post_to_task(
        self, task_id: str, action: str, body: Mapping[str, object], idempotency_key: str | None
    ) -> JsonValue:
        path = f"/external-tasks/{_segment(task_id)}/{action}"
        return read_answer(self._connection.post(path, body, idempotency_key))


def _given(optional: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in optional.items() if value is not None}


def _segment(identifier: str) -> str:
    return quote(identifier, safe="")
