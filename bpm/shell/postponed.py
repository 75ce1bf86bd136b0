"""Commands too large for their caller's transaction: a loop does them in one of its own (semantics §4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from django.db import transaction

from bpm.core import between as b
from bpm.core import commands as c
from bpm.core import instructions as i
from bpm.core import operations as o
from bpm.core.errors import TooLarge
from bpm.core.values import from_text, to_text
from bpm.shell.database_clock import database_now
from bpm.shell.execute import execute
from bpm.shell.outcome import Outcome
from bpm.shell.outgoing import outbox_values
from bpm.shell.requests import Request
from bpm.shell.sql import dialect
from bpm.shell.sql.document import OUTBOX, Document, Guard
from bpm.shell.violations import translated

_COMMANDS: Final[Mapping[str, type[c.Command]]] = {
    cls.__name__: cls for cls in (c.CancelInstance, o.SuspendInstance, o.ActivateInstance, o.ModifyInstance)
}
_INSTRUCTIONS: Final[Mapping[str, type[i.Instruction]]] = {
    cls.__name__: cls
    for cls in (i.CancelToken, i.CancelAll, i.CancelScope, i.StartBefore, i.StartAfter, i.StartAtFlow)
}


def execute_or_postpone(request: Request) -> Outcome | None:
    """Carry one of those commands out, or have a loop do it where it is too large; None means the latter.

    The row of the outbox is written with the caller's transaction, if there is one. An operation that has become
    impossible until it is its turn is tried five times; then it is an incident of the instance.

    Statements: those of the command; two more where it is too large.
    """
    outcome = execute(request)
    if not isinstance(outcome, TooLarge):
        return outcome
    assert request.instance is not None, "these commands name their instance"
    command = request.command
    cls = b.DoLater if isinstance(command, o.ModifyInstance) else b.DoLaterAnyway
    content = cls(name=type(command).__name__, fields=to_text(_written(command)), by=command.actor)
    document = Document()
    with translated(), transaction.atomic():
        sent = b.Outgoing(request.instance, content)
        row = outbox_values(request.tenant or "", request.instance, sent, database_now(), at_once=True)
        document.rows[OUTBOX].append(row)
        dialect().write(document, guard=Guard.LOCKED)
    return None


def postponed_command(content: b.DoLater) -> c.Command:
    """Return the command that was postponed."""
    values: dict[str, Any] = from_text(content.fields)
    if "instructions" in values:
        values["instructions"] = tuple(
            _INSTRUCTIONS[name](**members) for name, members in values["instructions"]
        )
    return _COMMANDS[content.name](**values, actor=content.by)


def _written(command: c.Command) -> dict[str, Any]:
    found = {one.name: getattr(command, one.name) for one in fields(command) if one.name != "actor"}
    if isinstance(command, o.ModifyInstance):
        found["instructions"] = [[type(one).__name__, _members(one)] for one in command.instructions]
    return found


def _members(instruction: i.Instruction) -> dict[str, Any]:
    return {one.name: getattr(instruction, one.name) for one in fields(instruction)}
