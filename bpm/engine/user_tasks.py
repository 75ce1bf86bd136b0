"""What people do with their tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bpm.core import commands as c
from bpm.engine.answers import Answer, checked, identifier, task_command
from bpm.shell.idempotency import Idempotency


def complete_task(
    task_id: str,
    *,
    variables: Mapping[str, Any] | None = None,
    user: str | None = None,
    groups: frozenset[str] = frozenset(),
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Complete a user task, as `user` (assignee or, unassigned, candidate) or, with None, whoever it is.

    Raises:
        TaskNotFound, TaskClosed, TaskDelegated, TaskNotYours, InstanceEnded, Suspended, VariableInvalid.
    """
    command = c.CompleteUserTask(
        task=identifier(task_id), variables=checked(variables), user=user, groups=groups, actor=actor
    )
    return task_command(command, tenant, key)


def claim_task(
    task_id: str,
    *,
    user: str,
    groups: frozenset[str] = frozenset(),
    check: bool = True,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Take a user task. Raises: TaskNotFound, TaskClosed, TaskNotYours, InstanceEnded, Suspended."""
    command = c.ClaimUserTask(task=identifier(task_id), user=user, groups=groups, check=check, actor=actor)
    return task_command(command, tenant, key)


def unclaim_task(
    task_id: str,
    *,
    user: str | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Give a user task back. Raises: TaskNotFound, TaskClosed, TaskNotYours, InstanceEnded, Suspended."""
    return task_command(c.UnclaimUserTask(task=identifier(task_id), user=user, actor=actor), tenant, key)


def assign_task(
    task_id: str,
    *,
    assignee: str | None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Give a user task to somebody, or with None or blank text to nobody.

    Raises:
        TaskNotFound, TaskClosed, InstanceEnded, Suspended.
    """
    return task_command(
        c.AssignUserTask(task=identifier(task_id), assignee=assignee, actor=actor), tenant, key
    )
