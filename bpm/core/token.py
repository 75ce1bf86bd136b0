"""The token: the right to execute plus a position, and its life cycle (semantics §2)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, NamedTuple

from bpm.core.errors import TokenInvalidTransition
from bpm.core.ids import Id


class TokenStatus(StrEnum):
    """Where a token is in its life (semantics §2)."""

    CREATED = "Created"
    READY = "Ready"
    EXECUTING = "Executing"
    WAITING = "Waiting"
    SUSPENDED = "Suspended"
    COMPLETED = "Completed"
    FAILED = "Failed"
    TERMINATED = "Terminated"


_S = TokenStatus

TRANSITIONS: Final[Mapping[TokenStatus, frozenset[TokenStatus]]] = {
    _S.CREATED: frozenset({_S.READY, _S.TERMINATED}),
    _S.READY: frozenset({_S.EXECUTING, _S.WAITING, _S.COMPLETED, _S.FAILED, _S.SUSPENDED, _S.TERMINATED}),
    _S.EXECUTING: frozenset({_S.COMPLETED, _S.WAITING, _S.READY, _S.FAILED, _S.TERMINATED}),
    _S.WAITING: frozenset({_S.READY, _S.COMPLETED, _S.FAILED, _S.SUSPENDED, _S.TERMINATED}),
    _S.COMPLETED: frozenset({_S.READY}),
    _S.FAILED: frozenset({_S.READY, _S.SUSPENDED, _S.TERMINATED}),
    _S.SUSPENDED: frozenset({_S.READY, _S.WAITING, _S.FAILED, _S.TERMINATED}),
    _S.TERMINATED: frozenset(),
}
"""Status to the statuses it may change to; anything else is `TokenInvalidTransition`."""


class Wait(StrEnum):
    """What a waiting token waits for."""

    NONE = ""
    USER = "user"
    EXTERNAL = "external"
    TIMER = "timer"
    JOIN = "join"
    SCOPE = "scope"
    CALL = "call"
    BACKOFF = "backoff"
    MESSAGE = "message"
    SIGNAL = "signal"
    CONDITION = "condition"
    EVENTS = "events"
    COMPENSATION = "compensation"
    PROPAGATION = "propagation"


PASSIVE: Final = frozenset({Wait.JOIN, Wait.SCOPE, Wait.COMPENSATION})
"""Waits that end only when another token of the instance moves: they do not keep an instance from being FAILED."""


class Token(NamedTuple):
    """One token.

    Attributes:
        groups: fork node to the parallel group in which this token passed it; never mutated.
        called: the instance that a call activity has called and not heard from yet.
    """

    id: Id
    scope: Id
    node: str
    status: TokenStatus
    wait: Wait
    final: bool
    flow: str | None
    groups: Mapping[str, Id]
    parallel_group: Id | None
    join: Id | None
    mode: str
    attempt: int
    phase: str
    resumes_as: str | None
    created_at: datetime
    called: Id | None = None

    @property
    def live(self) -> bool:
        """Whether the token can still move: every status but Terminated and final Completed."""
        return not self.final

    @property
    def passive(self) -> bool:
        """Whether the token waits for other tokens of its instance only."""
        return self.status is TokenStatus.WAITING and self.wait in PASSIVE

    def transition(self, to: TokenStatus, **changes: Any) -> Token:
        """Return the token in its new status, with other changes that come with it.

        Raises:
            TokenInvalidTransition: the table has no such change, or the token is final.
        """
        if self.final or to not in TRANSITIONS[self.status]:
            raise TokenInvalidTransition(token=self.id, node=self.node, status=self.status.value, to=to.value)
        values: list[Any] = list(self)
        values[_PLACES["status"]] = to
        for name, value in changes.items():
            values[_PLACES[name]] = value
        return Token._make(values)


_PLACES: Final[Mapping[str, int]] = {name: place for place, name in enumerate(Token._fields)}
