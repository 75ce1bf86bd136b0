"""Process instances, in lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from bpm.core.errors import InstanceNotFound
from bpm.models import ProcessInstance, Token
from bpm.queries.constant import Constant, constants
from bpm.queries.identifier import read_id
from bpm.queries.page import DEFAULT_LIMIT, Cursors, Page
from bpm.queries.visible import of_seen_processes

STATUSES: Final = ("RUNNING", "SUSPENDED", "FAILED", "COMPLETED", "CANCELLED")
_ENDED = ("COMPLETED", "CANCELLED")
_CURSORS: Final = Cursors("instances")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIELDS: Final = (
    "id",
    "status",
    "definition_id",
    "definition_key",
    "definition__version",
    "business_key",
    "tenant",
    "parent_instance",
    "root",
    "suspended_because",
    "live",
    "incidents",
    "started_at",
    "ended_at",
    "updated_at",
)


@dataclass(frozen=True, slots=True)
class InstanceRow:
    """One instance.

    Attributes:
        process_def_id: key of its definition.
        root_instance_id: the outermost caller, itself where nothing called it.
        suspended_because: `invariant` where the engine froze it; None unless SUSPENDED.
        live_tokens: tokens that can still move.
        incidents: open incidents.
    """

    instance_id: UUID
    status: str
    definition_id: UUID
    process_def_id: str
    version: int
    business_key: str | None
    tenant: str
    parent_instance_id: UUID | None
    root_instance_id: UUID
    suspended_because: str | None
    live_tokens: int
    incidents: int
    started_at: datetime
    ended_at: datetime | None
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceFilter:
    """What a list is narrowed to; None does not narrow.

    Attributes:
        node: has a live token at this node, so it has not ended.
        incident: has open incidents, or has none.
        running: has not ended, or has.
        started_from, started_before: half-open range of the start, aware.
    """

    status: str | None = None
    process_def_id: str | None = None
    version: int | None = None
    definition_id: UUID | None = None
    business_key: str | None = None
    node: str | None = None
    incident: bool | None = None
    running: bool | None = None
    parent_instance_id: UUID | None = None
    started_from: datetime | None = None
    started_before: datetime | None = None


def list_instances(
    tenant: str,
    chosen: InstanceFilter | None = None,
    *,
    cursor: str | None = None,
    limit: int = DEFAULT_LIMIT,
) -> Page[InstanceRow]:
    """Return instances, newest first. One statement.

    Raises:
        CursorInvalid: the cursor is not one of this list.
    """
    found = narrowed(
        of_seen_processes(ProcessInstance.objects.filter(tenant=tenant), "definition_key"),
        chosen or InstanceFilter(),
    )
    if cursor is not None:
        found = found.filter(id__lt=_CURSORS.read_id(cursor))
    rows = [InstanceRow(*row) for row in found.order_by("-id").values_list(*FIELDS)[: limit + 1]]
    return _CURSORS.page(rows, limit, lambda row: (row.instance_id,))


def find_instance(instance_id: str | UUID, *, tenant: str) -> InstanceRow:
    """Return one instance. One statement.

    Raises:
        InstanceNotFound: there is none of this id in this tenant.
    """
    wanted = read_id(instance_id, InstanceNotFound, "instance")
    rows = of_seen_processes(ProcessInstance.objects.filter(id=wanted, tenant=tenant), "definition_key")
    row = rows.values_list(*FIELDS).first()
    if row is None:
        raise InstanceNotFound(instance=str(wanted))
    return InstanceRow(*row)


def narrowed(rows: QuerySet[ProcessInstance], chosen: InstanceFilter) -> QuerySet[ProcessInstance]:
    """Return the rows that a filter leaves."""
    equal: Mapping[str, Any] = {
        "status": Constant(chosen.status) if chosen.status else None,
        "definition_key": chosen.process_def_id,
        "definition__version": chosen.version,
        "definition": chosen.definition_id,
        "business_key": chosen.business_key,
        "parent_instance": chosen.parent_instance_id,
    }
    rows = rows.filter(**{name: value for name, value in equal.items() if value is not None})
    if chosen.node is not None:
        rows = rows.filter(_stands_at(chosen.node))
    if chosen.incident is not None:
        rows = rows.filter(incidents__gt=0) if chosen.incident else rows.filter(incidents=0)
    if chosen.running or chosen.node is not None:
        rows = rows.exclude(status__in=constants(*_ENDED))
    elif chosen.running is False:
        rows = rows.filter(status__in=constants(*_ENDED))
    return _started(rows, chosen)


def _stands_at(node: str) -> Exists:
    return Exists(Token.objects.filter(instance=OuterRef("pk"), node=node, final=False))


def _started(rows: QuerySet[ProcessInstance], chosen: InstanceFilter) -> QuerySet[ProcessInstance]:
    # The id begins with the start's millisecond, so the range of times is a range of the primary key as well.
    if chosen.started_from is not None:
        rows = rows.filter(started_at__gte=chosen.started_from, id__gte=first_id(chosen.started_from))
    if chosen.started_before is not None:
        rows = rows.filter(started_at__lt=chosen.started_before, id__lt=first_id(chosen.started_before, 2))
    return rows


def first_id(at: datetime, later_ms: int = -1) -> UUID:
    """Return an id below all that were made at a time or after it, by the millisecond that an id begins with."""
    milliseconds = (at - _EPOCH) // timedelta(milliseconds=1) + later_ms
    return UUID(int=min(max(milliseconds, 0), 2**48 - 1) << 80)
