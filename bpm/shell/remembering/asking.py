"""Commands whose decisions are remembered, without what is different each time: ids, and the values of users."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from bpm.core import commands as c
from bpm.core.handling.external_tasks import completion_fingerprint
from bpm.core.ids import Id
from bpm.core.values import Erased, to_text
from bpm.shell.remembering.shapes import Shaped

MAX_CHARACTERS: Final = 1_000
"""In the names of variables of a command whose decision is remembered: they stand in the question."""


class Asked(NamedTuple):
    """One command, told as what it has in common with others, and what it has not.

    Attributes:
        key: its class and everything that may decide something.
        texts: users' texts that decide nothing: JSON values, the business key.
        same: for each text the numbers of variables that have this name and value already: their rows do not change.
        fingerprint: of a worker's answer (semantics §5), else empty.
        lock_ms: how long it leases.
    """

    key: tuple[Any, ...]
    texts: tuple[str, ...] = ()
    same: tuple[tuple[int, ...], ...] = ()
    fingerprint: str = ""
    lock_ms: int | None = None


def _start(command: c.StartInstance, shaped: Shaped | None) -> Asked | None:
    # An instance that was there before, or whose id somebody else has made, is not blank.
    if (
        shaped is not None
        or command.instructions
        or command.parent_instance
        or command.parent_token
        or command.root
    ):
        return None
    own = () if command.business_key is None else (command.business_key,)
    variables = command.variables
    key = (
        c.StartInstance,
        command.actor,
        command.definition,
        command.tenant,
        command.node,
        command.trigger,
        len(own),
        *variables,
    )
    return Asked(key, own + _json(variables))


def _complete_user(command: c.CompleteUserTask, shaped: Shaped | None) -> Asked | None:
    return _complete(command, shaped, (command.user, command.groups))


def _complete_external(command: c.CompleteExternalTask, shaped: Shaped | None) -> Asked | None:
    found = _complete(command, shaped, (command.worker, command.lease))
    return None if found is None else found._replace(fingerprint=completion_fingerprint(command))


def _complete(
    command: c.CompleteUserTask | c.CompleteExternalTask, shaped: Shaped | None, who: tuple[Any, ...]
) -> Asked | None:
    at = _position(shaped, command.task)
    if shaped is None or at is None:
        return None
    texts, same = _results(command.variables, shaped)
    return Asked((type(command), command.actor, at, *who, *command.variables, same), texts, same)


def _results(variables: c.Variables, shaped: Shaped) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
    """Return `Asked.texts` and `Asked.same`."""
    if not variables:
        return (), ()
    texts = _json(variables)
    as_before, values = shaped.shape.as_before, shaped.values
    return texts, tuple([as_before(values, *one) for one in zip(variables, texts, strict=True)])


def _lock(command: c.LockExternalTasks, shaped: Shaped | None) -> Asked | None:
    places = tuple(_position(shaped, task) for task in command.tasks)
    key = (c.LockExternalTasks, command.actor, command.worker, command.lock_ms, places)
    return None if None in places else Asked(key, lock_ms=command.lock_ms)


def _position(shaped: Shaped | None, row: Id) -> int | None:
    return None if shaped is None else shaped.position(row)


def _json(variables: c.Variables) -> tuple[str, ...]:
    if not variables:
        return ()
    return tuple([str(one) if type(one) is Erased else to_text(one) for one in variables.values()])


_FORMS: Final[dict[type[c.Command], Callable[[Any, Shaped | None], Asked | None]]] = {
    c.StartInstance: _start,
    c.CompleteUserTask: _complete_user,
    c.CompleteExternalTask: _complete_external,
    c.LockExternalTasks: _lock,
}


def may_be_remembered(command: c.Command) -> bool:
    """Return whether decisions of such a command are remembered at all."""
    if type(command) not in _FORMS:
        return False
    return sum(map(len, getattr(command, "variables", ()))) <= MAX_CHARACTERS


def asked(command: c.Command, shaped: Shaped | None) -> Asked | None:
    """Return what a command that may be remembered asks of an instance; None where it is not, for this instance."""
    return _FORMS[type(command)](command, shaped)


def veiled(command: Any, shaped: Shaped | None, ids: Sequence[Id], texts: Sequence[str]) -> Any:
    """Return a command with placeholders for what `Asked` leaves out.

    Args:
        ids: those that stand for the instance's.
        texts: those that stand for `Asked.texts`, in order.
    """
    changes: dict[str, Any] = {}
    texts = list(texts)
    if getattr(command, "business_key", None) is not None:
        changes["business_key"] = texts.pop(0)
    variables = getattr(command, "variables", None)
    if variables:
        changes["variables"] = {name: Erased(text) for name, text in zip(variables, texts, strict=True)}
    if shaped is not None and isinstance(command, c.TaskCommand):
        changes["task"] = ids[shaped.values.index(command.task)]
    if shaped is not None and isinstance(command, c.LockExternalTasks):
        changes["tasks"] = tuple(ids[shaped.values.index(task)] for task in command.tasks)
    return replace(command, **changes)
