"""The history of an instance in a short form, from which pages draw time lines and replay the tokens.

Long histories are read in pieces and grow at their end: whoever has read up to a sequence asks for what came after it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from bpm.core.token import TokenStatus
from bpm.models import HistoryEvent
from bpm.queries.instances import find_instance

PIECE: Final = 2_500
"""Events of one piece at most."""
BECOMES: Final = {
    "TokenCreated": TokenStatus.CREATED,
    "TokenArrived": TokenStatus.READY,
    "NodeExecutionStarted": TokenStatus.EXECUTING,
    "TokenCompleted": TokenStatus.COMPLETED,
    "TokenBlocked": TokenStatus.WAITING,
    "TokenResumed": TokenStatus.READY,
    "TokenRecovered": TokenStatus.READY,
    "TokenFailed": TokenStatus.FAILED,
    "TokenRetried": TokenStatus.READY,
    "TokenSuspended": TokenStatus.SUSPENDED,
    "TokenTerminated": TokenStatus.TERMINATED,
}
"""What a token is after an event; after `TokenActivated` it is what it was before it was suspended."""
_SHOWN: Final = frozenset(
    {
        "arrived", "attempt", "called", "crashes", "due_at", "expected", "expires_at", "flow", "generation", "join",
        "kind", "lease", "name", "nodes", "outcome", "parent", "reason", "retries", "scope", "task", "timer", "topic",
        "wait", "worker",
    }
)  # fmt: skip
_FIELDS: Final = ("sequence", "event_type", "category", "occurred_at", "token", "node", "final", "payload")
_MAX_TEXT: Final = 200


@dataclass(frozen=True, slots=True)
class TimelineStep:
    """One event.

    Attributes:
        status: what its token is after it; empty where it stays, `restored` where it gets the remembered one back.
        details: those of its fields that a time line shows; never values of variables or texts of errors.
    """

    sequence: int
    event_type: str
    category: str
    occurred_at: datetime
    token_id: UUID | None
    node_id: str | None
    status: str
    final: bool
    details: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Timeline:
    """One piece.

    Attributes:
        status: of the instance, read before the events.
        more: whether there were further events at once.
    """

    instance_id: UUID
    status: str
    started_at: datetime
    steps: tuple[TimelineStep, ...]
    more: bool


def timeline(instance_id: str | UUID, *, tenant: str, after: int = -1, limit: int = PIECE) -> Timeline:
    """Return the events after a sequence, at most `limit`. Two statements.

    Raises:
        InstanceNotFound: there is none of this id in this tenant.
    """
    instance = find_instance(instance_id, tenant=tenant)
    rows = HistoryEvent.objects.filter(instance_id=instance.instance_id, sequence__gt=min(after, 2**31 - 1))
    found = list(rows.order_by("sequence").values_list(*_FIELDS)[: limit + 1])
    steps = tuple(_step(row) for row in found[:limit])
    return Timeline(instance.instance_id, instance.status, instance.started_at, steps, len(found) > limit)


def _step(row: tuple[Any, ...]) -> TimelineStep:
    *first, payload = row
    sequence, event_type, category, occurred_at, token, node, final = first
    status = "restored" if event_type == "TokenActivated" else str(BECOMES.get(event_type, ""))
    return TimelineStep(
        sequence, event_type, category, occurred_at, token, node, status, final, _details(category, payload)
    )


def _details(category: str, payload: str) -> dict[str, Any]:
    # An erased payload is empty; what variables hold belongs to the snapshots.
    if not payload or category == "variable":
        return {}
    # Nothing that is shown has digits which a float could lose.
    fields = json.loads(payload)
    if not isinstance(fields, dict):
        return {}
    return {
        name: _short(value)
        for name, value in fields.items()
        if name in _SHOWN and value not in (None, "", {}, [])
    }


def _short(value: Any) -> Any:
    return value[:_MAX_TEXT] if isinstance(value, str) else value
