"""Timers that are scheduled (semantics §6)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Q

from bpm.models import Timer
from bpm.queries.constant import Constant
from bpm.queries.page import DEFAULT_LIMIT, Cursors, Page, id_part, instant_part
from bpm.queries.visible import seen_timers

_CURSORS: Final = Cursors("timers")
_FIELDS = (
    "id",
    "kind",
    "status",
    "suspended",
    "priority",
    "due_at",
    "expression",
    "number",
    "series",
    "instance_id",
    "definition_id",
    "token",
    "node",
    "tenant",
    "created_at",
)


@dataclass(frozen=True, slots=True)
class TimerRow:
    """One due time.

    Attributes:
        number: 0 for the first due time of its series.
        instance_id: None for the timer start of a definition.
        definition_id: None for a timer of an instance.
    """

    timer_id: UUID
    kind: str
    status: str
    suspended: bool
    priority: int
    due_at: datetime
    expression: str
    number: int
    series_id: UUID
    instance_id: UUID | None
    definition_id: UUID | None
    token_id: UUID | None
    node_id: str
    tenant: str
    created_at: datetime


def list_timers(
    tenant: str,
    *,
    instance_id: UUID | None = None,
    definition_id: UUID | None = None,
    suspended: bool = False,
    cursor: str | None = None,
    limit: int = DEFAULT_LIMIT,
) -> Page[TimerRow]:
    """Return scheduled timers, the next due first. One statement.

    Args:
        definition_id: the timer starts of this version.
        suspended: those of suspended instances instead of those that will fire.

    Raises:
        CursorInvalid: the cursor is not one of this list.
    """
    rows = Timer.objects.filter(tenant=tenant, status=Constant("SCHEDULED"), suspended=suspended)
    rows = seen_timers(rows)
    equal: dict[str, Any] = {"instance": instance_id, "definition": definition_id}
    rows = rows.filter(**{name: value for name, value in equal.items() if value is not None})
    if cursor is not None:
        due, timer = _CURSORS.read(cursor, 2)
        at = instant_part(due)
        rows = rows.filter(Q(due_at__gt=at) | Q(due_at=at, id__gt=id_part(timer)), due_at__gte=at)
    found = [TimerRow(*row) for row in rows.order_by("due_at", "id").values_list(*_FIELDS)[: limit + 1]]
    return _CURSORS.page(found, limit, lambda row: (row.due_at, row.timer_id))
