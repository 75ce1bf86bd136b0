"""Which node every way to another leads through."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from bpm.core.dominators import immediate_dominators

_ENTRY = ""


class Dominance:
    """Dominators of a graph that is entered at several nodes; answers in constant time."""

    def __init__(self, nodes: Iterable[str], steps: Mapping[str, list[str]], entries: Iterable[str]) -> None:
        successors = {name: list(steps.get(name, ())) for name in nodes}
        successors[_ENTRY] = list(entries)
        self._first: dict[str, int] = {}
        self._last: dict[str, int] = {}
        self._number(immediate_dominators(successors))

    def dominates(self, node: str, other: str) -> bool:
        """Return whether `other` can be reached, and only through `node`."""
        if node not in self._first or other not in self._first:
            return False
        return self._first[node] <= self._first[other] and self._last[other] <= self._last[node]

    def _number(self, immediate: Mapping[str, str]) -> None:
        """Give each node the interval of the numbers below it in the dominator tree."""
        children: defaultdict[str, list[str]] = defaultdict(list)
        for name, above in immediate.items():
            if name != above:
                children[above].append(name)
        stack = [(_ENTRY, False)]
        while stack:
            name, done = stack.pop()
            if done:
                self._last[name] = len(self._first)
            else:
                self._first[name] = len(self._first)
                stack.append((name, True))
                stack.extend((child, False) for child in children[name])
