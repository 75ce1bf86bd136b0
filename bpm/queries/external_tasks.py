"""External tasks that wait for a worker, are being worked on, or have failed for good."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Q, QuerySet

from bpm.core.errors import TaskNotFound
from bpm.models import ExternalTask
from bpm.queries.constant import Constant, constants
from bpm.queries.identifier import read_id
from bpm.queries.page import DEFAULT_LIMIT, Cursors, Page, id_part
from bpm.queries.visible import seen_external_tasks

_CURSORS: Final = Cursors("external tasks")
_DEAD_CURSORS: Final = Cursors("dead letters")
_FIELDS = (
    "id",
    "topic",
    "status",
    "suspended",
    "instance_id",
    "instance__definition_id",
    "instance__definition_key",
    "instance__business_key",
    "token",
    "node",
    "priority",
    "retries",
    "worker",
    "lease",
    "lease_expires_at",
    "available_at",
    "failures",
    "expiries",
    "error",
    "error_details",
    "tenant",
    "created_at",
    "closed_at",
)


@dataclass(frozen=True, slots=True)
class ExternalTaskRow:
    """One external task.

    Attributes:
        task_type: its topic.
        status: READY, LOCKED, COMPLETED, FAILED (a dead letter) or CANCELLED.
        suspended: its instance is suspended, so it is not fetched.
        lease_id: number of its newest lease, 0 before the first.
        available_at: not fetched before.
        failures, expiries: failures reported, and leases that ran out.
        error, error_details: what the worker said at the last failure.
    """

    task_id: UUID
    type: str
    task_type: str
    status: str
    suspended: bool
    instance_id: UUID
    definition_id: UUID
    process_def_id: str
    business_key: str | None
    token_id: UUID
    node_id: str
    priority: int
    retries: int
    worker_id: str | None
    lease_id: int
    lock_expires_at: datetime | None
    available_at: datetime
    failures: int
    expiries: int
    error: str | None
    error_details: str | None
    tenant: str
    created_at: datetime
    closed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTaskFilter:
    """What a list is narrowed to; None does not narrow."""

    task_type: str | None = None
    worker_id: str | None = None
    instance_id: UUID | None = None
    process_def_id: str | None = None
    node: str | None = None


def list_external_tasks(
    tenant: str,
    chosen: ExternalTaskFilter | None = None,
    *,
    cursor: str | None = None,
    limit: int = DEFAULT_LIMIT,
) -> Page[ExternalTaskRow]:
    """Return READY and LOCKED tasks: those of the oldest instance first, by token. One statement.

    Raises:
        CursorInvalid: the cursor is not one of this list.
    """
    # The order is that of the unique index of open tasks, so closed ones cost nothing.
    rows = ExternalTask.objects.filter(tenant=tenant, status__in=constants("READY", "LOCKED"))
    rows = _filtered(seen_external_tasks(rows), chosen or ExternalTaskFilter())
    if cursor is not None:
        instance, token = (id_part(part) for part in _CURSORS.read(cursor, 2))
        rows = rows.filter(
            Q(instance_id__gt=instance) | Q(instance_id=instance, token__gt=token), instance_id__gte=instance
        )
    found = _rows(rows.order_by("instance_id", "token"), limit)
    return _CURSORS.page(found, limit, lambda row: (row.instance_id, row.token_id))


def list_dead_letters(
    tenant: str,
    chosen: ExternalTaskFilter | None = None,
    *,
    cursor: str | None = None,
    limit: int = DEFAULT_LIMIT,
) -> Page[ExternalTaskRow]:
    """Return tasks that have failed for good, oldest first. One statement.

    Raises:
        CursorInvalid: the cursor is not one of this list.
    """
    rows = ExternalTask.objects.filter(tenant=tenant, status=Constant("FAILED"))
    rows = _filtered(seen_external_tasks(rows), chosen or ExternalTaskFilter())
    if cursor is not None:
        rows = rows.filter(id__gt=_DEAD_CURSORS.read_id(cursor))
    found = _rows(rows.order_by("id"), limit)
    return _DEAD_CURSORS.page(found, limit, lambda row: (row.task_id,))


def find_external_task(task_id: str | UUID, *, tenant: str) -> ExternalTaskRow:
    """Return one external task of any status. One statement.

    Raises:
        TaskNotFound: there is none of this id in this tenant.
    """
    wanted = read_id(task_id, TaskNotFound, "task")
    rows = seen_external_tasks(ExternalTask.objects.filter(id=wanted, tenant=tenant))
    row = rows.values_list(*_FIELDS).first()
    if row is None:
        raise TaskNotFound(task=str(wanted))
    return _row(row)


def _filtered(rows: QuerySet[ExternalTask], chosen: ExternalTaskFilter) -> QuerySet[ExternalTask]:
    equal: dict[str, Any] = {
        "topic": chosen.task_type,
        "worker": chosen.worker_id,
        "instance": chosen.instance_id,
        "instance__definition_key": chosen.process_def_id,
        "node": chosen.node,
    }
    return rows.filter(**{name: value for name, value in equal.items() if value is not None})


def _rows(rows: QuerySet[ExternalTask], limit: int) -> list[ExternalTaskRow]:
    return [_row(row) for row in rows.values_list(*_FIELDS)[: limit + 1]]


def _row(row: tuple[Any, ...]) -> ExternalTaskRow:
    return ExternalTaskRow(row[0], "external", *row[1:])
