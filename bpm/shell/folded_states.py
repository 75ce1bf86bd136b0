"""Folded states that are kept in this process, so that the next look at a long history folds only what is behind one.

A kept state holds as long as the history has the event of its sequence with its hash: histories only grow, and the hash
covers all before it. What hashes outlive is an erasure: each is an event of the same history, and one that has come
since a state was folded makes it worthless. Rows are values that nobody changes, so states share them.
"""

from __future__ import annotations

import time
import uuid
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Final, NamedTuple

from bpm.core import events as e
from bpm.core.ids import Id
from bpm.core.state import TABLES, State
from bpm.models import HistoryEvent
from bpm.shell.folding_on import fold_on
from bpm.shell.stored_history import Folding

SPACING: Final = 2_000
"""Events between kept states: so many are folded by a look behind one of them, unless the instance is very large."""

MAX_ROWS: Final = 300_000
"""Rows that all kept states hold together, counted once for each state: some 100 MB where none is shared."""

LASTS_S: Final = 600.0
"""How long the states of an instance are kept after the last look at one of them."""


class Kept(NamedTuple):
    """A state as of an event, never changed.

    Attributes:
        hash: the event's.
        seen: the newest event when the state was folded; erasures up to it are in the state.
        rows: how many the state holds.
    """

    sequence: int
    hash: str
    seen: int
    state: State
    rows: int


@dataclass(slots=True)
class _Shelf:
    """The states of one instance, by sequence, and when one was last looked at."""

    spacing: int
    used: float = 0.0
    states: dict[int, Kept] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        return sum(kept.rows for kept in self.states.values())


class FoldedStates:
    """A bounded store of states; threads may share it.

    Args:
        spacing: events between kept states.
        max_rows: of all kept states together.
    """

    def __init__(self, spacing: int = SPACING, max_rows: int = MAX_ROWS) -> None:
        self._spacing = spacing
        self._max_rows = max_rows
        self._shelves: OrderedDict[Id, _Shelf] = OrderedDict()
        self._lock = Lock()

    @property
    def rows(self) -> int:
        """How many rows the kept states hold together."""
        with self._lock:
            return self._sum()

    def at(self, instance: Id, upto: int, last: int) -> State:
        """Return the state of an instance as of an event. The caller reads in one snapshot and changes nothing.

        Statements: 1 per 1,000 events behind the nearest kept state; 2 more for a history of more than 2,000 events,
        and 1 where something was erased.

        Args:
            last: sequence of the newest event in the snapshot.
        """
        folding, sequence = Folding(instance), -1
        if upto < self._spacing:
            fold_on(folding, instance, sequence, upto)
            return folding.state
        spacing, hashes = self._hashes(instance, upto)
        nearest = self._nearest(instance, upto, last, hashes)
        if nearest is not None:
            if nearest.sequence == upto:
                return nearest.state
            folding.state, sequence = _copied(nearest.state), nearest.sequence
        for stop in (*(place for place in sorted(hashes) if place > sequence), upto):
            fold_on(folding, instance, sequence, stop)
            sequence = stop
            if stop in hashes:
                self._keep(instance, spacing, stop, hashes[stop], last, folding.state)
        return folding.state

    def forget(self, instance: Id) -> None:
        """Drop what is kept of an instance."""
        with self._lock:
            self._shelves.pop(instance, None)

    def _hashes(self, instance: Id, upto: int) -> tuple[int, Mapping[int, str]]:
        """Return how far apart this instance's states are kept, and the hashes of the events where they are."""
        with self._lock:
            self._drop_expired()
            shelf = self._shelves.get(instance)
            spacing = shelf.spacing if shelf else self._spacing
        places = list(range(spacing - 1, upto + 1, spacing))
        rows = HistoryEvent.objects.filter(instance_id=uuid.UUID(instance), sequence__in=places)
        return spacing, dict(rows.values_list("sequence", "hash"))

    def _nearest(self, instance: Id, upto: int, last: int, hashes: Mapping[int, str]) -> Kept | None:
        with self._lock:
            shelf = self._shelves.get(instance)
            if shelf is None:
                return None
            shelf.used = time.monotonic()
            self._shelves.move_to_end(instance)
            places = [place for place in shelf.states if place <= upto]
            nearest = shelf.states[max(places)] if places else None
        if nearest is None:
            return None
        if hashes.get(nearest.sequence) != nearest.hash or _erased_since(instance, nearest.seen, last):
            self.forget(instance)
            return None
        return nearest

    def _keep(self, instance: Id, spacing: int, sequence: int, digest: str, last: int, state: State) -> None:
        copy = _copied(state)
        kept = Kept(sequence, digest, last, copy, sum(len(getattr(copy, name)) for name in TABLES))
        with self._lock:
            shelf = self._shelves.setdefault(instance, _Shelf(spacing))
            if (sequence + 1) % shelf.spacing == 0:
                shelf.states[sequence] = kept
            shelf.used = time.monotonic()
            self._shelves.move_to_end(instance)
            self._fit()

    def _fit(self) -> None:
        """Drop the instances that were not looked at for longest; of the last one, every second state."""
        while self._sum() > self._max_rows:
            if len(self._shelves) > 1:
                self._shelves.popitem(last=False)
                continue
            (shelf,) = self._shelves.values()
            shelf.spacing *= 2
            shelf.states = {
                place: kept for place, kept in shelf.states.items() if (place + 1) % shelf.spacing == 0
            }

    def _drop_expired(self) -> None:
        oldest = time.monotonic() - LASTS_S
        for instance in [one for one, shelf in self._shelves.items() if shelf.used < oldest]:
            del self._shelves[instance]

    def _sum(self) -> int:
        return sum(shelf.rows for shelf in self._shelves.values())


def _erased_since(instance: Id, seen: int, last: int) -> bool:
    if seen >= last:
        return False
    newer = HistoryEvent.objects.filter(instance_id=uuid.UUID(instance), sequence__gt=seen)
    return newer.filter(event_type=e.PersonalDataErased.__name__).exists()


def _copied(state: State) -> State:
    twin = State(replace(state.instance), everything=True)
    for name in (*TABLES, "arrivals", "newest_joins"):
        getattr(twin, name).update(getattr(state, name))
    return twin


folded_states: Final = FoldedStates()
"""What this process keeps."""
