"""Events about tokens: the life cycle of semantics §2."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bpm.core.events.event import TokenEvent
from bpm.core.ids import Id


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCreated(TokenEvent):
    """A new token; `reason` says where from: start, fork, join, boundary, subprocess …."""

    scope: Id
    reason: str
    flow: str | None = None
    groups: Mapping[str, Id]
    parallel_group: Id | None = None
    mode: str = "forward"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenArrived(TokenEvent):
    """Placed at its node: Created or Completed to Ready. `phase` is `after` for the output of a join."""

    flow: str | None = None
    phase: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeExecutionStarted(TokenEvent):
    """A handler outside the transaction begins: Ready to Executing."""

    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCompleted(TokenEvent):
    """The node is done; the token moves on by `TokenArrived`, unless `final`: consumed by a fork or a join."""

    final: bool = False

    @property
    def ends_token(self) -> bool:
        """Whether a fork or a join consumed it."""
        return self.final


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBlocked(TokenEvent):
    """Ready or Executing to Waiting; `wait` is a `Wait`, `join` and `flow` are set at a join only."""

    wait: str
    join: Id | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenResumed(TokenEvent):
    """What it waited for has come: Waiting to Ready. `phase` is `after` when the node's work is done."""

    phase: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRecovered(TokenEvent):
    """Its job's lease ran out: Executing to Ready; the attempt counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenFailed(TokenEvent):
    """Cannot go on; an incident opens."""

    phase: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRetried(TokenEvent):
    """Failed to Ready."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSuspended(TokenEvent):
    """Its instance is suspended; it remembers where it came from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenActivated(TokenEvent):
    """Back to the remembered status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenTerminated(TokenEvent):
    """Ended: `reason` is `end`, or says what cancelled it."""

    reason: str

    @property
    def ends_token(self) -> bool:
        """Always."""
        return True
