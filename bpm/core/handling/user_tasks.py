"""Commands about user tasks (semantics §5)."""

from __future__ import annotations

from typing import Any

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core.errors import TaskClosed, TaskDelegated, TaskNotYours
from bpm.core.failure import NodeFailed
from bpm.core.handling.guards import require_alive, user_task
from bpm.core.ids import Id
from bpm.core.rows import PENDING, UserStatus, UserTask
from bpm.core.run import Run


def open_task(run: Run, task: Id) -> UserTask:
    """Return an open task of an instance that can move.

    Raises:
        TaskNotFound, TaskClosed, InstanceEnded, Suspended.
    """
    row = user_task(run, task)
    if row.status is not UserStatus.OPEN:
        raise TaskClosed(task=task, status=row.status.value)
    require_alive(run)
    return row


def _is_candidate(row: UserTask, user: str, groups: frozenset[str]) -> bool:
    if not row.candidate_users and not row.candidate_groups:
        return True
    return user in row.candidate_users or not groups.isdisjoint(row.candidate_groups)


def require_right(row: UserTask, user: str | None, groups: frozenset[str]) -> None:
    """Refuse unless a user may end the task; None may.

    Raises:
        TaskNotYours: neither the assignee nor, unassigned, a candidate.
    """
    if user is None:
        return
    allowed = row.assignee == user if row.assignee is not None else _is_candidate(row, user, groups)
    if not allowed:
        raise TaskNotYours(task=row.id, assignee=row.assignee)


def complete(run: Run, command: c.CompleteUserTask) -> dict[str, Any]:
    """Emit UserTaskCompleted, VariableSet …; the token goes on.

    Raises:
        TaskNotFound, TaskClosed, InstanceEnded, Suspended.
        TaskDelegated: it has not been resolved yet.
        TaskNotYours: neither the assignee nor, unassigned, a candidate.
    """
    row = open_task(run, command.task)
    if row.delegation == PENDING:
        raise TaskDelegated(task=row.id, owner=row.owner)
    require_right(row, command.user, command.groups)
    token = run.token(row.token)
    run.emit(e.UserTaskCompleted(task=row.id, token=token.id, node=row.node))
    run.keep_result(token, command.variables)
    node = run.graph.nodes[row.node]
    try:
        run.listen(getattr(node, "on_complete", ()), token)
    except NodeFailed as failure:
        run.fail(run.token(token.id), failure)
        return {}
    run.element(node).triggered(run, node, token)
    return {}


def claim(run: Run, command: c.ClaimUserTask) -> dict[str, Any]:
    """Emit UserTaskClaimed; nothing when it is the user's already.

    Raises:
        TaskNotYours: assigned to somebody else, or no candidate.
    """
    row = open_task(run, command.task)
    if row.assignee == command.user:
        return {}
    if row.assignee is not None:
        raise TaskNotYours(task=row.id, assignee=row.assignee)
    if command.check and not _is_candidate(row, command.user, command.groups):
        raise TaskNotYours("The user is no candidate for this task.", task=row.id)
    run.emit(e.UserTaskClaimed(task=row.id, token=row.token, node=row.node, assignee=command.user))
    return {}


def unclaim(run: Run, command: c.UnclaimUserTask) -> dict[str, Any]:
    """Emit UserTaskUnclaimed; nothing when nobody has it.

    Raises:
        TaskNotYours: a user gives back what is somebody else's.
    """
    row = open_task(run, command.task)
    if row.assignee is None:
        return {}
    if command.user is not None and row.assignee != command.user:
        raise TaskNotYours(task=row.id, assignee=row.assignee)
    run.emit(e.UserTaskUnclaimed(task=row.id, token=row.token, node=row.node))
    return {}


def assign(run: Run, command: c.AssignUserTask) -> dict[str, Any]:
    """Emit UserTaskAssigned."""
    row = open_task(run, command.task)
    assignee = (command.assignee or "").strip() or None
    if assignee != row.assignee:
        run.emit(e.UserTaskAssigned(task=row.id, token=row.token, node=row.node, assignee=assignee))
    return {}
