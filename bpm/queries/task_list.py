"""Open user tasks as the people see them who do them: theirs, their groups', or all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from bpm.core.errors import TaskNotFound
from bpm.core.ids import NIL
from bpm.core.rows import ENDED
from bpm.models import ProcessInstance, UserTask, UserTaskCandidate
from bpm.queries.constant import Constant, constants
from bpm.queries.few import Among, is_few
from bpm.queries.page import DEFAULT_LIMIT, Cursors, Page, id_part, instant_part, whole_part
from bpm.queries.user_tasks import USER_TASK_FIELDS, UserTaskRow, user_task_row
from bpm.queries.visible import Names, seen_user_tasks

Sort = Literal["due", "priority", "newest", "oldest"]
Which = Literal["mine", "groups", "all"]
SORTS: Final[tuple[Sort, ...]] = ("due", "priority", "newest", "oldest")
WHICH: Final[tuple[Which, ...]] = ("mine", "groups", "all")
COUNTED: Final = 100
"""Tasks are counted up to this number; one more means that there are more."""
LOOKED_AT: Final = 5_000
"""Newer tasks that are looked at for those that concern somebody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """Who looks.

    Attributes:
        completes, operates, starts: processes whose tasks they do, in which they act for others, which they start;
            None for all.
    """

    user: str
    groups: frozenset[str] = frozenset()
    completes: Names = None
    operates: Names = frozenset()
    starts: Names = None

    def operates_on(self, process_def_id: str) -> bool:
        """Return whether they may act for others in a process."""
        return self.operates is None or process_def_id in self.operates


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskListFilter:
    """What the list is narrowed to.

    Attributes:
        which: `mine`: assigned to the viewer; `groups`: unassigned, and the viewer may take it; `all`: everything
            the viewer may see.
        text: in the name of the task, whatever the case.
        overdue_at: due before this time.
        follow_up_at: tasks to be looked at after this time are left out.
    """

    which: Which = "mine"
    process_def_id: str | None = None
    business_key: str | None = None
    text: str | None = None
    overdue_at: datetime | None = None
    follow_up_at: datetime | None = None


def list_tasks_for(
    viewer: Viewer,
    chosen: TaskListFilter,
    *,
    tenant: str,
    sort: Sort = "due",
    cursor: str | None = None,
    limit: int = DEFAULT_LIMIT,
) -> Page[UserTaskRow]:
    """Return a page of open tasks. One statement; of the groups' two more; one more for a process or business key.

    Raises:
        CursorInvalid: the cursor is not one of this list in this order.
    """
    rows = _filtered(_visible(viewer, chosen.which, tenant), chosen, tenant)
    order, after, key = _ORDERS[sort]
    cursors = Cursors(f"task list by {sort}")
    if cursor is not None:
        rows = rows.filter(after(cursors.read(cursor, len(order))))
    found = [user_task_row(row) for row in rows.order_by(*order).values_list(*USER_TASK_FIELDS)[: limit + 1]]
    return cursors.page(found, limit, key)


def count_tasks_for(viewer: Viewer, *, tenant: str) -> dict[Which, int]:
    """Return how many there are of mine and of my groups', each counted to COUNTED and one. Four statements."""
    return {
        which: len(_visible(viewer, which, tenant).values_list("id")[: COUNTED + 1])
        for which in ("mine", "groups")
    }


def next_tasks_in(viewer: Viewer, instance_id: str, *, tenant: str, limit: int) -> tuple[UserTaskRow, ...]:
    """Return the oldest open tasks of an instance that are the viewer's or may be taken. One statement."""
    rows = _open(tenant).filter(instance=UUID(instance_id))
    theirs = rows.filter(Q(assignee=viewer.user) | _offered(viewer))
    return tuple(user_task_row(row) for row in theirs.order_by("id").values_list(*USER_TASK_FIELDS)[:limit])


def newest_task(tenant: str) -> str:
    """Return the id of the newest open task of a tenant, of all ids the least without any. One statement."""
    rows = UserTask.objects.filter(tenant=tenant, status=Constant("OPEN"))
    found = rows.order_by("-id").values_list("id", flat=True).first()
    return str(found or NIL)


def news_for(viewer: Viewer, *, tenant: str, since: str) -> int:
    """Return how many tasks newer than `since` are the viewer's or may be taken, up to COUNTED and one.

    One statement.
    """
    every = UserTask.objects.filter(tenant=tenant, status=Constant("OPEN"), id__gt=UUID(since))
    newer = every.order_by("id").values("id")[:LOOKED_AT]
    theirs = _open(tenant).filter(Among("id", newer), Q(assignee=viewer.user) | _offered(viewer))
    return len(theirs.values_list("id")[: COUNTED + 1])


def may_complete(viewer: Viewer, task: UserTaskRow) -> bool:
    """Return whether an open task is the viewer's to complete: assigned to them, or unassigned and offered."""
    if viewer.completes is not None and task.process_def_id not in viewer.completes:
        return False
    if task.assignee is not None:
        return task.assignee == viewer.user
    return viewer.user in task.candidate_users or not viewer.groups.isdisjoint(task.candidate_groups)


def find_known_task(task_id: UUID, *, tenant: str) -> UserTaskRow:
    """Return a task for somebody who has seen it before, whether they would see it now or not. One statement.

    Raises:
        TaskNotFound: there is none of this id in this tenant.
    """
    row = UserTask.objects.filter(id=task_id, tenant=tenant).values_list(*USER_TASK_FIELDS).first()
    if row is None:
        raise TaskNotFound(task=str(task_id))
    return user_task_row(row)


def _open(tenant: str) -> QuerySet[UserTask]:
    return seen_user_tasks(UserTask.objects.filter(tenant=tenant, status=Constant("OPEN")))


def _visible(viewer: Viewer, which: Which, tenant: str) -> QuerySet[UserTask]:
    if which == "mine":
        return _open(tenant).filter(assignee=viewer.user)
    return _to_take(viewer, _open(tenant)) if which == "groups" else _open(tenant)


def _to_take(viewer: Viewer, rows: QuerySet[UserTask]) -> QuerySet[UserTask]:
    """Return the rows that the viewer may take. Two statements, to see whether few have ever been offered."""
    offers = UserTaskCandidate.objects.values("task")
    to_user = offers.filter(kind=Constant("user"), name=viewer.user)
    to_groups = offers.filter(kind=Constant("group"), name__in=sorted(viewer.groups))
    if not (is_few(to_user) and is_few(to_groups)):
        return rows.filter(_offered(viewer))
    # Each half by itself: no index leads to both.
    return rows.filter(Among("id", to_user.union(to_groups, all=True)), assignee__isnull=True)


def _offered(viewer: Viewer) -> Q:
    """Return the condition for unassigned tasks of which the viewer is a candidate."""
    named = Q(kind="user", name=viewer.user) | Q(kind="group", name__in=sorted(viewer.groups))
    candidates = UserTaskCandidate.objects.filter(named, task=OuterRef("pk"))
    return Q(Exists(candidates), assignee__isnull=True)


def _filtered(rows: QuerySet[UserTask], chosen: TaskListFilter, tenant: str) -> QuerySet[UserTask]:
    equal: dict[str, Any] = {"name__icontains": chosen.text, "due_at__lt": chosen.overdue_at}
    rows = rows.filter(**{name: value for name, value in equal.items() if value is not None})
    if chosen.follow_up_at is not None:
        rows = rows.filter(Q(follow_up_at__isnull=True) | Q(follow_up_at__lte=chosen.follow_up_at))
    of_instance: dict[str, Any] = {
        "definition_key": chosen.process_def_id,
        "business_key": chosen.business_key,
    }
    wanted = {name: value for name, value in of_instance.items() if value is not None}
    return _of_instances(rows, wanted, tenant) if wanted else rows


def _of_instances(rows: QuerySet[UserTask], wanted: dict[str, Any], tenant: str) -> QuerySet[UserTask]:
    """Return the rows of instances with these properties. One statement, to see whether there are few."""
    instances = ProcessInstance.objects.filter(**wanted, tenant=tenant).values("id")
    instances = instances.exclude(status__in=constants(*ENDED))
    if is_few(instances):
        return rows.filter(Among("instance_id", instances))
    return rows.filter(**{f"instance__{name}": value for name, value in wanted.items()})


def _after_due(parts: list[str]) -> Q:
    due, task = parts
    later = Q(due_at__isnull=True, id__gt=id_part(task))
    if due == "-":
        return later
    at = instant_part(due)
    return Q(due_at__gt=at) | Q(due_at=at, id__gt=id_part(task)) | Q(due_at__isnull=True)


def _after_priority(parts: list[str]) -> Q:
    priority, task = parts
    at = whole_part(priority[1:]) * (-1 if priority[:1] == "-" else 1)
    # The second bound says nothing new, but an index can begin at it.
    return (Q(priority__lt=at) | Q(priority=at, id__gt=id_part(task))) & Q(priority__lte=at)


_ORDERS: Final[
    dict[Sort, tuple[tuple[Any, ...], Callable[[list[str]], Q], Callable[[UserTaskRow], tuple[object, ...]]]]
] = {
    "due": (
        (F("due_at").asc(nulls_last=True), "id"),
        _after_due,
        lambda row: (row.due_at or "-", row.task_id),
    ),
    "priority": (("-priority", "id"), _after_priority, lambda row: (f"{row.priority:+d}", row.task_id)),
    "newest": (
        ("-id",),
        lambda parts: Q(id__lt=id_part(parts[0])),
        lambda row: (row.task_id,),
    ),
    "oldest": (
        ("id",),
        lambda parts: Q(id__gt=id_part(parts[0])),
        lambda row: (row.task_id,),
    ),
}
"""Sort to the order, what follows a cursor, and the key a cursor is made of."""
