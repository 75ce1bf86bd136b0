"""What the functions of the front door share: checking what comes in, shaping what goes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bpm.core import commands as c
from bpm.core import errors
from bpm.core.errors import EngineError, NotFound
from bpm.core.ids import is_id
from bpm.core.values import check_variables
from bpm.shell.configuration import setting
from bpm.shell.execute import execute
from bpm.shell.finding import instance_now
from bpm.shell.idempotency import Idempotency, once
from bpm.shell.outcome import Done, Outcome
from bpm.shell.postponed import execute_or_postpone
from bpm.shell.requests import Request

Answer = dict[str, Any]


def answer_once(key: Idempotency | None, tenant: str, produce: Callable[[], Answer]) -> Answer:
    """Return what `produce` answers, or under a used key the first answer."""
    answer: Answer = once(key, tenant, produce)
    return answer


def task_command(command: c.TaskCommand, tenant: str, key: Idempotency | None) -> Answer:
    """Carry out a command about one task."""
    request = Request(command, tenant)
    return answer_once(key, tenant, lambda: task_answer(command.task, done(execute(request))))


def task_answer(task_id: str, done: Done) -> Answer:
    """Return the answer about a task."""
    return {"task_id": task_id, **instance_answer(done)}


def instance_answer(done: Done) -> Answer:
    """Return what every answer says of the instance, and of a start the version."""
    version = {} if done.version is None else {"version": done.version}
    return {
        "instance_id": done.instance_id,
        "status": done.status,
        "definition_id": done.definition_id,
        "process_def_id": done.process_def_id,
        "business_key": done.business_key,
        "continuing": done.continuing,
        **version,
    }


def done(outcome: Outcome) -> Done:
    """Return what was done, or raise the refusal."""
    if isinstance(outcome, EngineError):
        raise outcome
    return outcome


def later_or_now(request: Request, *, later: bool) -> Answer | Done:
    """Carry out an operation on a whole instance; with `later` a job does what is too large for one command.

    Returns:
        What was done, or the answer that a job will do it: the instance as it is now, and `postponed`.

    Raises: the refusal.
    """
    if not later:
        return done(execute(request))
    outcome = execute_or_postpone(request)
    if outcome is not None:
        return done(outcome)
    assert request.instance is not None, "the operation names its instance"
    return instance_now(request.instance) | {"continuing": True, "postponed": True}


def operation_answer(request: Request, *, later: bool) -> Answer:
    """Return the answer to such an operation."""
    outcome = later_or_now(request, later=later)
    return instance_answer(outcome) if isinstance(outcome, Done) else outcome


def checked(variables: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return variables that can be stored. Raises: VariableInvalid."""
    if not variables:
        return {}
    return check_variables(dict(variables or {}), max_bytes=setting("MAX_VARIABLE_BYTES"))


def identifier(text: str, missing: type[NotFound] = errors.TaskNotFound) -> str:
    """Return an id in its stored form. Raises: NotFound (the class given) for text that is none."""
    if not is_id(text):
        raise missing(id=str(text)[:100])
    return text.lower()
