"""What else is done with user tasks: errors, escalations, changes, delegation (semantics §5, §12)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from bpm.core import events as e
from bpm.core import operations as o
from bpm.core.errors import Conflict, EscalationUncaught, Invalid, TaskClosed, TaskNotYours
from bpm.core.faults import ERROR, ESCALATION, find_catcher, throw_error, throw_escalation
from bpm.core.handling.guards import require_not_ended, user_task
from bpm.core.handling.user_tasks import open_task, require_right
from bpm.core.rows import PENDING, UserStatus, UserTask
from bpm.core.run import Run

_CHANGES: Final = frozenset(
    {
        "name",
        "assignee",
        "owner",
        "due_at",
        "follow_up_at",
        "priority",
        "candidate_users",
        "candidate_groups",
    }
)
_PEOPLE: Final = frozenset({"assignee", "owner"})
_COMMENT_CHARACTERS: Final = 4_000


def _ids(row: UserTask) -> dict[str, Any]:
    return {"task": row.id, "token": row.token, "node": row.node}


def throw_task_error(run: Run, command: o.ThrowUserTaskError) -> dict[str, Any]:
    """The task ends by an error; uncaught, its token fails with the code, and a retry makes a new task.

    Raises:
        TaskNotFound, TaskClosed, TaskNotYours, InstanceEnded, Suspended.
        Invalid: the code is empty.
    """
    row = open_task(run, command.task)
    require_right(row, command.user, command.groups)
    if not command.error_code:
        raise Invalid("An error has a code.", task=row.id)
    token = run.token(row.token)
    if find_catcher(run, token.scope, ERROR, command.error_code) is None:
        run.emit(e.UserTaskCancelled(**_ids(row), reason="error"))
    throw_error(run, token, command.error_code, command.message, command.variables)
    return {}


def throw_task_escalation(run: Run, command: o.ThrowUserTaskEscalation) -> dict[str, Any]:
    """The escalation is caught around the task, which goes on unless that interrupts it.

    Raises:
        TaskNotFound, TaskClosed, TaskNotYours, InstanceEnded, Suspended.
        Invalid: the code is empty.
        EscalationUncaught: nothing in this instance catches it.
    """
    row = open_task(run, command.task)
    require_right(row, command.user, command.groups)
    if not command.escalation_code:
        raise Invalid("An escalation has a code.", task=row.id)
    token = run.token(row.token)
    if find_catcher(run, token.scope, ESCALATION, command.escalation_code) is None:
        raise EscalationUncaught(task=row.id, escalation_code=command.escalation_code)
    throw_escalation(run, token, command.escalation_code, command.variables)
    return {}


def update(run: Run, command: o.UpdateUserTask) -> dict[str, Any]:
    """Emit UserTaskUpdated with what really changes; nothing without. Blank names of people mean nobody.

    Raises:
        TaskNotFound, TaskClosed, InstanceEnded, Suspended.
        Invalid: a change that there is not, or a task without name.
    """
    row = open_task(run, command.task)
    unknown = sorted(command.changes.keys() - _CHANGES)
    if unknown:
        raise Invalid(f"A user task has no {', '.join(unknown)} that can be changed.", task=row.id)
    wanted = {name: _cleaned(name, value) for name, value in command.changes.items()}
    if not wanted.get("name", "x") or not isinstance(wanted.get("priority", 0), int):
        raise Invalid("A user task has a name, and a priority that is a whole number.", task=row.id)
    changes = {name: _plain(value) for name, value in wanted.items() if getattr(row, name) != value}
    if changes:
        run.emit(e.UserTaskUpdated(**_ids(row), changes=changes))
    return {}


def _cleaned(name: str, value: Any) -> Any:
    if name in _PEOPLE or name == "name":
        return (value or "").strip() or None
    if name.startswith("candidate_"):
        return tuple(dict.fromkeys(text for one in value or () if (text := one.strip())))
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value


def delegate(run: Run, command: o.DelegateUserTask) -> dict[str, Any]:
    """Emit UserTaskDelegated; the present assignee becomes the owner unless there is one.

    Raises:
        TaskNotFound, TaskClosed, InstanceEnded, Suspended.
        TaskNotYours: somebody else's.
        Invalid: to nobody.
    """
    row = open_task(run, command.task)
    if command.by is not None and row.assignee != command.by:
        raise TaskNotYours(task=row.id, assignee=row.assignee)
    assignee = command.assignee.strip()
    if not assignee:
        raise Invalid("A task is delegated to somebody.", task=row.id)
    run.emit(e.UserTaskDelegated(**_ids(row), assignee=assignee, owner=row.owner or row.assignee))
    return {}


def resolve(run: Run, command: o.ResolveUserTask) -> dict[str, Any]:
    """Emit UserTaskResolved, VariableSet …; the owner has the task again.

    Raises:
        TaskNotFound, TaskClosed, InstanceEnded, Suspended.
        TaskNotYours: it is delegated to somebody else.
        Conflict: it is not delegated.
    """
    row = open_task(run, command.task)
    if row.delegation != PENDING:
        raise Conflict("The task is not delegated to anybody.", task=row.id)
    if command.by is not None and row.assignee != command.by:
        raise TaskNotYours(task=row.id, assignee=row.assignee)
    run.emit(e.UserTaskResolved(**_ids(row), assignee=row.owner))
    run.set_variables(run.token(row.token).scope, command.variables)
    return {}


def comment(run: Run, command: o.CommentUserTask) -> dict[str, Any]:
    """Emit UserTaskCommented, CommentWritten; also while the instance is suspended.

    Raises:
        TaskNotFound, TaskClosed, InstanceEnded.
        Invalid: no words, or more than 4,000 characters.
    """
    row = user_task(run, command.task)
    if row.status is not UserStatus.OPEN:
        raise TaskClosed(task=row.id, status=row.status.value)
    require_not_ended(run)
    message = command.message.strip()
    if not 1 <= len(message) <= _COMMENT_CHARACTERS:
        raise Invalid(f"A comment has 1 to {_COMMENT_CHARACTERS} characters.", task=row.id)
    made = run.new_id()
    run.emit(e.UserTaskCommented(**_ids(row), comment=made, author=command.actor))
    run.emit(e.CommentWritten(**_ids(row), comment=made, message=message))
    return {"comment_id": made}
