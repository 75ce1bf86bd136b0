"""Whoever lives has something that keeps it alive (semantics §1, §10)."""

from __future__ import annotations

from collections.abc import Iterator

from bpm.core.invariants.counters import live_tokens
from bpm.core.operations import INVARIANT
from bpm.core.rows import ENDED, InstanceStatus, ScopeStatus
from bpm.core.state import State
from bpm.core.token import TokenStatus

_S = TokenStatus


def orphans(state: State) -> Iterator[str]:
    """Yield live tokens in ended scopes."""
    for token in live_tokens(state):
        scope = state.scopes.get(token.scope)
        if scope is None or scope.status is not ScopeStatus.ACTIVE:
            yield f"token at {token.node} lives in an ended scope"


def stranded_scopes(state: State) -> Iterator[str]:
    """Yield live scopes with neither a live token nor a live inner scope."""
    active = [scope for scope in state.scopes.values() if scope.status is ScopeStatus.ACTIVE]
    holders = {token.scope for token in live_tokens(state)}
    holders |= {scope.parent for scope in active if scope.parent}
    yield from (f"scope {scope.node} is active and empty" for scope in active if scope.id not in holders)


def status(state: State) -> Iterator[str]:
    """Yield what does not fit the instance's status."""
    live, found = live_tokens(state), state.instance.status
    failed = [token for token in live if token.status is _S.FAILED]
    stuck = bool(failed) and all(token.status is _S.FAILED or token.passive for token in live)
    if found in ENDED:
        if live or any(scope.status is ScopeStatus.ACTIVE for scope in state.scopes.values()):
            yield f"{found} with {len(live)} live tokens"
        if state.instance.ended_at is None:
            yield f"{found} without a time of its end"
    elif found is InstanceStatus.SUSPENDED and state.instance.suspended_because == INVARIANT:
        pass  # Its tokens may have been in no condition to be touched when it was frozen.
    elif found is InstanceStatus.SUSPENDED:
        moving = [token for token in live if token.status not in (_S.SUSPENDED, _S.EXECUTING)]
        yield from (f"token at {token.node} is {token.status} in a suspended instance" for token in moving)
    elif found in (InstanceStatus.RUNNING, InstanceStatus.FAILED):
        if stuck != (found is InstanceStatus.FAILED):
            yield f"status is {found}, stuck is {stuck}"
        if not live:
            yield f"{found} without a live token"
