"""What this process remembers: shapes, and what was decided about them."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Any, Final, NamedTuple

from bpm import handlers
from bpm.core.ids import Id
from bpm.core.state import State
from bpm.shell.configuration import setting
from bpm.shell.remembering.asking import Asked
from bpm.shell.remembering.remembered import Remembered
from bpm.shell.remembering.shape_keys import Key, shape_key
from bpm.shell.remembering.shapes import Shape, Shaped
from bpm.shell.remembering.when import When, end_of_lease, when

_log = logging.getLogger(__name__)

LEARNED_AT: Final = 2
"""A decision is learned when it is taken for this time: many never come again."""

DOUBTED: Final = 1_000
"""One in so many uses of what is remembered is decided all the same, and compared."""

_LOOKS: Final = 200
_RESTS: Final = 2_000
"""Where so many looks at working sets of a definition were worth it in less than one of ten cases, there is none for so
many commands: its instances seldom stand alike, and a look costs some 20 µs and more, by the number of rows."""


class Question(NamedTuple):
    """What a remembered decision depends on: equal questions have equal answers.

    Attributes:
        shape: None where an instance starts.
        times: for each time that the shape leaves open when it is, seen from the command.
        limit: of rows that the command may end.
    """

    shape: Shape | None
    asked: tuple[Any, ...]
    times: tuple[When, ...]
    limit: int


def question(before: Shaped | None, asked: Asked, now: datetime, limit: int) -> Question:
    """Return what is asked about an instance."""
    if before is None:
        return Question(None, asked.key, (), limit)
    end = None if asked.lock_ms is None else end_of_lease(now, asked.lock_ms)
    times = tuple([when(time, now, end) for time in before.times])
    return Question(before.shape, asked.key, times, limit)


@dataclass(slots=True)
class _Use:
    tried: int = 0
    known: int = 0


class Memory:
    """Shapes and decisions; where they are too many, all are forgotten, for what is used comes again.

    Args:
        learned_at, doubted: see the constants.

    Attributes:
        used: how often a decision was known, by the command's class.
        wrong: how often a remembered decision was not what was decided anew; never, unless there is a bug.
    """

    def __init__(self, learned_at: int = LEARNED_AT, doubted: int = DOUBTED) -> None:
        self.learned_at = learned_at
        self.doubted = doubted
        self.wrong = 0
        self.used: Counter[str] = Counter()
        self._lock = Lock()
        self.clear()

    def clear(self) -> None:
        """Forget all."""
        self._shapes: dict[Key, Shape] = {}
        self._decisions: dict[Question, Remembered | None] = {}
        self._seen: dict[Question, int] = {}
        self._uses: dict[Id, _Use] = {}

    def begin(self) -> None:
        """Know nothing and hold no lock, as a process that has just been forked must."""
        self._lock = Lock()
        self.clear()

    def __len__(self) -> int:
        """Return how many decisions are remembered."""
        return sum(known is not None for known in self._decisions.values())

    def shaped(self, state: State) -> Shaped | None:
        """Return what a working set is like; None where it has no shape."""
        found = shape_key(state)
        if found is None:
            return None
        key, values = found
        instance = state.instance
        assert instance.updated_at is not None, "every event sets it"
        stand = (instance.updated_at, instance.revision, instance.sequence, instance.head)
        return Shaped(self.shape(key), values, *stand)

    def shape(self, key: Key) -> Shape:
        """Return the one shape of a key."""
        shape = self._shapes.get(key)
        if shape is None:
            with self._lock:
                if len(self._shapes) >= 4 * most_remembered():
                    self.clear()
                shape = self._shapes.setdefault(key, Shape(key))
        return shape

    def worth_a_look(self, definition: Id) -> bool:
        """Return whether a definition's decisions are known often enough to look what a working set is like."""
        use = self._uses.get(definition)
        if use is None:
            if len(self._uses) >= most_remembered():
                self._uses.clear()
            use = self._uses[definition] = _Use()
        use.tried += 1
        if use.tried > _LOOKS and use.known * 10 < use.tried:
            if use.tried < _LOOKS + _RESTS:
                return False
            use.tried = use.known = 0
        return True

    def note_known(self, definition: Id) -> None:
        """Count that a look was worth the effort."""
        use = self._uses.get(definition)
        if use is not None:
            use.known += 1

    def recall(self, asked: Question) -> Remembered | None:
        """Return what was decided; None where that is not known, or is not to be remembered."""
        found = self._decisions.get(asked)
        if found is None:
            return None
        if found.handlers and not _still_so(found.handlers):
            # It is learned again.
            self._decisions.pop(asked, None)
            return None
        return found

    def doubts(self, asked: Question) -> bool:
        """Return whether what is remembered is to be decided all the same this time."""
        command = asked.asked[0].__name__
        self.used[command] += 1
        return self.used[command] % self.doubted == 0

    def wants(self, asked: Question) -> bool:
        """Return whether a decision that was just taken is to be learned; counts how often it is asked for."""
        if asked in self._decisions:
            return False
        seen = self._seen.get(asked, 0) + 1
        if len(self._seen) >= 4 * most_remembered():
            self._seen.clear()
        self._seen[asked] = seen
        # Once for all that ask before it is learned; again where that came to nothing, as it was refused after all.
        return seen == self.learned_at or seen % 64 == 0

    def refute(self, asked: Question) -> None:
        """Forget a decision that is not what was decided anew."""
        _log.error("remembered wrongly, and forgotten: %s", asked.asked[0].__name__)
        self.wrong += 1
        self.keep(asked, None)

    def keep(self, asked: Question, known: Remembered | None) -> None:
        """Remember a decision, or that it cannot be."""
        with self._lock:
            if len(self._decisions) >= most_remembered():
                self._decisions.clear()
            self._decisions[asked] = known
            self._seen.pop(asked, None)


def _still_so(told: Iterable[tuple[str, str, bool]]) -> bool:
    return all(handlers.has_handler(kind, name) is had for kind, name, had in told)


def wrongly_remembered() -> int:
    """Return how often this process has found that a decision was remembered wrongly: never, unless there is a bug."""
    return memory.wrong


def most_remembered() -> int:
    """Return how many decisions may be remembered; 0 where none are."""
    most = setting("REMEMBERED_DECISIONS")
    return max(most, 0) if isinstance(most, int) else 0


memory: Final = Memory()
"""That of this process."""

os.register_at_fork(after_in_child=memory.begin)
