"""What is known of the situations of a process that were reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from bpm.core.exploring.marking import Marking


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How far an exploration goes.

    Attributes:
        states: situations that are looked at.
        seconds: of the clock handed in; None: no bound.
        tokens: tokens at one place of one scope; situations with more are not followed.
    """

    states: int = 20_000
    seconds: float | None = 60.0
    tokens: int = 3


class Step(NamedTuple):
    """How a situation was reached first: from which one, by what; `repairs`: an operator tried something again."""

    before: int
    words: tuple[str, ...]
    repairs: bool = False


class Broken(NamedTuple):
    """A step that must not be: what is wrong with the situation that it leads to."""

    step: Step
    text: str


class Situation(NamedTuple):
    """What is known of a reached situation once it has been looked at.

    Attributes:
        marking: where its tokens are.
        failed: whether some token has failed, so that somebody must look.
    """

    step: Step | None
    marking: Marking
    ended: bool
    failed: bool


@dataclass(slots=True)
class Space:
    """What an exploration found.

    Attributes:
        situations: in order of discovery, so by number of steps.
        before: number of a situation to those from which it is reached.
        after: number of a situation to how many steps can follow.
        open: situations that were not followed, because of a bound.
        entered: nodes to which a token came.
        unclear: nodes at which a token failed, maybe only because there is no data.
        broken: steps that break an invariant.
        bound: which bound was met: `states`, `seconds`, `tokens`, `choices`; empty where none was.
    """

    situations: list[Situation] = field(default_factory=list)
    before: list[list[int]] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    open: set[int] = field(default_factory=set)
    entered: set[str] = field(default_factory=set)
    unclear: set[str] = field(default_factory=set)
    broken: list[Broken] = field(default_factory=list)
    transitions: int = 0
    bound: str = ""

    @property
    def complete(self) -> bool:
        """Whether everything that can happen was looked at."""
        return not self.bound

    def trace(self, number: int) -> list[str]:
        """Return the words of the shortest way to a situation."""
        words: list[str] = []
        step = self.situations[number].step
        while step is not None:
            words[:0] = step.words
            step = self.situations[step.before].step if step.before >= 0 else None
        return words

    def way(self, number: int) -> Iterator[int]:
        """Yield the situations before one on its shortest way, the nearest first, back to the last repair."""
        step = self.situations[number].step
        while step is not None and step.before >= 0 and not step.repairs:
            yield step.before
            step = self.situations[step.before].step
