"""Open rows of one instance as an explanation shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from bpm.core.graph import Graph, Node
from bpm.core.ids import NIL, Id
from bpm.core.reach import can_come
from bpm.core.rows import (
    ExternalTask,
    Incident,
    Job,
    JoinState,
    ScopeStatus,
    Subscription,
    Timer,
    TimerStatus,
    UserTask,
)
from bpm.core.state import State
from bpm.core.token import Token
from bpm.queries.explanation import (
    ExternalTaskWait,
    IncidentWait,
    JobWait,
    JoinWait,
    MissingFlow,
    ScopeWait,
    SubscriptionWait,
    TimerWait,
    UserTaskWait,
)


class Lease(NamedTuple):
    """Who runs a job, and until when."""

    owner: str | None
    expires_at: datetime | None


def user_task_wait(row: UserTask) -> UserTaskWait:
    """Return an open user task."""
    return UserTaskWait(
        row.id,
        row.name,
        row.assignee,
        row.candidate_users,
        row.candidate_groups,
        row.due_at,
        row.delegation,
    )


def external_task_wait(row: ExternalTask) -> ExternalTaskWait:
    """Return an open external task."""
    return ExternalTaskWait(
        row.id,
        row.topic,
        row.status.value,
        row.worker,
        row.lease_expires_at,
        row.available_at,
        row.retries,
        row.error,
    )


def job_wait(row: Job, leases: Mapping[Id, Lease]) -> JobWait:
    """Return an open job."""
    lease = leases.get(row.id, Lease(None, None))
    return JobWait(
        row.id,
        row.kind,
        row.handler,
        row.status.value,
        row.available_at,
        row.retries,
        lease.owner,
        lease.expires_at,
        row.kept is not None,
    )


def incident_wait(row: Incident) -> IncidentWait:
    """Return an open incident."""
    return IncidentWait(row.id, row.kind, row.message)


def timer_waits(rows: Iterable[Timer], now: datetime) -> tuple[TimerWait, ...]:
    """Return the scheduled timers among rows, the next due first."""
    open_rows = [row for row in rows if row.status is TimerStatus.SCHEDULED]
    open_rows.sort(key=lambda row: (row.due_at, row.id))
    return tuple(TimerWait(row.id, row.node, row.due_at, row.due_at <= now) for row in open_rows)


def subscription_waits(rows: Iterable[Subscription]) -> tuple[SubscriptionWait, ...]:
    """Return the open subscriptions among rows, in order of creation."""
    open_rows = sorted((row for row in rows if row.status == "OPEN"), key=lambda row: row.id)
    return tuple(SubscriptionWait(row.id, row.node, row.kind, row.name, row.correlation) for row in open_rows)


def scope_wait(state: State, token: Token) -> ScopeWait | None:
    """Return the inner scope for which a token waits."""
    for row in state.scopes.values():
        if row.outer_token == token.id and row.status is ScopeStatus.ACTIVE:
            return ScopeWait(row.id, row.kind, row.live_tokens, row.live_scopes)
    return None


def join_wait(graph: Graph, state: State, join: JoinState) -> JoinWait:
    """Return what a join still waits for."""
    node = graph.nodes[join.node]
    missing = [flow for flow in node.incoming if not state.arrivals.get((join.id, flow))]
    others = _of_same_group(graph, state, node, join)
    flows = tuple(_missing(graph, node, flow, others) for flow in missing)
    return JoinWait(join.id, join.kind, join.arrived, join.expected, flows)


def _of_same_group(graph: Graph, state: State, node: Node, join: JoinState) -> list[Token]:
    fork = graph.binding_fork.get(node.id)
    return [
        token
        for token in state.tokens.values()
        if token.scope == join.scope
        and not token.final
        and token.join != join.id
        and (token.groups.get(fork, NIL) if fork is not None else NIL) == join.group
    ]


def _missing(graph: Graph, node: Node, flow: str, others: list[Token]) -> MissingFlow:
    tokens = tuple(sorted(token.id for token in others if can_come(graph, token, node, flow)))
    return MissingFlow(flow, graph.flows[flow].source, tokens, bool(tokens))


def by_owner(rows: Iterable[Any]) -> dict[Id, list[Any]]:
    """Return token (or scope, where that waits itself) to its rows."""
    found: dict[Id, list[Any]] = {}
    for row in rows:
        found.setdefault(row.token or row.scope, []).append(row)
    return found
