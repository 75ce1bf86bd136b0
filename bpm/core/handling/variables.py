"""Setting and removing variables from outside (semantics §9, §12).

A suspended instance takes them too, unless that would trigger a conditional event.
"""

from __future__ import annotations

from typing import Any

from bpm.core import commands as c
from bpm.core import operations as o
from bpm.core.errors import Invalid, TaskClosed, TokenNotFound
from bpm.core.handling.guards import require_alive, require_not_ended, user_task
from bpm.core.ids import Id
from bpm.core.layers import ACTIVITY, layer_of
from bpm.core.localizing import local_scope
from bpm.core.rows import Scope, ScopeStatus, UserStatus
from bpm.core.run import Run
from bpm.core.token import Token


def _active_scope(run: Run, scope: Id) -> Scope:
    require_not_ended(run)
    row = run.state.scopes.get(scope)
    if row is None or row.status is not ScopeStatus.ACTIVE:
        raise Invalid("There is no such active scope in this instance.", scope=scope)
    return row


def set_in_scope(run: Run, command: c.SetVariables) -> dict[str, Any]:
    """Emit VariableSet for each.

    Raises:
        InstanceEnded.
        Invalid: the scope is not an active one of this instance.
        Suspended: a conditional event would be triggered.
    """
    scope = _active_scope(run, command.scope)
    run.set_variables(scope.id, command.variables, local=command.local)
    return {}


def remove_from_scope(run: Run, command: o.RemoveVariables) -> dict[str, Any]:
    """Emit VariableRemoved for each that is there. Answers `removed`. Raises: as `set_in_scope`."""
    return _remove(run, _active_scope(run, command.scope).id, command.names)


def _remove(run: Run, scope: Id, names: tuple[str, ...]) -> dict[str, Any]:
    removed = [name for name in dict.fromkeys(names) if run.state.variable(scope, name) is not None]
    for name in removed:
        run.remove_variable(scope, name)
    return {"removed": removed}


def _task_token(run: Run, task: Id) -> Token:
    row = user_task(run, task)
    if row.status is not UserStatus.OPEN:
        raise TaskClosed(task=task, status=row.status.value)
    return run.token(row.token)


def set_for_task(run: Run, command: o.SetTaskVariables) -> dict[str, Any]:
    """Emit VariableSet for each. Local ones stand in the task's own scope, trigger nothing, and vanish with it.

    Raises:
        TaskNotFound, TaskClosed, InstanceEnded.
        Suspended: as `set_in_scope`; the task has no scope of its own yet.
    """
    token = _task_token(run, command.task)
    require_not_ended(run)
    if not command.local:
        run.set_variables(token.scope, command.variables)
        return {}
    scope = _own_scope(run, token)
    before = len(run.changed)
    run.set_variables(scope, command.variables, local=True)
    del run.changed[before:]
    return {"scope": scope}


def _own_scope(run: Run, token: Token) -> Id:
    if layer_of(run, run.graph.nodes[token.node], token) != ACTIVITY:
        require_alive(run)
    return local_scope(run, token)


def remove_from_task(run: Run, command: o.RemoveTaskVariables) -> dict[str, Any]:
    """Emit VariableRemoved for each local variable that is there. Answers `removed`. Raises: as `set_for_task`."""
    token = _task_token(run, command.task)
    require_not_ended(run)
    if layer_of(run, run.graph.nodes[token.node], token) != ACTIVITY:
        return {"removed": []}
    before = len(run.changed)
    answer = _remove(run, token.scope, command.names)
    del run.changed[before:]
    return answer


def set_for_activity(run: Run, command: o.SetActivityVariables) -> dict[str, Any]:
    """Emit VariableSet for each, in the activity's own scope. Answers `scope`.

    Raises:
        TokenNotFound, InstanceEnded, Suspended.
        Invalid: what the token waits at has no scope of its own and cannot get one.
    """
    token = run.state.tokens.get(command.token)
    if token is None or token.final:
        raise TokenNotFound(token=command.token)
    require_not_ended(run)
    scope = _own_scope(run, token)
    run.set_variables(scope, command.variables, local=True)
    return {"scope": scope}
