"""Active scopes of an instance (semantics §4)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from bpm.models import Scope
from bpm.queries.constant import Constant
from bpm.queries.instances import find_instance

MAX_SCOPES = 10_000
_FIELDS = ("id", "parent", "node", "kind", "outer_token", "live_tokens", "live_scopes", "started_at")


@dataclass(frozen=True, slots=True)
class ScopeRow:
    """One active scope.

    Attributes:
        kind: `process`, `subprocess`, `activity`, `multiInstance`, `loop`, `eventSubprocess` ….
        outer_token_id: the token that waits for it; None for the process and what runs beside other tokens.
    """

    scope_id: UUID
    parent_id: UUID | None
    node_id: str
    kind: str
    outer_token_id: UUID | None
    live_tokens: int
    live_scopes: int
    started_at: datetime


def list_scopes(instance_id: str | UUID, *, tenant: str) -> tuple[ScopeRow, ...]:
    """Return the active scopes, oldest first, at most 10,000. Two statements.

    Raises:
        InstanceNotFound: there is none of this id in this tenant.
    """
    instance = find_instance(instance_id, tenant=tenant).instance_id
    rows = Scope.objects.filter(instance_id=instance, status=Constant("ACTIVE")).order_by("id")
    return tuple(ScopeRow(*row) for row in rows.values_list(*_FIELDS)[:MAX_SCOPES])
