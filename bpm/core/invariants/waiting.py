"""Every token that rests has exactly what it waits for, and nothing waits for nobody (semantics §2, §5)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from bpm.core.invariants.counters import live_tokens
from bpm.core.rows import ExternalStatus, JobStatus, ScopeStatus, TimerStatus, UserStatus
from bpm.core.state import State
from bpm.core.token import Token, TokenStatus, Wait

_S = TokenStatus
_EVENTS: Final = frozenset({Wait.TIMER, Wait.MESSAGE, Wait.SIGNAL, Wait.CONDITION, Wait.EVENTS})
_OPEN_JOB: Final = frozenset({JobStatus.READY, JobStatus.RUNNING})
_OPEN_TASK: Final = frozenset({ExternalStatus.READY, ExternalStatus.LOCKED})


def remembered(token: Token) -> TokenStatus:
    """Return the status to which a suspended token goes back, the present one of any other."""
    return _S(token.resumes_as) if token.status is _S.SUSPENDED and token.resumes_as else token.status


def scopes_and_outer_tokens(state: State) -> Iterator[str]:
    """Yield tokens without the inner scope for which they wait, and rows that wait in ended scopes."""
    active = [scope for scope in state.scopes.values() if scope.status is ScopeStatus.ACTIVE]
    inner = Counter(scope.outer_token for scope in active if scope.outer_token is not None)
    waiting = {token.id for token in live_tokens(state) if token.wait is Wait.SCOPE}
    if set(inner) != waiting or any(number > 1 for number in inner.values()):
        yield f"tokens {sorted(waiting)} wait for inner scopes, which name {dict(inner)}"
    ids = {scope.id for scope in active}
    waits = [(row.scope, row.node) for row in state.subscriptions.values() if row.status == "OPEN"]
    waits += [(row.scope, row.node) for row in state.timers.values() if row.status is TimerStatus.SCHEDULED]
    yield from (f"{node} waits in a scope that has ended" for scope, node in waits if scope not in ids)


def what_tokens_wait_for(state: State) -> Iterator[str]:
    """Yield tokens whose open rows are not those of their status and wait."""
    open_rows, live = _open_rows(state), live_tokens(state)
    for token in live:
        needed, held = _needed(token), open_rows.get(token.id, Counter())
        if needed is None:
            yield f"token at {token.node} rests {token.status} for {token.wait!r}"
        elif token.wait in _EVENTS:
            kinds = held.keys()
            # A receive task without a message is triggered by name and has no row of its own.
            if not kinds <= {"timer", "subscription"} or not (kinds or token.wait is Wait.MESSAGE):
                yield f"token at {token.node} waits for {token.wait} with {dict(held)}"
        elif held != needed:
            yield f"token at {token.node} ({token.status} {token.wait}) has {dict(held)}, not {dict(needed)}"
    lost = open_rows.keys() - {token.id for token in live}
    yield from (f"open rows {dict(open_rows[token])} of token {token}, which does not live" for token in lost)


def _open_rows(state: State) -> dict[str, Counter[str]]:
    """Return token to the kinds of open rows that hang on it."""
    held: list[tuple[str | None, str]] = [
        *((row.token, "user") for row in state.user_tasks.values() if row.status is UserStatus.OPEN),
        *((row.token, "external") for row in state.external_tasks.values() if row.status in _OPEN_TASK),
        *((row.token, "timer") for row in state.timers.values() if row.status is TimerStatus.SCHEDULED),
        *((row.token, f"job {row.status}") for row in state.jobs.values() if row.status in _OPEN_JOB),
        *((row.token, "subscription") for row in state.subscriptions.values() if row.status == "OPEN"),
        *((row.token, "incident") for row in state.incidents.values() if row.status == "OPEN"),
    ]
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for token, kind in held:
        if token is not None:
            found[token][kind] += 1
    return found


def _needed(token: Token) -> Counter[str] | None:
    """Return the open rows that a resting token has, None where it cannot rest like that."""
    match remembered(token), token.wait:
        case _S.WAITING, Wait.JOIN | Wait.SCOPE | Wait.CALL | Wait.COMPENSATION | Wait.PROPAGATION:
            return Counter()
        case _S.WAITING, Wait.USER | Wait.EXTERNAL:
            return Counter({str(token.wait): 1})
        case _S.WAITING, wait if wait in _EVENTS:
            return Counter()
        case (_S.WAITING, Wait.BACKOFF) | (_S.READY, Wait.NONE):
            return Counter({f"job {JobStatus.READY}": 1})
        case _S.EXECUTING, _:
            return Counter({f"job {JobStatus.RUNNING}": 1})
        case _S.FAILED, _:
            return Counter({"incident": 1})
    return None


def leases(state: State) -> Iterator[str]:
    """Yield external tasks whose holder and expiry do not fit their status."""
    for task in state.external_tasks.values():
        leased = (task.worker is not None, task.lease_expires_at is not None)
        if leased != ((True, True) if task.status is ExternalStatus.LOCKED else (False, False)):
            yield f"task {task.node} is {task.status} with worker {task.worker} until {task.lease_expires_at}"


def retries(state: State) -> Iterator[str]:
    """Yield external tasks with an impossible number of retries."""
    for task in state.external_tasks.values():
        if task.retries < 0 or (task.status in _OPEN_TASK and task.retries == 0):
            yield f"task {task.node} is {task.status} with {task.retries} retries"
