"""Joins that wait: which flows have come, and which are missing (semantics §3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from bpm.core.ids import NIL
from bpm.models import ParallelJoinState, Token
from bpm.queries.constant import Constant
from bpm.shell.definitions import graph_of

_FIELDS = ("id", "node", "kind", "scope", "group", "generation", "arrived", "expected", "opened_at")


@dataclass(frozen=True, slots=True)
class JoinRow:
    """One open join state.

    Attributes:
        kind: `parallel`, `inclusive` or `complex`.
        group: parallel group it is bound to; None where it has none.
        arrived, expected: incoming flows that hold a token, and all incoming flows.
        missing: incoming flows that hold none, in document order.
        since: when its first token came.
    """

    join_id: UUID
    node: str
    kind: str
    scope_id: UUID
    group: UUID | None
    generation: int
    arrived: int
    expected: int
    missing: tuple[str, ...]
    since: datetime


def open_joins(instance: UUID, definition: UUID) -> tuple[JoinRow, ...]:
    """Return the open join states, oldest first. One statement without any, else two.

    The definition's graph is read with one more statement the first time a process needs it. The caller has
    checked the tenant.
    """
    rows = ParallelJoinState.objects.filter(instance_id=instance, status=Constant("OPEN"))
    found = list(rows.order_by("id").values_list(*_FIELDS))
    if not found:
        return ()
    filled = _filled_flows(instance)
    nodes = graph_of(str(definition)).nodes
    return tuple(
        JoinRow(
            join,
            node,
            kind,
            scope,
            None if str(group) == NIL else group,
            generation,
            arrived,
            expected,
            tuple(flow for flow in nodes[node].incoming if flow not in filled.get(join, ())),
            since,
        )
        for join, node, kind, scope, group, generation, arrived, expected, since in found
    )


def _filled_flows(instance: UUID) -> Mapping[UUID, set[str]]:
    waiting = Token.objects.filter(instance_id=instance, final=False, join__isnull=False)
    filled: dict[UUID, set[str]] = {}
    for join, flow in waiting.order_by("join", "flow").values_list("join", "flow").distinct():
        if join is not None and flow is not None:
            filled.setdefault(join, set()).add(flow)
    return filled
