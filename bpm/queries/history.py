"""The history of an instance (semantics §10)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from bpm.core.values import from_text
from bpm.models import HistoryEvent
from bpm.queries.instances import find_instance
from bpm.queries.page import Cursors, Page, whole_part
from bpm.shell.history import BY_NAME

CATEGORIES: Final = (
    "instance",
    "token",
    "task",
    "external",
    "timer",
    "message",
    "variable",
    "saga",
    "incident",
)
EVENT_TYPES: Final = tuple(sorted(BY_NAME))
"""Every type that an event can have."""
DEFAULT_EVENTS: Final = 200
_FIELDS = (
    "instance_id",
    "sequence",
    "event_type",
    "category",
    "occurred_at",
    "token",
    "node",
    "actor",
    "final",
    "payload",
    "digest",
)


@dataclass(frozen=True, slots=True)
class EventRow:
    """One fact.

    Attributes:
        event_id: instance id and sequence with a colon between.
        sequence: 0, 1, 2 … without gaps per instance.
        final: whether the token became final by it.
        payload: what the event carries besides the fields here; None where it was erased.
        erased: whether payload was erased; its digest is kept.
    """

    event_id: str
    instance_id: UUID
    sequence: int
    event_type: str
    category: str
    occurred_at: datetime
    token_id: UUID | None
    node_id: str | None
    actor: str
    final: bool
    payload: Any
    erased: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFilter:
    """What a history is narrowed to; None does not narrow."""

    token_id: UUID | None = None
    event_type: str | None = None
    categories: tuple[str, ...] | None = None


def list_events(
    instance_id: str | UUID,
    *,
    tenant: str,
    chosen: EventFilter | None = None,
    cursor: str | None = None,
    limit: int = DEFAULT_EVENTS,
) -> Page[EventRow]:
    """Return events in order of their sequence. Two statements.

    Raises:
        InstanceNotFound: there is none of this id in this tenant.
        CursorInvalid: the cursor is not one of this history.
    """
    instance = find_instance(instance_id, tenant=tenant).instance_id
    cursors = Cursors(f"history of {instance}")
    rows = events_of(instance, chosen or EventFilter(), read_sequence(cursors, cursor), limit + 1)
    return cursors.page(rows, limit, lambda row: (row.sequence,))


def read_sequence(cursors: Cursors, cursor: str | None) -> int:
    """Return the sequence after which a page begins, -1 for the first page.

    Raises:
        CursorInvalid: the cursor is not one of this list.
    """
    return -1 if cursor is None else whole_part(cursors.read(cursor, 1)[0])


def events_of(instance: UUID, chosen: EventFilter, after: int, limit: int) -> list[EventRow]:
    """Return events after a sequence; the caller has found the instance in its tenant. One statement."""
    equal = {
        "token": chosen.token_id,
        "event_type": chosen.event_type,
        "category__in": chosen.categories,
    }
    rows = HistoryEvent.objects.filter(
        instance_id=instance,
        sequence__gt=min(after, 2**31 - 1),
        **{name: value for name, value in equal.items() if value is not None},
    )
    return [_event(row) for row in rows.order_by("sequence").values_list(*_FIELDS)[:limit]]


def _event(row: tuple[Any, ...]) -> EventRow:
    instance, sequence, *others, payload, digest = row
    erased = digest is not None
    value = None if erased else from_text(payload)
    fields = [f"{instance}:{sequence}", instance, sequence, *others, value, erased]
    return EventRow(*fields)
