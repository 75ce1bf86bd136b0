"""Variables as a user task sees them (semantics §9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from bpm.core.errors import TaskNotFound
from bpm.core.layers import ACTIVITY
from bpm.core.values import from_text, is_hidden
from bpm.models import UserTask, Variable
from bpm.queries.identifier import read_id
from bpm.queries.visible import seen_user_tasks
from bpm.shell.surroundings import scopes_around


@dataclass(frozen=True, slots=True)
class TaskVariableRow:
    """One variable with its exact JSON value; `local`: it is the task's own."""

    name: str
    value: Any
    scope_id: str
    local: bool


def list_task_variables(
    task_id: str | UUID, *, tenant: str, local: bool = False
) -> tuple[TaskVariableRow, ...]:
    """Return what an open user task sees, by name; `local`: only its own. Three statements.

    Raises:
        TaskNotFound: there is no open one of this id in this tenant.
    """
    wanted = read_id(task_id, TaskNotFound, "task")
    if not seen_user_tasks(UserTask.objects.filter(id=wanted, tenant=tenant, status="OPEN")).exists():
        raise TaskNotFound(task=str(wanted))
    return variables_seen(wanted, local=local)


def variables_seen(task_id: UUID, *, local: bool = False) -> tuple[TaskVariableRow, ...]:
    """Return what an open user task sees that the caller has found already, by name. Two statements."""
    instance, around = scopes_around(str(task_id))
    depths = {row.id: depth for depth, row in enumerate(around)}
    own = around[0].id if around[0].kind == ACTIVITY else None
    found: dict[str, tuple[int, TaskVariableRow]] = {}
    rows = Variable.objects.filter(instance_id=UUID(instance), scope__in=depths).values_list(
        "scope", "name", "value"
    )
    for scope, name, value in rows:
        depth = depths[str(scope)]
        if is_hidden(name) or (local and str(scope) != own) or depth > found.get(name, (depth,))[0]:
            continue
        found[name] = (depth, TaskVariableRow(name, from_text(value), str(scope), str(scope) == own))
    return tuple(row for _, (_, row) in sorted(found.items()))
