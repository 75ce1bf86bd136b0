"""What stands in the way of migrating one instance (semantics §12)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from bpm.core.errors import Problem
from bpm.core.graph import Activity, Graph, Node
from bpm.core.ids import NIL, Id
from bpm.core.joins import QUANTITY
from bpm.core.migration.plan import Mapped, flow_image
from bpm.core.rows import (
    CompensationStatus,
    JoinState,
    JoinStatus,
    ScopeStatus,
    Subscription,
    Timer,
    TimerStatus,
)
from bpm.core.state import State
from bpm.core.token import Token

_COMPENSABLE = frozenset({CompensationStatus.OPEN, CompensationStatus.TRIGGERED, CompensationStatus.RUNNING})


def instance_problems(state: State, source: Graph, target: Graph, mapped: Mapped) -> list[Problem]:
    """Return everything that keeps an instance from being migrated by a plan that is right in itself."""
    found = [
        *_places(state, mapped),
        *_joins(state, source, target, mapped),
        *_gateways(state, target, mapped),
        *_compensation(state, mapped),
    ]
    return list(dict.fromkeys(found))


def _places(state: State, mapped: Mapped) -> Iterator[Problem]:
    for row in state.scopes.values():
        if row.status is ScopeStatus.ACTIVE and row.parent is not None and row.node not in mapped:
            yield Problem(row.node, 0, "scope-not-mapped", f"{row.node} goes on and is not mapped.")
    for token in state.tokens.values():
        if not token.final and token.node not in mapped:
            yield Problem(
                token.node, 0, "token-not-mapped", f"A token stands at {token.node}, which is not mapped."
            )


def _joins(state: State, source: Graph, target: Graph, mapped: Mapped) -> Iterator[Problem]:
    groups: dict[tuple[Id, str, Id], int] = defaultdict(int)
    for join in state.joins.values():
        if join.status is not JoinStatus.OPEN or join.node not in mapped:
            continue
        node = target.nodes[mapped[join.node]]
        tokens = waiting_at(state, join)
        for token in tokens:
            if (
                join.kind != QUANTITY
                and token.flow
                and flow_image(source, target, mapped, token.flow) is None
            ):
                message = f"A token waits at {join.node} on {token.flow}, which has no counterpart."
                yield Problem(join.node, 0, "flow-not-mapped", message)
        if join.kind == QUANTITY and len(tokens) >= quantity(node):
            message = f"{node.id} starts with {quantity(node)} tokens, as many already wait."
            yield Problem(join.node, 0, "quantity-reached", message)
        keys = {group_of(target, mapped, node, token) for token in tokens}
        if len(keys) > 1:
            message = f"The tokens that wait together at {join.node} would belong to different groups."
            yield Problem(join.node, 0, "groups-part", message)
        for key in keys:
            groups[join.scope, node.id, key] += 1
            if groups[join.scope, node.id, key] == 2:
                message = f"Tokens that wait apart at {join.node} would belong to one group."
                yield Problem(join.node, 0, "groups-meet", message)


def _gateways(state: State, target: Graph, mapped: Mapped) -> Iterator[Problem]:
    """Yield events for which a token waits at an event-based gateway, and which do not stand behind it any more."""
    rows: list[Timer | Subscription] = [
        row for row in state.timers.values() if row.status is TimerStatus.SCHEDULED
    ]
    rows += [row for row in state.subscriptions.values() if row.status == "OPEN"]
    for row in rows:
        token = state.tokens.get(row.token or "")
        if token is None or token.node == row.node or token.node not in mapped or row.node not in mapped:
            continue
        gateway = target.nodes[mapped[token.node]]
        behind = {target.flows[flow].target for flow in gateway.outgoing}
        if mapped[row.node] not in behind:
            message = (
                f"{mapped[row.node]} does not stand behind {gateway.id}, where {row.node} is waited for."
            )
            yield Problem(row.node, 0, "event-apart", message)


def _compensation(state: State, mapped: Mapped) -> Iterator[Problem]:
    for record in state.compensations.values():
        if record.status in _COMPENSABLE:
            for name in (record.node, record.handler):
                if name is not None and name not in mapped:
                    message = f"{record.node} can be compensated, and {name} is not mapped."
                    yield Problem(name, 0, "compensation-not-mapped", message)


def waiting_at(state: State, join: JoinState) -> list[Token]:
    """Return the tokens that wait at a join, in order of creation."""
    found = [token for token in state.tokens.values() if token.join == join.id and not token.final]
    return sorted(found, key=lambda token: token.id)


def group_of(target: Graph, mapped: Mapped, node: Node, token: Token) -> Id:
    """Return the group under which a token waits at a join of the target; forks that are not mapped count no more."""
    fork = target.binding_fork.get(node.id)
    renamed = {mapped[name]: group for name, group in token.groups.items() if name in mapped}
    return renamed.get(fork, NIL) if fork is not None else NIL


def quantity(node: Node) -> int:
    """Return how many tokens an activity starts with."""
    return node.start_quantity if isinstance(node, Activity) else 1
