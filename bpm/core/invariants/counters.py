"""Counters of instance and scopes agree with what they count."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from bpm.core.rows import JoinStatus, ScopeStatus
from bpm.core.state import State
from bpm.core.token import Token, TokenStatus


def live_tokens(state: State) -> list[Token]:
    """Return the tokens that are not final."""
    return [token for token in state.tokens.values() if not token.final]


def instance_counters(state: State) -> Iterator[str]:
    """Yield counters of the instance that are wrong."""
    live, instance = live_tokens(state), state.instance
    expected = {
        "live": len(live),
        "failed": sum(token.status is TokenStatus.FAILED for token in live),
        "passive": sum(token.passive for token in live),
        "incidents": sum(row.status == "OPEN" for row in state.incidents.values()),
        "conditions": sum(
            row.status == "OPEN" and row.kind == "condition" for row in state.subscriptions.values()
        ),
    }
    for name, number in expected.items():
        if getattr(instance, name) != number:
            yield f"{name} is {getattr(instance, name)}, counted {number}"


def scope_counters(state: State) -> Iterator[str]:
    """Yield counters of scopes that are wrong."""
    tokens = Counter(token.scope for token in live_tokens(state))
    scopes = Counter(scope.parent for scope in state.scopes.values() if scope.status is ScopeStatus.ACTIVE)
    joins: dict[str, Counter[str]] = defaultdict(Counter)
    for join in state.joins.values():
        if join.status is JoinStatus.OPEN:
            joins[join.scope][join.node] += 1
    for scope in state.scopes.values():
        counted = (tokens[scope.id], scopes[scope.id], dict(joins.get(scope.id, {})))
        stored = (scope.live_tokens, scope.live_scopes, dict(scope.open_joins))
        if counted != stored:
            yield f"scope {scope.node} says {stored}, counted {counted}"
