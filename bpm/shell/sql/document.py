"""What one write writes: rows by table, and which of them are new."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from enum import IntEnum
from typing import Any, Final, Literal, NamedTuple

from bpm.shell.tables import SPECS

STARTED, CHANGED, HISTORY, CANDIDATES, REMOVED = "started", "changed", "history", "candidates", "removed"
"""Parts beside the tables of a state: new and changed instances, events, candidates of tasks, removed variables."""

WITHDRAWN: Final = "withdrawn"
"""Part of candidates that are none any more."""

OUTBOX, SIGNALS, DELIVERED, UNBUFFERED = "outbox", "signals", "delivered", "unbuffered"
"""Parts between instances: what is sent, what is broadcast, what of it and of the buffered messages has arrived."""

SENT: Final = frozenset({OUTBOX, SIGNALS, DELIVERED, UNBUFFERED})

_OTHERS: Final = (HISTORY, CANDIDATES, WITHDRAWN, REMOVED, OUTBOX, DELIVERED, UNBUFFERED)
_ORDER: Final = (STARTED, CHANGED, SIGNALS, *SPECS, *_OTHERS)


class Guard(IntEnum):
    """On what a write depends.

    Attributes:
        LOCKED: the instances are locked.
        FREE: on what was read, and that nobody else has the instance locked.
        REVISION: on what was read; who else has the instance locked is waited for.
        KNOWN: on all that was decided by what the process knew already: besides what was read before, that it is the
            time of which was thought, and that the version that starts still may.
        LATEST: and that it is still the latest of its key.
    """

    LOCKED = 0
    FREE = 1
    REVISION = 2
    KNOWN = 3
    LATEST = 4


class Written(NamedTuple):
    """What a write has done.

    Attributes:
        instances: inserted or, their revision unchanged, updated.
        sent: ids of new rows of the outbox, in order.
        arrived: delivered rows and buffered messages that were there to be removed.
    """

    instances: int
    sent: tuple[int, ...] = ()
    arrived: int = 0


Mode = Literal["insert", "update", "upsert"]

RowInMode = Callable[[Mode], str]
"""A row's JSON text in a part of that mode."""


class Part(NamedTuple):
    """The rows of one table, in one write.

    Attributes:
        mode: `insert` where all rows are new, `update` where none is, else `upsert`.
        texts: rows that are JSON already (PostgreSQL).
    """

    key: str
    mode: Mode
    rows: list[list[Any]]
    texts: list[RowInMode]


class Document:
    """Rows on their way into the database, in the order of their table's columns; times are still datetimes.

    Attributes:
        plans: where the statements for documents with the same parts are kept; None for one that is like no other.
    """

    def __init__(self, plans: dict[Guard, Any] | None = None) -> None:
        self.plans = plans
        self.rows: defaultdict[str, list[list[Any]]] = defaultdict(list)
        self._texts: defaultdict[str, list[RowInMode]] = defaultdict(list)
        self._new: defaultdict[str, list[bool]] = defaultdict(list)
        self._new_texts: defaultdict[str, int] = defaultdict(int)

    def put(self, table: str, row: list[Any], *, new: bool) -> None:
        """Add a row of a table of the state."""
        self.rows[table].append(row)
        self._new[table].append(new)

    def put_text(self, part: str, row: RowInMode, *, new: bool) -> None:
        """Add a row whose text is there already."""
        self._texts[part].append(row)
        self._new_texts[part] += new

    def take(self, other: Document) -> None:
        """Add all rows of another document, which has no texts."""
        for part, rows in other.rows.items():
            self.rows[part] += rows
            self._new[part] += other._new.get(part, ())

    def is_new(self, table: str, number: int) -> bool:
        """Return whether a row that was put is new."""
        return table in self._new and self._new[table][number]

    @property
    def instances(self) -> int:
        """How many instances it writes."""
        return sum(self._count(part) for part in (STARTED, CHANGED))

    def __bool__(self) -> bool:
        """Return whether there is anything to write."""
        return bool(self.rows or self._texts)

    def parts(self) -> list[Part]:
        """Return what there is to write, in the order of writing."""
        rows, texts = self.rows, self._texts
        return [self.part(key, self._mode(key)) for key in _ORDER if key in rows or key in texts]

    def part(self, key: str, mode: Mode) -> Part:
        """Return the rows of a table."""
        return Part(key, mode, self.rows.get(key, []), self._texts.get(key, []))

    def _count(self, part: str) -> int:
        return len(self.rows.get(part, ())) + len(self._texts.get(part, ()))

    def _mode(self, key: str) -> Mode:
        if key == CHANGED:
            return "update"
        if key not in SPECS:
            return "insert"
        # A variable may stand in the table without having been read.
        if key == "variables":
            return "upsert"
        new = sum(self._new.get(key, ())) + self._new_texts.get(key, 0)
        return "update" if not new else "insert" if new == self._count(key) else "upsert"
