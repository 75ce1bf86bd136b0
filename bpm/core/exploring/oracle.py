"""Answers where data is unknown: one command is decided once for every way in which its answers can fall out."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

MOST_ANSWERS: Final = 10
"""Free answers of one command; those after it are the first possible one."""
MOST_RUNS: Final = 1_024
"""Ways in which one command is decided."""
_MOST_TURNS: Final = 2


class Oracle:
    """The source of all free choices of one exploration.

    One run of a command asks in a certain order. `runs` yields as long as there is a run that has not been made:
    the answers of the one before are repeated, but for the last one that can still be another.

    Attributes:
        cut: whether some answer was not free any more because a run had asked too often, or runs were left out.
        said: what was chosen in this run, in words.
        demanded: the node whose condition shall become true in this run, None where that is free.
        quiet: nodes whose conditions stay false.
    """

    __slots__ = ("_answers", "_options", "_place", "_taken", "_turns", "cut", "demanded", "quiet", "said")

    def __init__(self) -> None:
        self._answers: list[int] = []
        self._options: list[int] = []
        self._place = 0
        self._taken: set[str] = set()
        self._turns: dict[str, int] = {}
        self.cut = False
        self.said: list[str] = []
        self.demanded: str | None = None
        self.quiet: Collection[str] = ()

    def runs(self) -> Iterator[None]:
        """Yield once for every run to be made."""
        self._answers, self._options = [], []
        for _ in range(MOST_RUNS):
            self._place = 0
            self._taken.clear()
            self._turns.clear()
            self.said = []
            yield
            del self._answers[self._place :], self._options[self._place :]
            while self._answers and self._answers[-1] + 1 >= self._options[-1]:
                self._answers.pop()
                self._options.pop()
            if not self._answers:
                return
            self._answers[-1] += 1
        self.cut = True

    def choose(self, options: int) -> int:
        """Return one of the numbers from 0 to `options` - 1."""
        place = self._place
        if place >= MOST_ANSWERS:
            self.cut = True
            return 0
        if place == len(self._answers):
            self._answers.append(0)
            self._options.append(options)
        self._place += 1
        return self._answers[place]

    def truth(self, where: str) -> bool:
        """Answer a condition that stands alone."""
        answer = self.choose(2) == 1
        self.said.append(f"the condition of {where} is {'true' if answer else 'false'}")
        return answer

    def again(self, node: str) -> bool:
        """Answer the condition of a loop: twice true in one run at most, as more turns bring nothing new."""
        turns = self._turns.get(node, 0)
        answer = turns < _MOST_TURNS and self.truth(node)
        self._turns[node] = turns + 1 if answer else 0
        return answer

    def catch(self, node: str) -> bool:
        """Answer the condition of a conditional event."""
        if self.demanded is not None:
            return node == self.demanded
        return node not in self.quiet and self.truth(node)

    def flow(self, node: str, flow: str, *, first: bool, needed: bool) -> bool:
        """Answer the condition of a flow.

        Args:
            first: whether it is the first one of the node that is asked.
            needed: whether it must be true where none before it was: no outcome is left otherwise.
        """
        if first:
            self._taken.discard(node)
        answer = (needed and node not in self._taken) or self.choose(2) == 0
        if answer:
            self._taken.add(node)
            self.said.append(f"{node} takes {flow}")
        return answer
