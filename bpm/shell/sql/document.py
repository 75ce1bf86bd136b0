"""What one write writes: rows by table, and which of them are new."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from enum import IntEnum
from typing import Any, Final, Literal, NamedTuple

from bpm.shell.sql.row_template import RowTemplate
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


class Part(NamedTuple):
    """The rows of one table, in one write.

    Attributes:
        mode: `insert` where all rows are new, `update` where none is, else `upsert`.
        texts: rows that are JSON already (PostgreSQL).
    """

    key: str
    mode: Mode
    rows: list[list[Any]]
    texts: list[str]


class Document:
    """Rows on their way into the database, in the order of their table's columns; times are still datetimes.

    Attributes:
        plans: where the statements for documents with the same parts are kept; None for one that is like no other.
    """

    def __init__(self, plans: dict[Guard, Any] | None = None) -> None:
        self.plans = plans
        self.rows: defaultdict[str, list[list[Any]]] = defaultdict(list)
        self._new: defaultdict[str, list[bool]] = defaultdict(list)
        # By the identity of the rows: instances that are alike share them.
        self._alike: dict[int, tuple[tuple[RowTemplate, ...], list[list[Any]]]] = {}
        self._histories: list[str] = []

    def put(self, table: str, row: list[Any], *, new: bool) -> None:
        """Add a row of a table of the state."""
        self.rows[table].append(row)
        self._new[table].append(new)

    def put_alike(self, rows: tuple[RowTemplate, ...], values: list[Any], history: str) -> None:
        """Add an instance's rows, as values for what it has in common with others, and the text of its history."""
        group = self._alike.get(id(rows))
        if group is None:
            group = self._alike[id(rows)] = (rows, [])
        group[1].append(values)
        self._histories.append(history)

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
        return bool(self.rows or self._alike)

    def parts(self) -> list[Part]:
        """Return what there is to write, in the order of writing."""
        keys = {row.part for rows, _ in self._alike.values() for row in rows} | self.rows.keys()
        if self._histories:
            keys.add(HISTORY)
        return [self.part(key, self._mode(key)) for key in _ORDER if key in keys]

    def part(self, key: str, mode: Mode) -> Part:
        """Return the rows of a table."""
        texts = self._histories if key == HISTORY else self._texts(key, mode)
        return Part(key, mode, self.rows.get(key, []), texts)

    def _texts(self, key: str, mode: Mode) -> list[str]:
        texts: list[str] = []
        for row, many in self._templates(key):
            texts += (row.narrow if mode == "update" else row.full).fill_all(many)
        return texts

    def _templates(self, part: str) -> Iterator[tuple[RowTemplate, list[list[Any]]]]:
        for rows, many in self._alike.values():
            for row in rows:
                if row.part == part:
                    yield row, many

    def _count(self, part: str) -> int:
        return len(self.rows.get(part, ())) + sum(len(many) for _, many in self._templates(part))

    def _mode(self, key: str) -> Mode:
        if key == CHANGED:
            return "update"
        if key not in SPECS:
            return "insert"
        # A variable may stand in the table without having been read.
        if key == "variables":
            return "upsert"
        new = sum(self._new.get(key, ())) + sum(len(many) for row, many in self._templates(key) if row.new)
        return "update" if not new else "insert" if new == self._count(key) else "upsert"
