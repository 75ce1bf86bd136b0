"""A task as the engine hands it to a worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import TypeVar

from bpm.worker.errors import MalformedAnswer
from bpm.worker.exact_json import JsonValue

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ExternalTask:
    """One leased external task (semantics §5).

    Attributes:
        task_id: Stable over all attempts and leases: the key for an idempotent effect.
        task_type: The topic.
        process_def_id: The definition that the instance runs.
        business_key: None when the instance has none.
        variables: Read-only; see `decode_json` for the types of numbers.
        retries: Attempts left, this one included.
        lease_id: Fencing number; grows with each lease of the task.
        lock_expires_at: Aware, UTC, by the engine's clock; the worker's own estimate is
            `TaskContext.deadline`.
        attempt: Counts from 1.
    """

    task_id: str
    task_type: str
    instance_id: str
    token_id: str
    node_id: str
    process_def_id: str
    business_key: str | None
    variables: Mapping[str, JsonValue] = field(repr=False)
    retries: int
    lease_id: int
    lock_expires_at: datetime
    priority: int
    attempt: int


def read_external_task(value: JsonValue, place: str) -> ExternalTask:
    """Build a task from one element of a fetch-and-lock answer; unknown fields are ignored.

    Args:
        value: The decoded JSON object.
        place: Its path in the answer, for errors.

    Raises:
        MalformedAnswer: A field is missing or of another type.
    """
    fields = read_object(value, place)

    def text(name: str) -> str:
        return _read(fields, name, str, place)

    def whole(name: str) -> int:
        return _read(fields, name, int, place)

    return ExternalTask(
        task_id=text("task_id"),
        task_type=text("task_type"),
        instance_id=text("instance_id"),
        token_id=text("token_id"),
        node_id=text("node_id"),
        process_def_id=text("process_def_id"),
        business_key=None if fields.get("business_key") is None else text("business_key"),
        variables=MappingProxyType(_read(fields, "variables", dict, place)),
        retries=whole("retries"),
        lease_id=whole("lease_id"),
        lock_expires_at=read_instant(fields, "lock_expires_at", place),
        priority=whole("priority"),
        attempt=whole("attempt"),
    )


def read_object(value: JsonValue, place: str) -> Mapping[str, JsonValue]:
    """Return `value` if it is a JSON object.

    Raises:
        MalformedAnswer: It is something else.
    """
    if not isinstance(value, Mapping):
        raise MalformedAnswer(f"{place} must be a JSON object, is {type(value).__name__}")
    return value


def read_whole(fields: Mapping[str, JsonValue], name: str, place: str) -> int:
    """Return the integer called `name`.

    Raises:
        MalformedAnswer: It is missing or no integer.
    """
    return _read(fields, name, int, place)


def read_instant(fields: Mapping[str, JsonValue], name: str, place: str) -> datetime:
    """Return the ISO 8601 instant called `name`, aware.

    Raises:
        MalformedAnswer: It is missing, no ISO 8601 text, or without zone.
    """
    text = _read(fields, name, str, place)
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        raise MalformedAnswer(f"{place}.{name} must be an ISO 8601 instant, is {text!r}") from None
    if instant.tzinfo is None:
        raise MalformedAnswer(f"{place}.{name} must name its zone, is {text!r}")
    return instant


def _read(fields: Mapping[str, JsonValue], name: str, kind: type[_T], place: str) -> _T:
    value = fields.get(name)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        found = "missing" if name not in fields else type(value).__name__
        raise MalformedAnswer(f"{place}.{name} must be {kind.__name__}, is {found}")
    return value
