"""Checks that several commands share. Each raises a refusal; nothing has been emitted by then."""

from __future__ import annotations

from bpm.core.errors import InstanceEnded, Suspended, TaskNotFound
from bpm.core.ids import Id
from bpm.core.rows import ExternalTask, InstanceStatus, UserTask
from bpm.core.run import Run


def require_not_ended(run: Run) -> None:
    """Refuse unless the instance can be changed, suspended or not.

    Raises:
        InstanceEnded: COMPLETED or CANCELLED.
    """
    instance = run.state.instance
    if instance.ended:
        raise InstanceEnded(instance=instance.id, status=instance.status.value)


def require_alive(run: Run) -> None:
    """Refuse unless the instance can move.

    Raises:
        InstanceEnded: COMPLETED or CANCELLED.
        Suspended: SUSPENDED.
    """
    require_not_ended(run)
    instance = run.state.instance
    if instance.status is InstanceStatus.SUSPENDED:
        raise Suspended(instance=instance.id)


def external_task(run: Run, task: Id) -> ExternalTask:
    """Return the task, or raise TaskNotFound."""
    row = run.state.external_tasks.get(task)
    if row is None:
        raise TaskNotFound(task=task)
    return row


def user_task(run: Run, task: Id) -> UserTask:
    """Return the task, or raise TaskNotFound."""
    row = run.state.user_tasks.get(task)
    if row is None:
        raise TaskNotFound(task=task)
    return row
