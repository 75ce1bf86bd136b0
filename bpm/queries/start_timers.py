"""When a version starts by itself next (semantics §6, §12)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from bpm.models import Timer
from bpm.queries.constant import Constant

MAX_TIMERS = 100


@dataclass(frozen=True, slots=True)
class StartTimerRow:
    """The next firing of one timer start; `number`: 0 for the first of its series."""

    node_id: str
    due_at: datetime
    expression: str
    number: int


def start_timers(definition: UUID) -> tuple[StartTimerRow, ...]:
    """Return the next firings, the soonest first. One statement; the caller has found the version in its tenant."""
    rows = Timer.objects.filter(definition=definition, status=Constant("SCHEDULED")).order_by("due_at", "id")
    return tuple(
        StartTimerRow(*row) for row in rows.values_list("node", "due_at", "expression", "number")[:MAX_TIMERS]
    )
