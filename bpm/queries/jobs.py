"""Work of the engine itself that is not done yet (semantics §5)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Q

from bpm.models import Job
from bpm.queries.constant import Constant, constants
from bpm.queries.page import DEFAULT_LIMIT, Cursors, Page, id_part
from bpm.queries.visible import of_seen_processes

OPEN_STATUSES: Final = ("READY", "RUNNING", "FAILED")
_CURSORS: Final = Cursors("jobs")
_FIELDS = (
    "id",
    "kind",
    "handler",
    "status",
    "suspended",
    "priority",
    "retries",
    "attempts",
    "crashes",
    "available_at",
    "error",
    "instance_id",
    "instance__definition_key",
    "token",
    "node",
    "owner",
    "lease_expires_at",
    "tenant",
    "created_at",
)


@dataclass(frozen=True, slots=True)
class JobRow:
    """One job.

    Attributes:
        kind: `handler`, `before`, `after` or `continuation`.
        status: READY, RUNNING or FAILED.
        attempts, crashes: how often it was started, and how often its cluster vanished.
        owner, lease_expires_at: the cluster that runs it, and until when; of a RUNNING one only.
    """

    job_id: UUID
    kind: str
    handler: str
    status: str
    suspended: bool
    priority: int
    retries: int
    attempts: int
    crashes: int
    available_at: datetime
    error: str | None
    instance_id: UUID
    process_def_id: str
    token_id: UUID
    node_id: str
    owner: str | None
    lease_expires_at: datetime | None
    tenant: str
    created_at: datetime


def list_jobs(
    tenant: str,
    *,
    status: str | None = None,
    instance_id: UUID | None = None,
    cursor: str | None = None,
    limit: int = DEFAULT_LIMIT,
) -> Page[JobRow]:
    """Return open jobs: those of the oldest instance first, by token. One statement.

    Args:
        status: READY, RUNNING or FAILED; None takes all three.

    Raises:
        CursorInvalid: the cursor is not one of this list.
    """
    rows = Job.objects.filter(tenant=tenant, status__in=constants(*OPEN_STATUSES))
    rows = of_seen_processes(rows, "instance__definition_key")
    equal: dict[str, Any] = {"instance": instance_id, "status": Constant(status) if status else None}
    rows = rows.filter(**{name: value for name, value in equal.items() if value is not None})
    if cursor is not None:
        instance, token = (id_part(part) for part in _CURSORS.read(cursor, 2))
        rows = rows.filter(
            Q(instance_id__gt=instance) | Q(instance_id=instance, token__gt=token), instance_id__gte=instance
        )
    read = rows.order_by("instance_id", "token").values_list(*_FIELDS)[: limit + 1]
    found = [_shown(JobRow(*row)) for row in read]
    return _CURSORS.page(found, limit, lambda row: (row.instance_id, row.token_id))


def _shown(row: JobRow) -> JobRow:
    # What stands there of an earlier attempt is of no use, and owns nothing.
    return row if row.status == "RUNNING" else replace(row, owner=None, lease_expires_at=None)
