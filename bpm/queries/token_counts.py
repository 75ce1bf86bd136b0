"""Where the live tokens of a version stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import Count

from bpm.models import ProcessInstance, Token
from bpm.queries.bounded import bounded_count
from bpm.queries.constant import constants
from bpm.queries.definitions import find_definition
from bpm.queries.visible import of_seen_processes

_INSTANCES: Final = 2_000


@dataclass(frozen=True, slots=True)
class NodeCount:
    """Live tokens at one node with one status."""

    node_id: str
    status: str
    number: int


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Counts per node; `partial`: they are of the newest 2,000 running instances only."""

    nodes: tuple[NodeCount, ...]
    partial: bool


def token_counts(definition_id: str | UUID, *, tenant: str) -> TokenCounts:
    """Return live tokens by node and status. Three statements.

    Raises:
        DefinitionNotFound: there is none of this id in this tenant.
    """
    definition = find_definition(definition_id, tenant=tenant)
    running = ProcessInstance.objects.filter(
        tenant=tenant, definition=definition.definition_id, definition_key=definition.process_def_id
    ).exclude(status__in=constants("COMPLETED", "CANCELLED"))
    running = of_seen_processes(running, "definition_key")
    if not (held := bounded_count(running, _INSTANCES)):
        return TokenCounts((), False)
    newest = running.order_by("-id").values("id")[:_INSTANCES]
    rows = Token.objects.filter(instance__in=newest, final=False)
    found = rows.order_by("node", "status").values_list("node", "status").annotate(number=Count("*"))
    return TokenCounts(tuple(NodeCount(*row) for row in found), held.more)
