"""The first event at which history and rows part: only looked for where they do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from bpm.core.errors import EngineError
from bpm.core.ids import Id
from bpm.core.state import State
from bpm.shell.stored_history import Folding, stored_events
from bpm.shell.verifying.rows import Difference, instance_values

MAX_LOOKED_FOR: Final = 20


class _Watch:
    """One difference, on its way through the history once more.

    The history says something else than the table from the event on after which it never again said the same. Where it
    never did, the value of the table comes from nowhere, and the event is the last one that gave the history's.
    """

    def __init__(self, difference: Difference) -> None:
        self._difference = difference
        both = difference.folded is not None and difference.stored is not None
        self._fields = _differing(difference) if both and difference.table != "instance" else None
        self._wanted = self._look(difference.stored)
        self._now: Any = self._look(None)
        self._equal: int | None = -1 if difference.stored is None else None
        self._changed: int | None = None

    def see(self, state: State, sequence: int) -> None:
        """Look at the state after an event."""
        table, key, *_ = self._difference
        row = instance_values(state)[key] if table == "instance" else getattr(state, table).get(key)
        found = self._look(row)
        if found != self._now:
            self._now, self._changed = found, sequence
        if found == self._wanted:
            self._equal = sequence

    @property
    def parted_at(self) -> int | None:
        """The event, None where no event had to do with the row."""
        return self._changed if self._equal is None else self._equal + 1

    def _look(self, row: Any) -> Any:
        if row is None or self._fields is None:
            return row
        return tuple(getattr(row, name) for name in self._fields)


def _differing(difference: Difference) -> tuple[str, ...]:
    folded, stored = difference.folded, difference.stored
    return tuple(name for name in folded._fields if getattr(folded, name) != getattr(stored, name))


def parting_events(instance: Id, found: Sequence[Difference]) -> list[int | None]:
    """Return for each difference the first event at which history and rows part; looks for the first 20 of them.

    Statements: as reading the history.
    """
    watched = [_Watch(difference) for difference in found[:MAX_LOOKED_FOR]]
    folding = Folding(instance)
    for stored in stored_events(instance):
        try:
            folding.apply(folding.decode(stored), stored.occurred_at)
        except (EngineError, LookupError, TypeError, ValueError):
            break
        for watch in watched:
            watch.see(folding.state, stored.sequence)
    sequences = [watch.parted_at for watch in watched]
    return [*sequences, *([None] * (len(found) - len(watched)))]
