"""Starts that wait at a version: by timer, message, signal, condition (semantics §6, §7)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from bpm.models import Subscription, Timer
from bpm.queries.definitions import find_definition
from bpm.shell.database_clock import database_now
from bpm.shell.definition_starts import firings


@dataclass(frozen=True, slots=True)
class StartRow:
    """One armed start.

    Attributes:
        kind: `timer`, `message`, `signal` or `condition`.
        name: of the message or signal; of a condition the number of its definition at the node; of a timer its text.
        due_at, priority: of a timer.
        firings: of a timer the next due times, at most 10.
        suspended: it is held, as its version is suspended.
    """

    start_id: UUID
    definition_id: UUID
    node_id: str
    kind: str
    name: str
    due_at: datetime | None
    priority: int | None
    firings: tuple[datetime, ...]
    suspended: bool
    armed_at: datetime


def list_starts(definition_id: str | UUID, *, tenant: str) -> list[StartRow]:
    """Return the starts that are armed at a version, in order of arming; only the latest version has any.

    Statements: 4 at most.

    Raises:
        DefinitionNotFound: there is no version of this id in this tenant.
    """
    version = find_definition(definition_id, tenant=tenant)
    held, now = version.suspended, database_now()
    found = [
        StartRow(
            row.id,
            version.definition_id,
            row.node,
            "timer",
            row.expression,
            row.due_at,
            row.priority,
            tuple(firings(row, now)),
            held,
            row.created_at,
        )
        for row in Timer.objects.filter(definition=version.definition_id, status="SCHEDULED")
    ]
    found += [
        StartRow(
            row.id,
            version.definition_id,
            row.node,
            row.kind,
            row.name,
            None,
            None,
            (),
            held,
            row.created_at,
        )
        for row in Subscription.objects.filter(definition=version.definition_id, status="OPEN")
    ]
    return sorted(found, key=lambda row: row.start_id)
