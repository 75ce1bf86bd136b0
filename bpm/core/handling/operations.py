"""The commands of operators, one line each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from bpm.core import operations as o
from bpm.core.commands import Command, SetVariables
from bpm.core.handling import due_work, freezing, migrating, modifying, suspending, task_operations, variables
from bpm.core.run import Run

OPERATIONS: Final[dict[type[Command], Callable[[Run, Any], dict[str, Any]]]] = {
    o.SuspendInstance: suspending.suspend,
    o.ActivateInstance: suspending.activate,
    o.FreezeInstance: freezing.freeze,
    o.ModifyInstance: modifying.modify,
    o.MigrateInstance: migrating.migrate,
    SetVariables: variables.set_in_scope,
    o.RemoveVariables: variables.remove_from_scope,
    o.SetTaskVariables: variables.set_for_task,
    o.RemoveTaskVariables: variables.remove_from_task,
    o.SetActivityVariables: variables.set_for_activity,
    o.ThrowUserTaskError: task_operations.throw_task_error,
    o.ThrowUserTaskEscalation: task_operations.throw_task_escalation,
    o.UpdateUserTask: task_operations.update,
    o.DelegateUserTask: task_operations.delegate,
    o.ResolveUserTask: task_operations.resolve,
    o.CommentUserTask: task_operations.comment,
    o.SetJobRetries: due_work.set_job_retries,
    o.ChangeJob: due_work.change_job,
    o.RunJob: due_work.run_job,
    o.DeleteJob: due_work.delete_job,
    o.ChangeTimer: due_work.change_timer,
    o.FireTimer: due_work.fire_timer,
    o.DeleteTimer: due_work.delete_timer,
}
"""Command class to what it does; part of `HANDLERS`."""
