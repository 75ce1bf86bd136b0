"""What was written to user tasks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from bpm.core.errors import TaskNotFound
from bpm.models import Comment, UserTask
from bpm.queries.identifier import read_id
from bpm.queries.page import DEFAULT_LIMIT, Cursors, Page
from bpm.queries.visible import seen_user_tasks

_FIELDS = ("id", "task", "instance_id", "author", "message", "created_at")


@dataclass(frozen=True, slots=True)
class CommentRow:
    """One comment; `author` is the name of the user who wrote it."""

    comment_id: UUID
    task_id: UUID
    instance_id: UUID
    author: str
    message: str
    created_at: datetime


def list_comments(
    task_id: str | UUID, *, tenant: str, cursor: str | None = None, limit: int = DEFAULT_LIMIT
) -> Page[CommentRow]:
    """Return the comments of a user task, open or not, oldest first. Two statements.

    Raises:
        TaskNotFound: there is no user task of this id in this tenant.
        CursorInvalid: the cursor is not one of this list.
    """
    wanted = read_id(task_id, TaskNotFound, "task")
    if not seen_user_tasks(UserTask.objects.filter(id=wanted, tenant=tenant)).exists():
        raise TaskNotFound(task=str(wanted))
    return comments_of(wanted, cursor=cursor, limit=limit)


def comments_of(task_id: UUID, *, cursor: str | None = None, limit: int = DEFAULT_LIMIT) -> Page[CommentRow]:
    """Return the comments of a task that the caller has found already, oldest first. One statement.

    Raises:
        CursorInvalid: the cursor is not one of this list.
    """
    cursors = Cursors(f"comments of {task_id}")
    rows = Comment.objects.filter(task=task_id)
    if cursor is not None:
        rows = rows.filter(id__gt=cursors.read_id(cursor))
    found = [CommentRow(*row) for row in rows.order_by("id").values_list(*_FIELDS)[: limit + 1]]
    return cursors.page(found, limit, lambda row: (row.comment_id,))
