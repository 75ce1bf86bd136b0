"""Open user tasks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from bpm.core.errors import TaskNotFound
from bpm.core.values import from_text
from bpm.models import UserTask, UserTaskCandidate
from bpm.queries.constant import Constant
from bpm.queries.identifier import read_id
from bpm.queries.page import DEFAULT_LIMIT, Cursors, Page
from bpm.queries.visible import seen_user_tasks

_CURSORS: Final = Cursors("user tasks")
USER_TASK_FIELDS = (
    "id",
    "name",
    "status",
    "instance__status",
    "instance_id",
    "instance__definition_id",
    "instance__definition_key",
    "instance__business_key",
    "token",
    "node",
    "assignee",
    "owner",
    "delegation",
    "candidate_users",
    "candidate_groups",
    "due_at",
    "follow_up_at",
    "priority",
    "form_key",
    "tenant",
    "created_at",
    "closed_at",
)
"""What a row is read from, in the order of `user_task_row`."""


@dataclass(frozen=True, slots=True)
class UserTaskRow:
    """One user task; `status` is OPEN, COMPLETED or CANCELLED.

    Attributes:
        suspended: its instance is suspended, so nobody can do it now.
        delegation: empty, PENDING while somebody else does a part of it for the owner, then RESOLVED.
    """

    task_id: UUID
    type: str
    name: str
    status: str
    suspended: bool
    instance_id: UUID
    definition_id: UUID
    process_def_id: str
    business_key: str | None
    token_id: UUID
    node_id: str
    assignee: str | None
    owner: str | None
    delegation: str
    candidate_users: tuple[str, ...]
    candidate_groups: tuple[str, ...]
    due_at: datetime | None
    follow_up_at: datetime | None
    priority: int
    form_key: str | None
    tenant: str
    created_at: datetime
    closed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTaskFilter:
    """What a list is narrowed to; None does not narrow.

    Attributes:
        assigned: has an assignee, or has none.
        candidate_user, candidate_group: named among the candidates.
    """

    assignee: str | None = None
    assigned: bool | None = None
    candidate_user: str | None = None
    candidate_group: str | None = None
    instance_id: UUID | None = None
    process_def_id: str | None = None
    node: str | None = None


def list_user_tasks(
    tenant: str,
    chosen: UserTaskFilter | None = None,
    *,
    cursor: str | None = None,
    limit: int = DEFAULT_LIMIT,
) -> Page[UserTaskRow]:
    """Return open user tasks, oldest first. One statement.

    Raises:
        CursorInvalid: the cursor is not one of this list.
    """
    rows = seen_user_tasks(UserTask.objects.filter(tenant=tenant, status=Constant("OPEN")))
    rows = _filtered(rows, chosen or UserTaskFilter())
    if cursor is not None:
        rows = rows.filter(id__gt=_CURSORS.read_id(cursor))
    found = [user_task_row(row) for row in rows.order_by("id").values_list(*USER_TASK_FIELDS)[: limit + 1]]
    return _CURSORS.page(found, limit, lambda row: (row.task_id,))


def find_user_task(task_id: str | UUID, *, tenant: str) -> UserTaskRow:
    """Return one user task, open or not. One statement.

    Raises:
        TaskNotFound: there is none of this id in this tenant.
    """
    wanted = read_id(task_id, TaskNotFound, "task")
    rows = seen_user_tasks(UserTask.objects.filter(id=wanted, tenant=tenant))
    row = rows.values_list(*USER_TASK_FIELDS).first()
    if row is None:
        raise TaskNotFound(task=str(wanted))
    return user_task_row(row)


def _filtered(rows: QuerySet[UserTask], chosen: UserTaskFilter) -> QuerySet[UserTask]:
    equal: dict[str, Any] = {
        "assignee": chosen.assignee,
        "instance": chosen.instance_id,
        "instance__definition_key": chosen.process_def_id,
        "node": chosen.node,
    }
    rows = rows.filter(**{name: value for name, value in equal.items() if value is not None})
    if chosen.assigned is not None:
        rows = rows.filter(assignee__isnull=not chosen.assigned)
    for kind, name in (("user", chosen.candidate_user), ("group", chosen.candidate_group)):
        if name is not None:
            named = UserTaskCandidate.objects.filter(task=OuterRef("pk"), kind=kind, name=name)
            rows = rows.filter(Exists(named))
    return rows


def user_task_row(row: tuple[Any, ...]) -> UserTaskRow:
    """Return the row that the values of USER_TASK_FIELDS make."""
    users, groups = (tuple(from_text(text)) for text in row[13:15])
    fields = [row[0], "user", *row[1:3], row[3] == "SUSPENDED", *row[4:13], users, groups, *row[15:]]
    return UserTaskRow(*fields)
