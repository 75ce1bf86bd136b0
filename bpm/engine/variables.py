"""Setting and removing variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bpm.core import commands as c
from bpm.core import errors
from bpm.core import operations as o
from bpm.core.commands import Command
from bpm.engine.answers import Answer, answer_once, checked, done, identifier, instance_answer, task_answer
from bpm.shell.execute import execute
from bpm.shell.finding import definition_of
from bpm.shell.idempotency import Idempotency
from bpm.shell.outcome import Done
from bpm.shell.requests import Request


def set_variables(
    instance_id: str,
    *,
    variables: Mapping[str, Any],
    scope: str | None = None,
    local: bool = False,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Set variables of an instance, or of one scope in it; also of a suspended one.

    Raises:
        InstanceNotFound, InstanceEnded, VariableInvalid.
        Invalid: the scope is not an active one of this instance.
        Suspended: a conditional event would be triggered.
    """
    instance, where = _place(instance_id, scope)
    command = c.SetVariables(scope=where, variables=checked(variables), local=local, actor=actor)
    return answer_once(key, tenant, lambda: instance_answer(_in_instance(instance, command, tenant)))


def _place(instance_id: str, scope: str | None) -> tuple[str, str]:
    instance = identifier(instance_id, errors.InstanceNotFound)
    try:
        return instance, identifier(scope) if scope is not None else instance
    except errors.TaskNotFound:
        raise errors.Invalid("A scope is named by its id.", scope=str(scope)[:100]) from None


def _in_instance(instance: str, command: Command, tenant: str) -> Done:
    """Carry out a command on a scope of this instance, or say which of the two is not there."""
    outcome = execute(Request(command, tenant, instance))
    if isinstance(outcome, errors.Invalid):
        definition_of(instance, tenant)
    return done(outcome)


def remove_variables(
    instance_id: str,
    *,
    names: Sequence[str],
    scope: str | None = None,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Remove variables of exactly one scope, the process's own without `scope`. Returns also `removed`.

    Raises: as `set_variables`.
    """
    instance, where = _place(instance_id, scope)
    command = o.RemoveVariables(scope=where, names=tuple(names), actor=actor)

    def produce() -> Answer:
        outcome = _in_instance(instance, command, tenant)
        return instance_answer(outcome) | {"removed": outcome.answer["removed"]}

    return answer_once(key, tenant, produce)


def set_task_variables(
    task_id: str,
    *,
    variables: Mapping[str, Any],
    local: bool = False,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Set variables as seen from an open user task, or `local` to it. Returns also `scope_id`, None unless local.

    Raises:
        TaskNotFound, TaskClosed, InstanceEnded, Suspended, VariableInvalid, Invalid.
    """
    command = o.SetTaskVariables(
        task=identifier(task_id), variables=checked(variables), local=local, actor=actor
    )

    def produce() -> Answer:
        outcome = done(execute(Request(command, tenant)))
        return task_answer(command.task, outcome) | {"scope_id": outcome.answer.get("scope")}

    return answer_once(key, tenant, produce)


def remove_task_variables(
    task_id: str,
    *,
    names: Sequence[str],
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Remove local variables of an open user task. Returns also `removed`. Raises: as `set_task_variables`."""
    command = o.RemoveTaskVariables(task=identifier(task_id), names=tuple(names), actor=actor)

    def produce() -> Answer:
        outcome = done(execute(Request(command, tenant)))
        return task_answer(command.task, outcome) | {"removed": outcome.answer["removed"]}

    return answer_once(key, tenant, produce)


def set_activity_variables(
    token_id: str,
    *,
    variables: Mapping[str, Any],
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Set variables local to the activity at which a token waits. Returns also `scope_id`.

    Raises:
        TokenNotFound, InstanceEnded, Suspended, VariableInvalid.
        Invalid: what the token waits at has no scope of its own and cannot get one.
    """
    token = identifier(token_id, errors.TokenNotFound)
    command = o.SetActivityVariables(token=token, variables=checked(variables), actor=actor)

    def produce() -> Answer:
        outcome = done(execute(Request(command, tenant)))
        return instance_answer(outcome) | {"scope_id": outcome.answer["scope"]}

    return answer_once(key, tenant, produce)
