"""What one write writes: rows by table, and which of them are new."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from enum import IntEnum
from typing import Any, Final, NamedTuple

from bpm.shell.sql.row_template import Mode, RowTemplate
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


class Part(NamedTuple):
    """The rows of one table, in one write.

    Attributes:
        mode: that of all its rows, or one that does for all.
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
        self._modes: defaultdict[str, list[Mode]] = defaultdict(list)
        # By the identity of the rows: instances that are alike share them.
        self._alike: dict[int, tuple[tuple[RowTemplate, ...], list[list[Any]]]] = {}
        self._histories: list[str] = []

    def put(self, part: str, row: list[Any], mode: Mode) -> None:
        """Add an instance's own row, or one of a table of its state."""
        self.rows[part].append(row)
        self._modes[part].append(mode)

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
            self._modes[part] += other._modes.get(part, ())

    def mode_of(self, part: str, number: int) -> Mode:
        """Return how a row has to be written."""
        modes = self._modes.get(part)
        return modes[number] if modes else "insert"

    @property
    def instances(self) -> int:
        """How many instances it writes."""
        return sum(self.count(part) for part in (STARTED, CHANGED))

    def __bool__(self) -> bool:
        """Return whether there is anything to write."""
        return bool(self.rows or self._alike)

    def modes(self) -> list[tuple[str, Mode]]:
        """Return what parts there are to write, in the order of writing, and how."""
        keys = {row.part for rows, _ in self._alike.values() for row in rows} | self.rows.keys()
        if self._histories:
            keys.add(HISTORY)
        return [(key, self._mode(key)) for key in _ORDER if key in keys]

    def parts(self) -> list[Part]:
        """Return what there is to write, in the order of writing."""
        return [self.part(key, mode) for key, mode in self.modes()]

    def part(self, key: str, mode: Mode) -> Part:
        """Return the rows of a table."""
        texts = list(self._histories) if key == HISTORY else []
        for row, many in self._templates(key):
            texts += row.texts[mode].fill_all(many)
        return Part(key, mode, self.rows.get(key, []), texts)

    def _templates(self, part: str) -> Iterator[tuple[RowTemplate, list[list[Any]]]]:
        for rows, many in self._alike.values():
            for row in rows:
                if row.part == part:
                    yield row, many

    def count(self, part: str) -> int:
        """Return how many rows a part has."""
        alike = (
            len(self._histories) if part == HISTORY else sum(len(many) for _, many in self._templates(part))
        )
        return len(self.rows.get(part, ())) + alike

    def _mode(self, key: str) -> Mode:
        # A variable may stand in the table without having been read.
        if key == "variables":
            return "upsert"
        modes: set[Mode] = {*self._modes.get(key, ()), *(row.mode for row, _ in self._templates(key))}
        if len(modes) > 1:
            return "upsert" if "insert" in modes else "update"
        return modes.pop() if modes else "insert"
