"""What instances send each other: commands for another one, and what has to find its receivers (semantics §4, §11).

Each becomes a row of the outbox in the transaction that caused it. The payload of a row is the fields of the class, so
they are JSON values, ids as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from bpm.core.commands import Command
from bpm.core.ids import Id

Hop = tuple[Id, Id]
"""An instance and one of its tokens, on the way of an error or escalation from where it was thrown to a caller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCommand(Command):
    """A command about one call: the calling token, and the instance it has called."""

    token: Id
    called: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class CompleteCall(CallCommand):
    """The called instance has completed.

    Attributes:
        variables: those of the called process; read when this is delivered.
    """

    variables: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailCall(CallCommand):
    """The called instance could not be started, or was cancelled by a command."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferFault(CallCommand):
    """An error or escalation that the called instance does not catch.

    Attributes:
        fault: `error` or `escalation`.
        path: from where it was thrown to the called instance.
    """

    fault: str
    code: str
    message: str
    path: tuple[Hop, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFault(Command):
    """What became of an error or escalation that was offered: it is caught beside the call, or nowhere.

    Attributes:
        token: the one that threw.
    """

    token: Id
    fault: str
    code: str
    message: str
    caught: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EndByFault(Command):
    """A caller catches it and is interrupted by it: the called instance ends.

    Attributes:
        token: of this instance: the one that threw, or the one that has called on the path.
        path: what is left of it, inwards.
        back: hops outwards, to the one that catches first.
    """

    token: Id
    fault: str
    code: str
    message: str
    path: tuple[Hop, ...]
    back: tuple[Hop, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishFault(CallCommand):
    """The called instance has ended by an error or escalation: its caller catches it, or ends by it too.

    Attributes:
        back: hops further outwards, to the one that catches first; empty where this instance catches.
        variables: those of the called process; read when this is delivered.
    """

    fault: str
    code: str
    message: str
    back: tuple[Hop, ...] = ()
    variables: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteDropped(Command):
    """What this instance sent came too late."""

    command: str
    target: Id | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteUndeliverable(Command):
    """What this instance sent failed again and again: a human must look."""

    command: str
    target: Id | None
    token: Id | None
    error: str


# what has no instance yet


@dataclass(frozen=True, slots=True, kw_only=True)
class CallProcess:
    """Start the called instance, whose id is the target's.

    Attributes:
        process: key of the process.
        binding: `latest`, `version`, `versionTag` or `deployment` (the caller's).
        version: number or tag, where the binding needs one.
        caller: definition of the caller.
    """

    process: str
    binding: str
    version: str | None
    caller: Id
    tenant: str
    business_key: str | None
    variables: Mapping[str, Any]
    parent_instance: Id
    parent_token: Id
    root: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class SendMessage:
    """A message thrown by a process. `key` is canonical JSON of its correlation key, `null` without one."""

    name: str
    key: str
    variables: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StartBySignal:
    """Start a process at its signal start event; `subscription` is the definition's."""

    subscription: Id
    variables: Mapping[str, Any] = field(default_factory=dict)
    actor: str = "engine"


@dataclass(frozen=True, slots=True, kw_only=True)
class DoLater:
    """A command too large for its caller's transaction, done in one of its own whatever its size.

    Attributes:
        name: of the command's class.
        fields: what the command says, as JSON text.
        by: who asked for it; stands on its events.
    """

    name: str
    fields: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DoLaterAnyway(DoLater):
    """One that a suspended instance carries out too."""


Sendable = CallProcess | SendMessage | StartBySignal | DoLater | Command


class Outgoing(NamedTuple):
    """One thing sent. `target` is None for what has to find its receiver."""

    target: Id | None
    content: Sendable


class Broadcast(NamedTuple):
    """A signal for every other instance that waits for it at this moment, and for signal starts."""

    name: str
    variables: Mapping[str, Any] = {}


PASSING: Final = frozenset({"CancelInstance", "SuspendInstance", "ActivateInstance", "DoLaterAnyway"})
"""Commands that a suspended instance gets at once, before what waits for its activation."""
