"""SQLite: the same statements over JSON functions, one per written table.

The write lock is the database's: transactions begin immediate, so there is nothing to lock by row. Ids are stored as
32 characters and times without zone, as Django stores them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from django.db import connection

from bpm.core.ids import Id
from bpm.shell.columns import (
    CANDIDATE_COLUMNS,
    HISTORY_COLUMNS,
    INSTANCE_COLUMNS,
    OUTBOX_COLUMNS,
    SIGNAL_COLUMNS,
    TEXT,
)
from bpm.shell.sql.dialect import Dialect
from bpm.shell.sql.document import (
    CANDIDATES,
    CHANGED,
    DELIVERED,
    HISTORY,
    OUTBOX,
    REMOVED,
    SENT,
    SIGNALS,
    STARTED,
    UNBUFFERED,
    WITHDRAWN,
    Document,
    Guard,
    Written,
)
from bpm.shell.sql.due_work import DUE, parameters_of
from bpm.shell.sql.narrowing import Asked
from bpm.shell.sql.sending import sqlite_query
from bpm.shell.sql.sqlite_writing import write_query
from bpm.shell.sql.tally import tally
from bpm.shell.table_spec import TableSpec
from bpm.shell.tables import SPECS

_POSITION = {name: index for index, (name, _) in enumerate(INSTANCE_COLUMNS)}
_INSTANCE_KINDS = tuple(kind for _, kind in INSTANCE_COLUMNS)
_KINDS: dict[str, tuple[str, ...]] = {
    STARTED: _INSTANCE_KINDS,
    CHANGED: (*_INSTANCE_KINDS, TEXT),
    HISTORY: tuple(kind for _, kind in HISTORY_COLUMNS),
    CANDIDATES: tuple(kind for _, kind in CANDIDATE_COLUMNS),
    WITHDRAWN: tuple(kind for _, kind in CANDIDATE_COLUMNS),
    REMOVED: ("uuid", "uuid", "text"),
    OUTBOX: tuple(kind for _, kind in OUTBOX_COLUMNS),
    SIGNALS: tuple(kind for _, kind in SIGNAL_COLUMNS),
    DELIVERED: ("bigint",),
    UNBUFFERED: ("uuid",),
    **{key: spec.column_kinds for key, spec in SPECS.items()},
}


def _dashed(text: str | None) -> str | None:
    if text is None or "-" in text:
        return text
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _instant(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=UTC)


def _stored(now: datetime | None) -> str:
    at = now or datetime.now(UTC)
    return str(at.astimezone(UTC).replace(tzinfo=None))


def _encoded(kinds: Sequence[str], row: list[Any]) -> list[Any]:
    """Return the row with ids without dashes and times as Django stores them."""
    for position, kind in enumerate(kinds):
        value = row[position]
        if value is None:
            continue
        if kind == "uuid":
            row[position] = value.replace("-", "")
        elif kind == "timestamptz":
            at = value if isinstance(value, datetime) else datetime.fromisoformat(value)
            row[position] = _stored(at)
    return row


def _each_event(rows: list[list[Any]]) -> list[list[Any]]:
    """Return a row per event, in the order of HISTORY_COLUMNS."""
    return [
        [instance, sequence, occurred_at, *event]
        for instance, first, occurred_at, events in rows
        for sequence, event in enumerate(events, first)
    ]


class SQLite(Dialect):
    """See the module."""

    vendor = "sqlite"
    json_array = "json_array"

    def ids(self, ids: Iterable[Id]) -> str:
        """Return a JSON array of ids as they are stored."""
        return json.dumps([text.replace("-", "") for text in ids])

    def among(self, column: str) -> str:
        """Return a comparison with the elements of a JSON array."""
        return f"{column} IN (SELECT value FROM json_each(%s))"

    def found(self, column: str, query: str) -> str:
        """Return a membership."""
        return f"{column} IN ({query})"

    def clock(self) -> str:
        """Return nothing: SQLite runs in the process, whose clock `instant` reads."""
        return "''"

    def instant(self, text: str) -> datetime:
        """Return the process's clock."""
        return datetime.now(UTC)

    def element(self, position: int, kind: str) -> str:
        """Return an element of a JSON array."""
        return f"e.value->>{position}"

    def elements(self) -> str:
        """Return the elements of a JSON array."""
        return "json_each(%s) e"

    def definitions_text(self, wanted: Sequence[Sequence[Any]]) -> str:
        """Return the wanted with ids as they are stored."""
        return json.dumps([[*row[:4], row[4].replace("-", "") if row[4] else None] for row in wanted])

    def lock_clause(self, *, skip_locked: bool) -> str:
        """Return nothing: the transaction holds the whole database."""
        return ""

    def text_id(self, raw: Any) -> Id:
        """Return the id with dashes."""
        return _dashed(str(raw)) or ""

    def needs_text(self, rows: list[list[Any]]) -> str:
        """Return needs with ids as they are stored."""
        return json.dumps(
            [
                [
                    value.replace("-", "") if index in (0, 1, 3) and isinstance(value, str) else value
                    for index, value in enumerate(row)
                ]
                for row in rows
            ]
        )

    def listed(self) -> str:
        """Return the elements of a JSON array."""
        return "SELECT value AS id FROM json_each(%s)"

    def looking_up(self, outer: str, table: str, condition: str) -> str:
        """Return a join that cannot be turned round."""
        return f"SELECT z.* FROM {outer} o CROSS JOIN {table} z WHERE {condition}"

    def needs_query(self, *, variables: bool, joins: bool) -> str:
        """Return the query over JSON parameters."""
        return _needs_query(self, variables, joins)

    def decode(self, spec: TableSpec, row: list[Any]) -> list[Any]:
        """Return the row with ids dashed, times parsed, booleans made."""
        for position, kind in enumerate(spec.column_kinds):
            if kind == "uuid":
                row[position] = _dashed(row[position])
            elif kind == "timestamptz":
                row[position] = _instant(row[position])
            elif kind == "boolean":
                row[position] = bool(row[position])
        return row

    def decode_instance(self, row: list[Any]) -> list[Any]:
        """Return the row with ids dashed and times parsed."""
        for position, kind in enumerate(_INSTANCE_KINDS):
            if kind == "uuid":
                row[position] = _dashed(row[position])
            elif kind == "timestamptz":
                row[position] = _instant(row[position])
        return row

    def moment(self) -> str:
        """Return the parameter."""
        return "%s"

    def moment_value(self, now: datetime | None) -> object:
        """Return the instant, by default the process's clock, as it is stored."""
        return _stored(now)

    def taken_candidates(self, *, locking: bool) -> str:
        """Read them; the transaction holds the database."""
        return (
            "SELECT c.id AS task, i.id AS instance_id, i.revision FROM c "
            "JOIN bpm_processinstance i ON i.id = c.instance_id ORDER BY c.priority DESC, c.id LIMIT %s"
        )

    def wait_for_candidate(self, tenant: str, topics: Sequence[Asked], now: datetime | None) -> None:
        """Do nothing: nobody else can have it."""

    def due(self, table: str, now: datetime | None, limit: int) -> list[tuple[Id, Id]]:
        """Ask the partial index."""
        query = DUE[table].format(now="%s", limit="%s")
        rows = self._execute(query, parameters_of(table, _stored(now), limit))
        return [(self.text_id(row), self.text_id(owner)) for row, owner, *_ in rows]

    def write(self, document: Document, *, guard: Guard) -> Written:
        """Write table by table; the caller's transaction makes it one. Statements: one per table."""
        won, arrived = 0, 0
        sent: list[int] = []
        for key, _, rows, _ in document.parts():
            flat = _each_event(rows) if key == HISTORY else rows
            text = json.dumps([_encoded(_KINDS[key], row) for row in flat])
            if key in SENT:
                found = self._execute(sqlite_query(key), [text] * (2 if key == SIGNALS else 1))
                sent += [row[0] for row in found if key in (OUTBOX, SIGNALS)]
                arrived += len(found) if key in (DELIVERED, UNBUFFERED) else 0
                continue
            count = self._change(write_query(key), text)
            if key in (STARTED, CHANGED):
                won += count
        return Written(won, tuple(sent), arrived)

    def _change(self, query: str, parameter: str) -> int:
        tally.statements += 1
        with connection.cursor() as cursor:
            cursor.execute(query, [parameter])
            return int(cursor.rowcount)


@lru_cache
def _needs_query(sql: SQLite, variables: bool, joins: bool) -> str:
    pieces = []
    if variables:
        source = (
            "(SELECT v.* FROM json_each(%s) e JOIN bpm_variable v ON v.instance_id = e.value->>0 "
            "AND v.scope = e.value->>1 AND (e.value->>2 IS NULL OR v.name = e.value->>2))"
        )
        pieces.append(sql.parts(SPECS["variables"], source))
    if joins:
        found = (
            "SELECT {} FROM json_each(%s) e JOIN bpm_paralleljoinstate j ON j.id = "
            "(SELECT id FROM bpm_paralleljoinstate n WHERE n.instance_id = e.value->>0 "
            'AND n.scope = e.value->>1 AND n.node = e.value->>2 AND n."group" = e.value->>3 '
            "ORDER BY generation DESC LIMIT 1)"
        )
        pieces.append(sql.parts(SPECS["joins"], f"({found.format('j.*')})"))
        # All that wait are read only when the join may fire; else by flow, however many wait there.
        waiting = 'SELECT z.id FROM bpm_token z WHERE z."join" = j.id AND NOT z.final AND'
        after, flows = "j.arrived + (e.value->>4)", "SELECT value FROM json_each(e.value->5)"
        asked = f"{waiting} {after} >= j.expected UNION ALL {waiting} {after} < j.expected AND z.flow IN ({flows})"
        joined = f"JOIN bpm_token t ON t.id IN ({asked}) WHERE j.status = 'OPEN'"
        arrivals = f"({found.format('t.*')} {joined})"
        pieces.append(sql.parts(SPECS["tokens"], arrivals))
    return " UNION ALL ".join(pieces)
