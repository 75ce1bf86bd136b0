"""Strongly connected components: which nodes lie on a common loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator


def component_of(nodes: Iterable[str], successors: Callable[[str], Iterable[str]]) -> dict[str, int]:
    """Return each node with the number of its component; nodes on a common loop have the same one.

    Tarjan's algorithm without recursion: linear in nodes and edges.
    """
    search = _Search(successors)
    for node in nodes:
        if node not in search.index:
            search.run(node)
    return search.component


class _Search:
    def __init__(self, successors: Callable[[str], Iterable[str]]) -> None:
        self.index: dict[str, int] = {}
        self.component: dict[str, int] = {}
        self._successors = successors
        self._low: dict[str, int] = {}
        self._open: list[str] = []
        self._path: list[tuple[str, Iterator[str]]] = []

    def run(self, start: str) -> None:
        self._enter(start)
        while self._path:
            node, rest = self._path[-1]
            target = next(rest, None)
            if target is None:
                self._leave(node)
            elif target not in self.index:
                self._enter(target)
            elif target not in self.component:
                self._low[node] = min(self._low[node], self.index[target])

    def _enter(self, node: str) -> None:
        self.index[node] = self._low[node] = len(self.index)
        self._open.append(node)
        self._path.append((node, iter(self._successors(node))))

    def _leave(self, node: str) -> None:
        self._path.pop()
        if self._path:
            parent = self._path[-1][0]
            self._low[parent] = min(self._low[parent], self._low[node])
        if self._low[node] == self.index[node]:
            number = self.index[node]
            while self._open[-1] != node:
                self.component[self._open.pop()] = number
            self.component[self._open.pop()] = number
