"""Waiting convergences: what they hold, whether they should have fired (semantics §3)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from bpm.core.invariants.counters import live_tokens
from bpm.core.invariants.waiting import remembered
from bpm.core.rows import InstanceStatus, JoinState, JoinStatus
from bpm.core.state import State
from bpm.core.token import TokenStatus, Wait

Held = Mapping[str, Mapping[str, Sequence[str]]]
"""Join to incoming flow to the live tokens that wait there."""


def _held(state: State) -> Held:
    held: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for token in live_tokens(state):
        if token.join is not None:
            held[token.join][token.flow or ""].append(token.id)
    return held


def open_joins(state: State) -> Iterator[str]:
    """Yield joins that hold something else than they say, or should have fired."""
    held, open_keys = _held(state), Counter[tuple[str, str, str]]()
    for token in live_tokens(state):
        if token.join is None:
            continue
        if remembered(token) is not TokenStatus.WAITING or token.wait is not Wait.JOIN:
            yield f"token at {token.node} belongs to a join but is {token.status} for {token.wait!r}"
        if token.join not in state.joins:
            yield f"token at {token.node} belongs to a join that is not there"
    for join in state.joins.values():
        tokens = held.get(join.id, {})
        if join.status is JoinStatus.OPEN:
            open_keys[join.scope, join.node, join.group] += 1
            yield from _of_one(state, join, tokens)
        elif tokens:
            yield f"join {join.node} is {join.status} but holds tokens"
    yield from (f"two open states for {key}" for key, number in open_keys.items() if number > 1)


def _of_one(state: State, join: JoinState, tokens: Mapping[str, Sequence[str]]) -> Iterator[str]:
    flows = {flow for flow in tokens if flow}
    arrived = sum(map(len, tokens.values())) if join.kind == "quantity" else len(flows)
    if join.arrived != arrived:
        yield f"join {join.node} says {join.arrived} arrived, counted {arrived}"
    if not tokens and join.kind != "reset":
        yield f"join {join.node} is open without a token"
    moves = state.instance.status is not InstanceStatus.SUSPENDED
    if moves and join.kind in ("parallel", "quantity") and join.arrived >= join.expected:
        yield f"join {join.node} is full but has not fired"


def arrivals(state: State) -> Iterator[str]:
    """Yield where the index of waiting tokens is wrong."""
    counted = {
        (join, flow): tuple(sorted(tokens))
        for join, flows in _held(state).items()
        for flow, tokens in flows.items()
    }
    if counted != state.arrivals:
        yield f"arrivals say {state.arrivals}, counted {counted}"


def generations(state: State) -> Iterator[str]:
    """Yield keys whose generations are not 1, 2, 3 …, the newest of them indexed."""
    found: dict[tuple[str, str, str], list[tuple[int, str]]] = defaultdict(list)
    for join in state.joins.values():
        found[join.scope, join.node, join.group].append((join.generation, join.id))
    for key, rows in found.items():
        rows.sort()
        if [generation for generation, _ in rows] != list(range(1, len(rows) + 1)):
            yield f"generations of {key} are {rows}"
        if state.newest_joins.get(key) != rows[-1][1]:
            yield f"the newest state of {key} is {rows[-1]}, indexed {state.newest_joins.get(key)}"
