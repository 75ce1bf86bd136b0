"""Tasks of either kind."""

from __future__ import annotations

from uuid import UUID

from bpm.core.errors import TaskNotFound
from bpm.queries.external_tasks import (
    ExternalTaskFilter,
    ExternalTaskRow,
    find_external_task,
    list_external_tasks,
)
from bpm.queries.page import DEFAULT_LIMIT, CursorInvalid, Page
from bpm.queries.user_tasks import UserTaskFilter, UserTaskRow, find_user_task, list_user_tasks

_USER, _EXTERNAL = "user", "external"


def find_task(task_id: str | UUID, *, tenant: str) -> UserTaskRow | ExternalTaskRow:
    """Return a user task or an external task, open or not. At most two statements.

    Raises:
        TaskNotFound: there is neither of this id in this tenant.
    """
    try:
        return find_user_task(task_id, tenant=tenant)
    except TaskNotFound:
        return find_external_task(task_id, tenant=tenant)


def list_tasks(
    tenant: str,
    *,
    instance_id: UUID | None = None,
    process_def_id: str | None = None,
    node: str | None = None,
    cursor: str | None = None,
    limit: int = DEFAULT_LIMIT,
) -> Page[UserTaskRow | ExternalTaskRow]:
    """Return waiting tasks: user tasks, then external tasks, each in their own order. At most two statements.

    Raises:
        CursorInvalid: the cursor is not one of this list.
    """
    kind, _, inner = (cursor or f"{_USER}.").partition(".")
    if kind not in (_USER, _EXTERNAL):
        raise CursorInvalid(cursor=kind[:100])
    items: list[UserTaskRow | ExternalTaskRow] = []
    if kind == _USER:
        chosen = UserTaskFilter(instance_id=instance_id, process_def_id=process_def_id, node=node)
        users = list_user_tasks(tenant, chosen, cursor=inner or None, limit=limit)
        if users.next is not None:
            return Page(users.items, f"{_USER}.{users.next}")
        items.extend(users.items)
        inner = ""
    if len(items) == limit:
        return Page(tuple(items), f"{_EXTERNAL}.")
    wanted = ExternalTaskFilter(instance_id=instance_id, process_def_id=process_def_id, node=node)
    rest = list_external_tasks(tenant, wanted, cursor=inner or None, limit=limit - len(items))
    return Page((*items, *rest.items), None if rest.next is None else f"{_EXTERNAL}.{rest.next}")
