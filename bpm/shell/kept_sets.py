"""Working sets that this process keeps from one command to the next (semantics §11).

What a command leaves behind is what the next one would read, as long as nobody else has written to the instance; and
whether anybody has, its revision and the hash of its newest event say: in the guarded write, or when the instance is
locked. So a kept set may be old, but what is decided by an old one is never written.

A set is taken out to be used, and put back after the commit: no two threads ever work on the same one. Only whole
working sets are kept, since what a partial one lacks depends on the command it was read for.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Final, NamedTuple

from bpm.core.ids import Id
from bpm.core.state import Journal, State
from bpm.shell.configuration import setting
from bpm.shell.held import Known, has_row, made_in, stand_of
from bpm.shell.remembering.shapes import Shaped

MAX_SHARE: Final = 2
"""A set may have one in so many of the rows that are kept, but for one."""

LARGE: Final = 10
"""One set may have so many times the rows of all others: an instance with very many branches, while it is worked on."""

MAX_AGE_S: Final = 2.0
"""How long a set is of use. Later, somebody else has more likely been at the instance."""

MAX_VARIABLES: Final = 200
MAX_CHARACTERS: Final = 4_000
"""Variables of a set that is kept, and characters in their JSON texts."""

_OWN: Final = 10
"""As many rows as a set without any takes in memory."""


class _Kept(NamedTuple):
    known: Known
    rows: int
    since: float


class KeptSets:
    """The working sets used last, by the ids of their instances and of their rows."""

    def __init__(self) -> None:
        self._sets: OrderedDict[Id, _Kept] = OrderedDict()
        self._rows = 0
        # Row to instance; what is said of rows that are kept no more does no harm, and goes as the oldest.
        self._owners: OrderedDict[Id, Id] = OrderedDict()
        # The one large set; its rows are looked up in itself, and not counted.
        self._large: _Kept | None = None
        self._lock = Lock()

    def take(self, table: str, row: Id) -> Known | None:
        """Take the set out that has a row, or is of that instance; None where there is none that is fresh.

        A set has the rows that were live when it was first read, and what became of them. So a row that it lacks may
        still be stored.
        """
        with self._lock:
            known = self._pop(self._owner(table, row))
        return known if known is not None and has_row(known, table, row) else None

    def take_all(self, table: str, rows: Sequence[Id]) -> dict[Id, Known]:
        """Take the sets out that have these rows; nothing unless each row has one.

        Returns:
            Row to the set of its instance.
        """
        with self._lock:
            owners = [self._owner(table, row) for row in rows]
            if not all(owner in self._sets or self._is_large(owner) for owner in owners):
                return {}
            sets = {owner: self._pop(owner) for owner in dict.fromkeys(owners)}
        found = {row: known for row, owner in zip(rows, owners, strict=True) if (known := sets[owner])}
        whole = len(found) == len(rows) and all(has_row(known, table, row) for row, known in found.items())
        return found if whole else {}

    def keep(self, states: Iterable[State], shaped: Iterable[tuple[Shaped, Sequence[Id]]] = ()) -> None:
        """Keep the sets that commands have left, now that the database has them too, but for those of no more use.

        Args:
            shaped: those that were not opened, each with the rows that are new.
        """
        most, now = _most(), time.monotonic()
        with self._lock:
            for state in states:
                journal = state.settle()
                self._pop(state.instance.id)
                rows = _OWN + state.rows()
                if rows > LARGE * most or not _worth_keeping(state, journal):
                    continue
                if rows * MAX_SHARE > most:
                    self._large = _Kept(state, rows, now)
                else:
                    self._put(_Kept(state, rows, now), made_in(journal))
            for known, made in shaped:
                self._pop(known.id)
                rows = _OWN + known.shape.rows
                if rows * MAX_SHARE <= most and sum(map(len, known.texts)) <= MAX_CHARACTERS:
                    self._put(_Kept(known, rows, now), made)
            while self._sets and (self._rows > most or self._oldest.since < now - MAX_AGE_S):
                self._pop(next(iter(self._sets)))
            if self._large is not None and self._large.since < now - MAX_AGE_S:
                self._large = None
            while len(self._owners) > most:
                self._owners.popitem(last=False)

    def _owner(self, table: str, row: Id) -> Id:
        owner = self._owners.get(row)
        if owner is None and self._large is not None and has_row(self._large.known, table, row):
            return stand_of(self._large.known).id
        return owner or row

    def _is_large(self, instance: Id) -> bool:
        return self._large is not None and stand_of(self._large.known).id == instance

    @property
    def _oldest(self) -> _Kept:
        return next(iter(self._sets.values()))

    def _put(self, kept: _Kept, made: Iterable[Id]) -> None:
        instance, owners = stand_of(kept.known).id, self._owners
        self._sets[instance] = kept
        self._rows += kept.rows
        for row in made:
            owners[row] = instance

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._sets.clear()
            self._owners.clear()
            self._rows = 0
            self._large = None

    def begin(self) -> None:
        """Have none and hold no lock, as a process that has just been forked must."""
        self._lock = Lock()
        self.clear()

    def __len__(self) -> int:
        """Return how many are kept."""
        return len(self._sets) + (self._large is not None)

    def _pop(self, instance: Id) -> Known | None:
        kept = self._sets.pop(instance, None)
        if kept is not None:
            self._rows -= kept.rows
        elif self._is_large(instance):
            kept, self._large = self._large, None
        if kept is None:
            return None
        return kept.known if time.monotonic() - kept.since < MAX_AGE_S else None


def _worth_keeping(state: State, journal: Journal) -> bool:
    """Return whether a set is whole and has no long text in it; those stand with values, failures and comments."""
    if not state.everything or state.instance.ended or state.incidents or state.comments:
        return False
    if any(getattr(table.get(key), "error", None) for table, key, _ in journal):
        return False
    if len(state.variables) > MAX_VARIABLES:
        return False
    return sum([len(row.value) for row in state.variables.values()]) <= MAX_CHARACTERS


def _most() -> int:
    most = setting("KEPT_ROWS")
    return max(most, 0) if isinstance(most, int) else 0


kept_sets: Final = KeptSets()
"""Those of this process."""

os.register_at_fork(after_in_child=kept_sets.begin)
