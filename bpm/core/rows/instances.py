"""Rows of the instance's scopes, variables and joins."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from bpm.core.ids import Id


class InstanceStatus(StrEnum):
    """Status of an instance; the last two are ends (semantics §1)."""

    RUNNING = "RUNNING"
    SUSPENDED = "SUSPENDED"
    FAILED = "FAILED"
    COMPLETED = "COMPLETED"
    CANCELLED = "CANCELLED"


ENDED = frozenset({InstanceStatus.COMPLETED, InstanceStatus.CANCELLED})


class ScopeStatus(StrEnum):
    """Status of a scope."""

    ACTIVE = "ACTIVE"
    COMPLETED = "COMPLETED"
    TERMINATED = "TERMINATED"


class Scope(NamedTuple):
    """The process itself or an entered subprocess. The root scope has the instance's id.

    Attributes:
        live_tokens: tokens of this scope that are not final.
        live_scopes: active scopes directly inside.
        open_joins: join node to its number of open join states; only nodes with at least one.
        begun: instances that a loop's body, or activities that a sequential ad-hoc subprocess has begun.
        compensable: completed activities of this scope that can be compensated; counted while it is active.
        closing: why nothing new begins here by itself: `condition` or `interrupted` (an ad-hoc subprocess), `saga`
            (what was done is being compensated), `sagaFailed` (likewise, but a handler has failed); else empty.
        cause: kind of the failure that made it close.
    """

    id: Id
    parent: Id | None
    node: str
    kind: str
    outer_token: Id | None
    status: ScopeStatus
    live_tokens: int
    live_scopes: int
    open_joins: Mapping[str, int]
    begun: int
    started_at: datetime
    ended_at: datetime | None
    compensable: int = 0
    closing: str = ""
    cause: str = ""


class Variable(NamedTuple):
    """One variable; `value` is canonical JSON text."""

    scope: Id
    name: str
    value: str


class JoinStatus(StrEnum):
    """Status of a join state; only OPEN is live."""

    OPEN = "OPEN"
    FIRED = "FIRED"
    CLOSED = "CLOSED"


class JoinState(NamedTuple):
    """One waiting convergence of one parallel group at one join (semantics §3).

    Attributes:
        kind: `parallel`, `inclusive`, `complex` (waits for its activation), `reset` (a complex gateway that was
            activated), `quantity` (an activity that starts with several tokens).
        expected: number of incoming flows; of tokens where kind is `quantity`.
        arrived: number of incoming flows that hold at least one token; of tokens where kind is `quantity`.
        generation: 1, 2 … per (scope, node, group).
        flows: incoming flows that a gateway to be reset still waits for; empty otherwise.
    """

    id: Id
    scope: Id
    node: str
    group: Id
    kind: str
    generation: int
    expected: int
    arrived: int
    status: JoinStatus
    opened_at: datetime
    closed_at: datetime | None
    flows: tuple[str, ...] = ()
