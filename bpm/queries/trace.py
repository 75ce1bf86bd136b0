"""What each token and each external task went through, told from the history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from bpm.core.token import TokenStatus
from bpm.queries.history import DEFAULT_EVENTS, EventFilter, EventRow, events_of, read_sequence
from bpm.queries.instances import find_instance
from bpm.queries.page import Cursors

_S = TokenStatus
_BECOMES: Final = {
    "TokenCreated": _S.CREATED,
    "TokenArrived": _S.READY,
    "NodeExecutionStarted": _S.EXECUTING,
    "TokenCompleted": _S.COMPLETED,
    "TokenBlocked": _S.WAITING,
    "TokenResumed": _S.READY,
    "TokenRecovered": _S.READY,
    "TokenFailed": _S.FAILED,
    "TokenRetried": _S.READY,
    "TokenSuspended": _S.SUSPENDED,
    "TokenTerminated": _S.TERMINATED,
}
_COMMON: Final = ("task", "token", "node")


@dataclass(frozen=True, slots=True)
class TokenStep:
    """One change of a token.

    Attributes:
        status: what the token was after it; None for an activation whose suspension is on an earlier page.
        wait: what it then waits for (`user`, `external`, `timer`, `join` …), else empty.
        reason: where a new token came from, or why one ended, else empty.
    """

    sequence: int
    occurred_at: datetime
    event_type: str
    node_id: str
    status: str | None
    wait: str
    reason: str
    final: bool


@dataclass(frozen=True, slots=True)
class TokenTimeline:
    """The changes of one token on this page, in order."""

    token_id: UUID
    steps: tuple[TokenStep, ...]


@dataclass(frozen=True, slots=True)
class TaskStep:
    """One event of an external task; `details` holds its own fields (worker, lease, retries …)."""

    sequence: int
    occurred_at: datetime
    event_type: str
    actor: str
    details: dict[str, Any]


@dataclass(frozen=True, slots=True)
class TaskTimeline:
    """The events of one external task on this page, in order."""

    task_id: UUID
    token_id: UUID | None
    node_id: str | None
    steps: tuple[TaskStep, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """One page of the trace.

    Attributes:
        tokens, external_tasks: in order of their first event on this page.
        next: cursor of the events after these; a token or task may go on there. None on the last page.
    """

    instance_id: UUID
    status: str
    tokens: tuple[TokenTimeline, ...]
    external_tasks: tuple[TaskTimeline, ...]
    next: str | None


def trace(
    instance_id: str | UUID,
    *,
    tenant: str,
    cursor: str | None = None,
    limit: int = DEFAULT_EVENTS,
) -> Trace:
    """Return what the next `limit` events about tokens and external tasks tell. Two statements.

    Raises:
        InstanceNotFound: there is none of this id in this tenant.
        CursorInvalid: the cursor is not one of this trace.
    """
    instance = find_instance(instance_id, tenant=tenant)
    chosen = EventFilter(categories=("token", "external"))
    cursors = Cursors(f"trace of {instance.instance_id}")
    events = events_of(instance.instance_id, chosen, read_sequence(cursors, cursor), limit + 1)
    page = events[:limit]
    return Trace(
        instance.instance_id,
        instance.status,
        _tokens(page),
        _tasks(page),
        cursors.write(page[-1].sequence) if len(events) > limit else None,
    )


def _tokens(events: list[EventRow]) -> tuple[TokenTimeline, ...]:
    steps: dict[UUID, list[TokenStep]] = {}
    remembered: dict[UUID, str | None] = {}
    for event in events:
        token = event.token_id
        if token is None or event.category != "token":
            continue
        told = steps.setdefault(token, [])
        if event.event_type == "TokenSuspended":
            remembered[token] = told[-1].status if told else None
        told.append(_token_step(event, remembered.get(token), told))
    return tuple(TokenTimeline(token, tuple(told)) for token, told in steps.items())


def _token_step(event: EventRow, remembered: str | None, told: list[TokenStep]) -> TokenStep:
    payload = event.payload if isinstance(event.payload, dict) else {}
    status: str | None = _BECOMES.get(event.event_type)
    if event.event_type == "TokenActivated":
        status = remembered
    elif status is None and told:
        status = told[-1].status
    return TokenStep(
        event.sequence,
        event.occurred_at,
        event.event_type,
        event.node_id or "",
        str(status) if status is not None else None,
        str(payload.get("wait", "")),
        str(payload.get("reason", "")),
        event.final,
    )


def _tasks(events: list[EventRow]) -> tuple[TaskTimeline, ...]:
    steps: dict[UUID, list[TaskStep]] = {}
    places: dict[UUID, tuple[UUID | None, str | None]] = {}
    for event in events:
        task = event.payload.get("task") if isinstance(event.payload, dict) else None
        if event.category != "external" or task is None:
            continue
        task_id = UUID(task)
        places.setdefault(task_id, (event.token_id, event.node_id))
        details = {name: value for name, value in event.payload.items() if name not in _COMMON}
        steps.setdefault(task_id, []).append(
            TaskStep(event.sequence, event.occurred_at, event.event_type, event.actor, details)
        )
    return tuple(TaskTimeline(task, *places[task], tuple(told)) for task, told in steps.items())
