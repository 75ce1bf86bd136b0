"""A task of either kind by its id."""

from __future__ import annotations

from uuid import UUID

from bpm.core.errors import TaskNotFound
from bpm.queries.external_tasks import ExternalTaskRow, find_external_task
from bpm.queries.user_tasks import UserTaskRow, find_user_task


def find_task(task_id: str | UUID, *, tenant: str) -> UserTaskRow | ExternalTaskRow:
    """Return a user task or an external task, open or not. At most two statements.

    Raises:
        TaskNotFound: there is neither of this id in this tenant.
    """
    try:
        return find_user_task(task_id, tenant=tenant)
    except TaskNotFound:
        return find_external_task(task_id, tenant=tenant)
