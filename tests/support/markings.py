"""Every marking of a model with parallel and exclusive gateways, by plain token semantics and nothing of the engine.

What the exploration of the engine's core is compared with. User tasks and nodes where ways merge move in any
order; what lies between moves at once, as it does in one command, and tokens vanish where no flow goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tests.support.model import Model, NodeSpec
from tests.support.token_game import firings

Marking = frozenset[str]
"""Flows that hold a token; two on one flow make a model unsafe."""


class Facts(NamedTuple):
    """What the markings say of a model.

    Attributes:
        safe: no flow ever holds two tokens, and no two wait to pass one node that has outgoing flows.
        hopeless: some marking can be reached from which no empty one can.
        stuck: some marking can be reached in which nothing can move though it is not empty.
        dead: nodes that never get a token.
    """

    safe: bool
    hopeless: bool
    stuck: bool
    dead: frozenset[str]


def facts_of(model: Model, *, most: int = 2_000) -> Facts | None:
    """Return the facts; of a model that is not safe only that. None: there are too many markings."""
    last = {flow for node in model.nodes if not node.flows for flow in model.incoming[node.id]}
    begin = frozenset(flow.id for node in model.nodes if node.kind == "start" for flow in node.flows)
    filled, first = set(begin), begin - last
    seen: dict[Marking, list[Marking]] = {first: []}
    waiting = [first]
    while waiting:
        marking = waiting.pop()
        if any(_crowded(model, node.id, node.kind, marking) for node in model.nodes if node.flows):
            return Facts(False, False, False, frozenset())
        for consumed, produced in _moves(model, marking):
            filled |= produced
            left, new = marking - consumed, produced - last
            if left & new:
                return Facts(False, False, False, frozenset())
            after = left | new
            seen[marking].append(after)
            if after not in seen:
                seen[after] = []
                waiting.append(after)
        if len(seen) > most:
            return None
    return Facts(
        True, _hopeless(seen), any(m and not after for m, after in seen.items()), _dead(model, filled)
    )


def _crowded(model: Model, node: str, kind: str, marking: Marking) -> bool:
    incoming = model.incoming[node]
    return not (kind == "par" and len(incoming) > 1) and len(marking.intersection(incoming)) > 1


def _moves(model: Model, marking: Marking) -> Iterator[tuple[Marking, Marking]]:
    for node in model.nodes:
        found = list(firings(node, model.incoming[node.id], marking)) if _is_instant(model, node) else []
        if found:
            yield from found
            return
    for node in model.nodes:
        yield from firings(node, model.incoming[node.id], marking)


def _is_instant(model: Model, node: NodeSpec) -> bool:
    """Return whether nothing can come between a token's arrival and its departure."""
    return node.kind == "par" or (node.kind != "user" and len(model.incoming[node.id]) < 2)


def _hopeless(seen: dict[Marking, list[Marking]]) -> bool:
    before: dict[Marking, list[Marking]] = {marking: [] for marking in seen}
    for marking, after in seen.items():
        for one in after:
            before[one].append(marking)
    empty: Marking = frozenset()
    found = {empty} & seen.keys()
    waiting = list(found)
    while waiting:
        for marking in before[waiting.pop()]:
            if marking not in found:
                found.add(marking)
                waiting.append(marking)
    return len(found) < len(seen)


def _dead(model: Model, filled: set[str]) -> frozenset[str]:
    return frozenset(
        node.id for node in model.nodes if node.kind != "start" and filled.isdisjoint(model.incoming[node.id])
    )
