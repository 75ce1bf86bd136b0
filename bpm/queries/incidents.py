"""Incidents: what a human must look at (semantics §1)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from bpm.core.errors import IncidentNotFound
from bpm.models import Incident
from bpm.queries.constant import Constant
from bpm.queries.identifier import read_id
from bpm.queries.page import DEFAULT_LIMIT, Cursors, Page
from bpm.queries.visible import of_seen_processes

STATUSES: Final = ("OPEN", "RESOLVED")
_CURSORS: Final = Cursors("incidents")
_FIELDS = (
    "id",
    "kind",
    "status",
    "message",
    "instance_id",
    "instance__definition_id",
    "instance__definition_key",
    "instance__business_key",
    "token",
    "node",
    "tenant",
    "created_at",
    "closed_at",
)


@dataclass(frozen=True, slots=True)
class IncidentRow:
    """One incident.

    Attributes:
        kind: what went wrong, such as `ExternalTaskFailed`, `ExpressionFailed`, `UncaughtError`.
        token_id: the failed token; None for what concerns the whole instance.
    """

    incident_id: UUID
    kind: str
    status: str
    message: str
    instance_id: UUID
    definition_id: UUID
    process_def_id: str
    business_key: str | None
    token_id: UUID | None
    node_id: str
    tenant: str
    created_at: datetime
    closed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentFilter:
    """What a list is narrowed to; None does not narrow."""

    status: str | None = "OPEN"
    kind: str | None = None
    instance_id: UUID | None = None
    process_def_id: str | None = None
    node: str | None = None


def list_incidents(
    tenant: str,
    chosen: IncidentFilter | None = None,
    *,
    cursor: str | None = None,
    limit: int = DEFAULT_LIMIT,
) -> Page[IncidentRow]:
    """Return incidents, oldest first; open ones unless asked otherwise. One statement.

    Raises:
        CursorInvalid: the cursor is not one of this list.
    """
    chosen = chosen or IncidentFilter()
    equal: dict[str, Any] = {
        "status": Constant(chosen.status) if chosen.status else None,
        "kind": chosen.kind,
        "instance": chosen.instance_id,
        "instance__definition_key": chosen.process_def_id,
        "node": chosen.node,
        "id__gt": None if cursor is None else _CURSORS.read_id(cursor),
    }
    rows = Incident.objects.filter(
        tenant=tenant, **{name: value for name, value in equal.items() if value is not None}
    )
    rows = of_seen_processes(rows, "instance__definition_key")
    found = [IncidentRow(*row) for row in rows.order_by("id").values_list(*_FIELDS)[: limit + 1]]
    return _CURSORS.page(found, limit, lambda row: (row.incident_id,))


def find_incident(incident_id: str | UUID, *, tenant: str) -> IncidentRow:
    """Return one incident, open or resolved. One statement.

    Raises:
        IncidentNotFound: there is none of this id in this tenant.
    """
    wanted = read_id(incident_id, IncidentNotFound, "incident")
    rows = of_seen_processes(Incident.objects.filter(id=wanted, tenant=tenant), "instance__definition_key")
    row = rows.values_list(*_FIELDS).first()
    if row is None:
        raise IncidentNotFound(incident=str(wanted))
    return IncidentRow(*row)
