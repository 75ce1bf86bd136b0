"""What must hold of an instance at rest, found by counting again and never from its counters.

Sources: semantics §1, §2, §3, §5, §10.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

from bpm.core.rows import (
    ENDED,
    ExternalStatus,
    InstanceStatus,
    JobStatus,
    JoinStatus,
    ScopeStatus,
    TimerStatus,
    UserStatus,
)
from bpm.core.state import State
from bpm.core.token import Token, TokenStatus, Wait
from tests.support.compensation_rules import compensation_violations
from tests.support.folding import Recorded
from tests.support.history_rules import history_violations

_S = TokenStatus
_EVENTS = frozenset({Wait.TIMER, Wait.MESSAGE, Wait.SIGNAL, Wait.CONDITION, Wait.EVENTS})
_OPEN_JOB = frozenset({JobStatus.READY, JobStatus.RUNNING})
_OPEN_TASK = frozenset({ExternalStatus.READY, ExternalStatus.LOCKED})


def violations(state: State, history: Sequence[Recorded]) -> list[str]:
    """Return what is broken; the state holds the whole instance and no command is under way."""
    found = [f"{rule.__name__.strip('_')}: {text}" for rule in _RULES for text in rule(state)]
    return found + list(history_violations(state, history))


def _live(state: State) -> list[Token]:
    return [token for token in state.tokens.values() if not token.final]


def _passive(token: Token) -> bool:
    return token.status is _S.WAITING and token.wait in (Wait.JOIN, Wait.SCOPE, Wait.COMPENSATION)


def _instance_counters(state: State) -> Iterator[str]:
    live, instance = _live(state), state.instance
    expected = {
        "live": len(live),
        "failed": sum(token.status is _S.FAILED for token in live),
        "passive": sum(map(_passive, live)),
        "incidents": sum(row.status == "OPEN" for row in state.incidents.values()),
        "conditions": sum(
            row.status == "OPEN" and row.kind == "condition" for row in state.subscriptions.values()
        ),
    }
    for name, number in expected.items():
        if getattr(instance, name) != number:
            yield f"{name} is {getattr(instance, name)}, counted {number}"


def _scope_counters(state: State) -> Iterator[str]:
    tokens = Counter(token.scope for token in _live(state))
    active = [scope for scope in state.scopes.values() if scope.status is ScopeStatus.ACTIVE]
    scopes = Counter(scope.parent for scope in active)
    joins: dict[str, Counter[str]] = defaultdict(Counter)
    for join in state.joins.values():
        if join.status is JoinStatus.OPEN:
            joins[join.scope][join.node] += 1
    for scope in state.scopes.values():
        counted = (tokens[scope.id], scopes[scope.id], dict(joins[scope.id]))
        stored = (scope.live_tokens, scope.live_scopes, dict(scope.open_joins))
        if counted != stored:
            yield f"scope {scope.node} says {stored}, counted {counted}"


def _no_orphans_and_no_stranded_scopes(state: State) -> Iterator[str]:
    holders = {token.scope for token in _live(state)}
    holders |= {
        scope.parent for scope in state.scopes.values() if scope.status is ScopeStatus.ACTIVE and scope.parent
    }
    for token in _live(state):
        if state.scopes[token.scope].status is not ScopeStatus.ACTIVE:
            yield f"token at {token.node} lives in an ended scope"
    for scope in state.scopes.values():
        if scope.status is ScopeStatus.ACTIVE and scope.id not in holders:
            yield f"scope {scope.node} is active and empty"


def _joins(state: State) -> Iterator[str]:
    held: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for token in _live(state):
        if token.join is not None:
            held[token.join][token.flow or ""].append(token.id)
            if _remembered(token) is not _S.WAITING or token.wait is not Wait.JOIN:
                yield f"token at {token.node} belongs to a join but is {token.status} for {token.wait!r}"
    open_keys: Counter[tuple[str, str, str]] = Counter()
    for join in state.joins.values():
        flows = {flow for flow in held[join.id] if flow}
        if join.status is not JoinStatus.OPEN:
            if held[join.id]:
                yield f"join {join.node} is {join.status} but holds tokens"
            continue
        open_keys[join.scope, join.node, join.group] += 1
        arrived = sum(map(len, held[join.id].values())) if join.kind == "quantity" else len(flows)
        if join.arrived != arrived:
            yield f"join {join.node} says {join.arrived} arrived, counted {arrived}"
        if not held[join.id] and join.kind != "reset":
            yield f"join {join.node} is open without a token"
        moves = state.instance.status is not InstanceStatus.SUSPENDED
        if moves and join.kind in ("parallel", "quantity") and join.arrived >= join.expected:
            yield f"join {join.node} is full but has not fired"
    yield from (f"two open states for {key}" for key, number in open_keys.items() if number > 1)
    yield from _arrivals(state, held)
    yield from _generations(state)


def _arrivals(state: State, held: dict[str, dict[str, list[str]]]) -> Iterator[str]:
    counted = {
        (join, flow): tuple(sorted(tokens)) for join, flows in held.items() for flow, tokens in flows.items()
    }
    if counted != state.arrivals:
        yield f"arrivals say {state.arrivals}, counted {counted}"


def _generations(state: State) -> Iterator[str]:
    found: dict[tuple[str, str, str], list[tuple[int, str]]] = defaultdict(list)
    for join in state.joins.values():
        found[join.scope, join.node, join.group].append((join.generation, join.id))
    for key, rows in found.items():
        rows.sort()
        if [generation for generation, _ in rows] != list(range(1, len(rows) + 1)):
            yield f"generations of {key} are {rows}"
        if state.newest_joins.get(key) != rows[-1][1]:
            yield f"the newest state of {key} is {rows[-1]}, indexed {state.newest_joins.get(key)}"


def _status(state: State) -> Iterator[str]:
    live, status = _live(state), state.instance.status
    failed = [token for token in live if token.status is _S.FAILED]
    stuck = bool(failed) and all(token.status is _S.FAILED or _passive(token) for token in live)
    if status in ENDED:
        if live or any(scope.status is ScopeStatus.ACTIVE for scope in state.scopes.values()):
            yield f"{status} with {len(live)} live tokens"
        if state.instance.ended_at is None:
            yield f"{status} without a time of its end"
    elif status is InstanceStatus.SUSPENDED:
        moving = [token for token in live if token.status not in (_S.SUSPENDED, _S.EXECUTING)]
        yield from (f"token at {token.node} is {token.status} in a suspended instance" for token in moving)
    elif status in (InstanceStatus.RUNNING, InstanceStatus.FAILED):
        if stuck != (status is InstanceStatus.FAILED):
            yield f"status is {status}, stuck is {stuck}"
        if not live:
            yield f"{status} without a live token"


def _scopes_and_outer_tokens(state: State) -> Iterator[str]:
    active = [scope for scope in state.scopes.values() if scope.status is ScopeStatus.ACTIVE]
    inner = Counter(scope.outer_token for scope in active if scope.outer_token is not None)
    waiting = {token.id for token in _live(state) if token.wait is Wait.SCOPE}
    if set(inner) != waiting or any(number > 1 for number in inner.values()):
        yield f"tokens {sorted(waiting)} wait for inner scopes, which name {dict(inner)}"
    ids = {scope.id for scope in active}
    waits = [(row.scope, row.node) for row in state.subscriptions.values() if row.status == "OPEN"]
    waits += [(row.scope, row.node) for row in state.timers.values() if row.status is TimerStatus.SCHEDULED]
    yield from (f"{node} waits in a scope that has ended" for scope, node in waits if scope not in ids)


def _what_tokens_wait_for(state: State) -> Iterator[str]:
    open_rows = _open_rows(state)
    for token in _live(state):
        needed = _needed(token)
        if needed is None:
            yield f"token at {token.node} rests {token.status} for {token.wait!r}"
        elif token.wait in _EVENTS:
            kinds = open_rows[token.id].keys()
            # A receive task without a message is triggered by name and has no row of its own.
            if not kinds <= {"timer", "subscription"} or not (kinds or token.wait is Wait.MESSAGE):
                yield f"token at {token.node} waits for {token.wait} with {dict(open_rows[token.id])}"
        elif open_rows[token.id] != needed:
            held = dict(open_rows[token.id])
            yield f"token at {token.node} ({token.status} {token.wait}) has {held}, not {dict(needed)}"
    lost = open_rows.keys() - {token.id for token in _live(state)}
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
    match _remembered(token), token.wait:
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


def _remembered(token: Token) -> TokenStatus:
    """Return the status to which a suspended token goes back, the present one of any other."""
    return _S(token.resumes_as) if token.status is _S.SUSPENDED and token.resumes_as else token.status


def _leases(state: State) -> Iterator[str]:
    for task in state.external_tasks.values():
        leased = (task.worker is not None, task.lease_expires_at is not None)
        if leased != ((True, True) if task.status is ExternalStatus.LOCKED else (False, False)):
            yield f"task {task.node} is {task.status} with worker {task.worker} until {task.lease_expires_at}"
        if task.retries < 0 or (task.status in _OPEN_TASK and task.retries == 0):
            yield f"task {task.node} is {task.status} with {task.retries} retries"


_RULES: tuple[Callable[[State], Iterator[str]], ...] = (
    _instance_counters,
    _scope_counters,
    _no_orphans_and_no_stranded_scopes,
    _joins,
    _status,
    _scopes_and_outer_tokens,
    _what_tokens_wait_for,
    _leases,
    compensation_violations,
)
