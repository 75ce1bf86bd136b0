"""Where the tokens of a situation are: places with how many tokens each holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from bpm.core.exploring.live import Live
from bpm.core.layers import LAYERS
from bpm.core.token import TokenStatus, Wait


class Place(NamedTuple):
    """A node, for tokens at a join also the flow; `scope` tells executions of one subprocess apart.

    Attributes:
        path: nodes of the scopes around it, outermost first.
    """

    path: tuple[str, ...]
    node: str
    flow: str
    scope: str


class Marking(NamedTuple):
    """How many tokens each place holds.

    Attributes:
        crowded: places with more than one forward token, the layers of an activity left out.
        joins: nodes of joins at which tokens wait.
        most: the largest number of tokens at one such place.
    """

    tokens: Mapping[tuple[tuple[str, ...], str, str], int]
    crowded: tuple[Place, ...]
    joins: tuple[str, ...]
    most: int

    def covers(self, other: Marking) -> bool:
        """Return whether every place holds at least as many tokens as in another marking, and some hold more."""
        return self.tokens != other.tokens and all(
            self.tokens.get(place, 0) >= number for place, number in other.tokens.items()
        )


def marking_of(live: Live) -> Marking:
    """Return the marking of what lives."""
    scopes, nodes = live.state.scopes, live.process.graph.nodes
    paths: dict[str, tuple[str, ...]] = {}

    def path_of(scope: str) -> tuple[str, ...]:
        found = paths.get(scope)
        if found is None:
            row = scopes[scope]
            outer = path_of(row.parent) if row.parent is not None and row.parent in scopes else ()
            found = paths[scope] = (*outer, f"{row.kind} {row.node}")
        return found

    places: Counter[Place] = Counter()
    whole: Counter[tuple[tuple[str, ...], str, str]] = Counter()
    joins: dict[str, None] = {}
    for token in live.tokens:
        waits = token.wait is Wait.JOIN and token.status is TokenStatus.WAITING
        # A token that pauses before a join is on its way in like one that waits there.
        flow = (token.flow or "") if waits or (nodes[token.node].joins and not token.phase) else ""
        if waits:
            joins[token.node] = None
        path = path_of(token.scope)
        whole[path, token.node, flow] += 1
        if (
            token.mode == "forward"
            and scopes[token.scope].kind not in LAYERS
            and not _gathers(live, token.join)
        ):
            places[Place(path, token.node, flow, token.scope)] += 1
    crowded = tuple(place for place, number in places.items() if number > 1)
    named = tuple(sorted(joins, key=lambda name: nodes[name].order))
    return Marking(dict(whole), crowded, named, max(places.values(), default=0))


def _gathers(live: Live, join: str | None) -> bool:
    return join is not None and live.state.joins[join].kind == "quantity"
