"""Ending and starting at any place of a running instance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bpm.core import errors
from bpm.core import instructions as i
from bpm.core import operations as o
from bpm.engine.answers import Answer, answer_once, checked, identifier, instance_answer, later_or_now
from bpm.shell.idempotency import Idempotency
from bpm.shell.outcome import Done
from bpm.shell.preview import preview, tokens_told
from bpm.shell.requests import Request


def modify(
    instance_id: str,
    instructions: Sequence[i.Instruction],
    *,
    later: bool = False,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Carry instructions out in order, all of them or none. Returns also `started`: the tokens they have started.

    Args:
        later: as of `cancel`; what a job does has no `started`.

    Raises:
        InstanceNotFound, InstanceEnded, Suspended, TokenNotFound, VariableInvalid, Invalid.
        TooLarge: without `later`.
        Conflict: a token is named that has ended.
    """
    request = _request(instance_id, instructions, tenant, actor)

    def produce() -> Answer:
        outcome = later_or_now(request, later=later)
        if not isinstance(outcome, Done):
            return outcome
        return instance_answer(outcome) | {"started": outcome.answer["started"]}

    return answer_once(key, tenant, produce)


def preview_modification(
    instance_id: str, instructions: Sequence[i.Instruction], *, tenant: str = ""
) -> Answer:
    """Return what `modify` would answer, with `tokens` as they would stand; nothing is written.

    Raises: as `modify`.
    """
    outcome, state = preview(_request(instance_id, instructions, tenant, ""))
    return instance_answer(outcome) | {"tokens": tokens_told(state)}


def _request(instance_id: str, instructions: Sequence[i.Instruction], tenant: str, actor: str) -> Request:
    with errors.variables_at("instructions"):
        command = o.ModifyInstance(instructions=checked_instructions(instructions), actor=actor)
    return Request(command, tenant, identifier(instance_id, errors.InstanceNotFound))


def checked_instructions(instructions: Sequence[i.Instruction]) -> tuple[i.Instruction, ...]:
    """Return instructions with ids in their stored form.

    Raises:
        VariableInvalid: a variable cannot be stored.
        TokenNotFound: what names a token is no id.
        Invalid: what names a scope is no id.
    """
    return tuple(_checked(one, index) for index, one in enumerate(instructions))


def _checked(one: i.Instruction, index: int) -> i.Instruction:
    if isinstance(one, i.CancelToken):
        return replace(one, token=identifier(one.token, errors.TokenNotFound))
    if isinstance(one, i.CancelScope):
        return replace(one, scope=_scope(one.scope))
    if isinstance(one, i.StartInstruction):
        with errors.variables_at(index, "variables"):
            variables = checked(one.variables)
        with errors.variables_at(index, "local_variables"):
            local_variables = checked(one.local_variables)
        changes: dict[str, Any] = {
            "variables": variables,
            "local_variables": local_variables,
            "ancestor": _scope(one.ancestor) if one.ancestor is not None else None,
        }
        return replace(one, **changes)
    return one


def _scope(text: str) -> str:
    try:
        return identifier(text)
    except errors.NotFound:
        raise errors.Invalid("A scope is named by its id.", scope=text[:100]) from None
