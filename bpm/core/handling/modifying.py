"""Modifying an instance, and starting one that way (semantics §12)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from bpm.core import events as e
from bpm.core import instructions as i
from bpm.core import operations as o
from bpm.core.between import FailCall
from bpm.core.errors import Invalid
from bpm.core.handling.guards import require_alive
from bpm.core.ids import Id
from bpm.core.modification import cancelling, starting
from bpm.core.modification.emptied import remove_emptied
from bpm.core.run import Run

_CARRY_OUT: Final[dict[type[i.Instruction], Callable[[Run, Any], Id | None]]] = {
    i.CancelToken: cancelling.cancel_token,
    i.CancelAll: cancelling.cancel_all,
    i.CancelScope: cancelling.cancel_scope,
    i.StartBefore: starting.start_before,
    i.StartAfter: starting.start_after,
    i.StartAtFlow: starting.start_at_flow,
}


def modify(run: Run, command: o.ModifyInstance) -> dict[str, Any]:
    """Emit InstanceModified, then what the instructions do, in order; then remove what is empty. Answers `started`.

    Raises:
        InstanceEnded, Suspended, TokenNotFound, TooLarge.
        Invalid: no instruction, or one that cannot be carried out.
        Conflict: a token that has ended is named.
    """
    require_alive(run)
    run.state.require_everything("the instance is modified")
    started = carry_out(run, command.instructions)
    if not remove_emptied(run):
        _tell_caller(run)
    return {"started": started}


def carry_out(run: Run, instructions: Sequence[i.Instruction]) -> list[Id]:
    """Carry instructions out in order; return the tokens that they have started."""
    if not instructions:
        raise Invalid("A modification has at least one instruction.")
    run.emit(e.InstanceModified(instructions=tuple(i.described(one) for one in instructions)))
    done = [_CARRY_OUT[type(one)](run, one) for one in instructions]
    return [token for token in done if token is not None]


def _tell_caller(run: Run) -> None:
    instance = run.state.instance
    if instance.parent_instance is not None:
        content = FailCall(
            token=instance.parent_token or "",
            called=instance.id,
            kind="CallCancelled",
            message="The called instance was cancelled by a modification that left nothing in it.",
        )
        run.send(instance.parent_instance, content)
