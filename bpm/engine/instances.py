"""Starting, cancelling and changing instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bpm.core import commands as c
from bpm.core import errors
from bpm.core.errors import EngineError
from bpm.core.instructions import Instruction
from bpm.engine.answers import (
    Answer,
    answer_once,
    checked,
    done,
    identifier,
    instance_answer,
    operation_answer,
)
from bpm.engine.modification import checked_instructions
from bpm.shell.execute import execute, execute_many
from bpm.shell.idempotency import Idempotency
from bpm.shell.outcome import Done
from bpm.shell.requests import Request
from bpm.shell.starts import Start


def start(
    process: str,
    *,
    version: int | None = None,
    business_key: str | None = None,
    variables: Mapping[str, Any] | None = None,
    instructions: Sequence[Instruction] = (),
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Start an instance of the latest version of a key, of a version, or of a definition by id.

    Args:
        instructions: where it begins, instead of at its none start event (`StartBefore`, `StartAfter`, `StartAtFlow`).

    Returns:
        `instance_id status definition_id process_def_id version business_key continuing`.

    Raises:
        DefinitionNotFound, NotStartable, VariableInvalid.
        Invalid: an instruction cannot be carried out.
    """
    with errors.variables_at("start_instructions"):
        begun = checked_instructions(instructions)
    one = Start(
        process=process,
        version=version,
        tenant=tenant,
        business_key=business_key,
        variables=checked(variables),
        instructions=begun,
        actor=actor,
    )
    return answer_once(key, tenant, lambda: instance_answer(done(execute(one))))


def start_many(starts: Sequence[Start]) -> list[Answer | EngineError]:
    """Start instances in one transaction; one outcome each, in order."""
    for one in starts:
        checked(one.variables)
    return [instance_answer(one) if isinstance(one, Done) else one for one in execute_many(starts)]


def cancel(
    instance_id: str,
    *,
    reason: str = "",
    later: bool = False,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """End an instance with all that is in it.

    Args:
        later: where that is more than 50,000 rows (`BPM["MAX_ROWS_AT_ONCE"]`), a job does it, in one transaction; the
            answer then says `postponed`.

    Raises:
        InstanceNotFound, InstanceEnded.
        TooLarge: without `later`.
    """
    command = c.CancelInstance(reason=reason, actor=actor)
    request = Request(command, tenant, identifier(instance_id, errors.InstanceNotFound))
    return answer_once(key, tenant, lambda: operation_answer(request, later=later))
