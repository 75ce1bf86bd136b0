"""What else people do with their tasks: errors, escalations, changes, delegation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bpm.core import operations as o
from bpm.engine.answers import Answer, answer_once, checked, done, identifier, task_answer, task_command
from bpm.shell.execute import execute
from bpm.shell.idempotency import Idempotency
from bpm.shell.requests import Request


def throw_task_error(
    task_id: str,
    *,
    error_code: str,
    message: str = "",
    variables: Mapping[str, Any] | None = None,
    user: str | None = None,
    groups: frozenset[str] = frozenset(),
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """End a user task by a BPMN error; uncaught, its token fails. Who may is as for `complete_task`.

    Raises:
        TaskNotFound, TaskClosed, TaskNotYours, InstanceEnded, Suspended, VariableInvalid, Invalid.
    """
    command = o.ThrowUserTaskError(
        task=identifier(task_id),
        error_code=error_code,
        message=message,
        variables=checked(variables),
        user=user,
        groups=groups,
        actor=actor,
    )
    return task_command(command, tenant, key)


def throw_task_escalation(
    task_id: str,
    *,
    escalation_code: str,
    variables: Mapping[str, Any] | None = None,
    user: str | None = None,
    groups: frozenset[str] = frozenset(),
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Throw an escalation at a user task, which goes on unless that interrupts it.

    Raises:
        EscalationUncaught: nothing in the instance catches it; else as `throw_task_error`.
    """
    command = o.ThrowUserTaskEscalation(
        task=identifier(task_id),
        escalation_code=escalation_code,
        variables=checked(variables),
        user=user,
        groups=groups,
        actor=actor,
    )
    return task_command(command, tenant, key)


def update_task(
    task_id: str,
    *,
    changes: Mapping[str, Any],
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Change what an open user task says; see `bpm.core.operations.UpdateUserTask` for the names.

    Raises:
        TaskNotFound, TaskClosed, InstanceEnded, Suspended, Invalid.
    """
    command = o.UpdateUserTask(task=identifier(task_id), changes=changes, actor=actor)
    return task_command(command, tenant, key)


def delegate_task(
    task_id: str,
    *,
    assignee: str,
    by: str | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Let somebody else do a part of a task, as its assignee `by`, or with None whoever that is.

    Raises:
        TaskNotFound, TaskClosed, TaskNotYours, InstanceEnded, Suspended, Invalid.
    """
    command = o.DelegateUserTask(task=identifier(task_id), assignee=assignee, by=by, actor=actor)
    return task_command(command, tenant, key)


def resolve_task(
    task_id: str,
    *,
    variables: Mapping[str, Any] | None = None,
    by: str | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Give a delegated task back to its owner.

    Raises:
        Conflict: it is not delegated; else as `delegate_task`.
    """
    command = o.ResolveUserTask(task=identifier(task_id), variables=checked(variables), by=by, actor=actor)
    return task_command(command, tenant, key)


def comment_task(
    task_id: str, *, message: str, tenant: str = "", actor: str = "", key: Idempotency | None = None
) -> Answer:
    """Write something to an open user task, as `actor`; the answer has the `comment_id`.

    Raises:
        TaskNotFound, TaskClosed, InstanceEnded.
        Invalid: no words, or more than 4,000 characters.
        VariableInvalid: characters that cannot be stored.
    """
    checked({"message": message})
    command = o.CommentUserTask(task=identifier(task_id), message=message, actor=actor)

    def produce() -> Answer:
        outcome = done(execute(Request(command, tenant)))
        return task_answer(command.task, outcome) | {"comment_id": outcome.answer["comment_id"]}

    return answer_once(key, tenant, produce)
