"""Which column and which place in it each node gets: layers by longest path, order by the neighbours' middle.

An edge that spans several columns is cut by bends, one in each column between, so that it gets a track of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

_SWEEPS: Final = 4
Pair = tuple[str, str]


@dataclass(slots=True)
class Columns:
    """The arrangement.

    Attributes:
        columns: names from top to bottom, per column; a name is a node's id or a bend's.
        chains: edge number to the names it passes, source and target included; an edge that closes a cycle has none.
        bands: name to the number of its lane, bends included.
    """

    columns: list[list[str]] = field(default_factory=list)
    chains: dict[int, list[str]] = field(default_factory=dict)
    bands: dict[str, int] = field(default_factory=dict)

    def neighbours(self) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        """Return what lies before each name, and what after it."""
        before: dict[str, list[str]] = {}
        after: dict[str, list[str]] = {}
        for chain in self.chains.values():
            for left, right in pairwise(chain):
                after.setdefault(left, []).append(right)
                before.setdefault(right, []).append(left)
        return before, after

    def of_band(self, band: int) -> Columns:
        """Return what lies in one lane; chains are cut where they leave it."""
        mine = {name for name, number in self.bands.items() if number == band}
        chains: dict[int, list[str]] = {}
        for chain in self.chains.values():
            for left, right in pairwise(chain):
                if left in mine and right in mine:
                    chains[len(chains)] = [left, right]
        return Columns(
            [[name for name in column if name in mine] for column in self.columns], chains, self.bands
        )


def arrange(nodes: Sequence[str], edges: Sequence[Pair], bands: Mapping[str, int]) -> Columns:
    """Return the arrangement of nodes in document order.

    Args:
        edges: numbered by their position; ends that are not among the nodes do not occur.
        bands: node to the number of its lane; nodes of a lane stay together.
    """
    forward = [number for number in _forward(nodes, edges) if edges[number][0] != edges[number][1]]
    layer = _layers(nodes, [edges[number] for number in forward])
    band = {node: bands.get(node, 0) for node in nodes}
    found = Columns([[] for _ in range(max(layer.values(), default=-1) + 1)], {}, band)
    for node in nodes:
        found.columns[layer[node]].append(node)
    for number in forward:
        source, target = edges[number]
        chain = [source]
        for column in range(layer[source] + 1, layer[target]):
            bend = f"\x00{number}.{column}"
            band[bend] = band[source if column - layer[source] < layer[target] - column else target]
            found.columns[column].append(bend)
            chain.append(bend)
        found.chains[number] = [*chain, target]
    _order(found, band)
    return found


def _forward(nodes: Sequence[str], edges: Sequence[Pair]) -> list[int]:
    """Return the edges that are left when those that close a cycle are taken out, by a walk from the starts."""
    leaving: dict[str, list[int]] = {}
    for number, (source, _) in enumerate(edges):
        leaving.setdefault(source, []).append(number)
    entered = {target for _, target in edges}
    done: set[str] = set()
    kept: list[int] = []
    for root in [*(node for node in nodes if node not in entered), *nodes]:
        if root in done:
            continue
        path, active = [(root, iter(leaving.get(root, ())))], {root}
        while path:
            node, rest = path[-1]
            chosen = next(rest, None)
            if chosen is None:
                path.pop()
                active.discard(node)
                done.add(node)
                continue
            target = edges[chosen][1]
            if target in active:
                continue
            kept.append(chosen)
            if target not in done:
                active.add(target)
                path.append((target, iter(leaving.get(target, ()))))
    return sorted(kept)


def _layers(nodes: Sequence[str], edges: Sequence[Pair]) -> dict[str, int]:
    layer = dict.fromkeys(nodes, 0)
    waiting = dict.fromkeys(nodes, 0)
    leaving: dict[str, list[str]] = {}
    for source, target in edges:
        waiting[target] += 1
        leaving.setdefault(source, []).append(target)
    ready = [node for node in nodes if not waiting[node]]
    for node in ready:
        for target in leaving.get(node, ()):
            layer[target] = max(layer[target], layer[node] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return layer


def _order(found: Columns, band: Mapping[str, int]) -> None:
    before, after = found.neighbours()
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        columns = found.columns if down else found.columns[::-1]
        neighbours = before if down else after
        place: dict[str, float] = {}
        for column in columns:
            here = {name: number for number, name in enumerate(column)}
            wanted = {
                name: _middle([place[one] for one in neighbours.get(name, ()) if one in place], here[name])
                for name in column
            }
            column.sort(key=lambda name: (band.get(name, 0), wanted[name], here[name]))
            place.update({name: number for number, name in enumerate(column)})


def _middle(values: list[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
