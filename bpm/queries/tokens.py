"""Live tokens of an instance."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from bpm.models import Token

MAX_TOKENS: Final = 1_000
_FIELDS = ("id", "node", "status", "wait", "scope", "parallel_group", "flow", "join", "attempt", "created_at")


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One live token.

    Attributes:
        wait: what it waits for (`user`, `external`, `timer`, `join` …); empty unless it is Waiting.
        flow_id: sequence flow by which it came.
        join_id: join state at which it waits.
    """

    token_id: UUID
    node_id: str
    status: str
    wait: str
    scope_id: UUID
    parallel_group: UUID | None
    flow_id: str | None
    join_id: UUID | None
    attempt: int
    created_at: datetime


def live_tokens(instance: UUID) -> tuple[TokenRow, ...]:
    """Return the oldest 1,000 live tokens. One statement; the caller has checked the tenant."""
    rows = Token.objects.filter(instance_id=instance, final=False).order_by("id")
    return tuple(TokenRow(*row) for row in rows.values_list(*_FIELDS)[:MAX_TOKENS])


def live_nodes(instance: UUID) -> tuple[str, ...]:
    """Return the nodes with a live token, in alphabetical order. One statement; the tenant is checked."""
    rows = Token.objects.filter(instance_id=instance, final=False)
    return tuple(rows.order_by("node").values_list("node", flat=True).distinct())
