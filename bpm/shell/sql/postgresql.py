"""PostgreSQL: one statement reads, one statement writes, fed by one JSON parameter each.

A document is unpacked by position from jsonb; values of users travel inside it as JSON *strings* and are stored as
text, so that no number is ever re-parsed (docs/explanation/performance).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from bpm.core.ids import Id
from bpm.core.values import encoder
from bpm.shell.columns import CANDIDATE_COLUMNS, CHANGING_COLUMNS, HISTORY_COLUMNS, INSTANCE_COLUMNS
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
    Mode,
    Written,
)
from bpm.shell.sql.due_work import DUE
from bpm.shell.sql.leasing import wait_query
from bpm.shell.sql.sending import postgresql_part
from bpm.shell.table_spec import TableSpec
from bpm.shell.tables import SPECS


def _isoformat(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is no value of a row")


_encode = encoder(_isoformat, ascii_only=False)
_POSITION = {name: index for index, (name, _) in enumerate(INSTANCE_COLUMNS)}


class PostgreSQL(Dialect):
    """See the module."""

    vendor = "postgresql"
    json_array = "json_build_array"

    def ids(self, ids: Iterable[Id]) -> str:
        """Return an array literal."""
        return "{" + ",".join(ids) + "}"

    def among(self, column: str) -> str:
        """Return a comparison with an array."""
        return f"{column} = ANY(%s::uuid[])"

    def clock(self) -> str:
        """Return the wall clock, which moves on inside a transaction."""
        return "to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US+00:00')"

    def element(self, position: int, kind: str) -> str:
        """Return a cast element of a jsonb array."""
        return f"(e->>{position})::{kind}"

    def elements(self) -> str:
        """Return the elements of a jsonb array."""
        return "jsonb_array_elements(%s::jsonb) e"

    def lock_clause(self, *, skip_locked: bool) -> str:
        """Return the row lock that foreign keys do not conflict with."""
        return "FOR NO KEY UPDATE OF i" + (" SKIP LOCKED" if skip_locked else "")

    def listed(self) -> str:
        """Return the elements of an array."""
        return "SELECT unnest(%s::uuid[]) AS id"

    def looked_up(self, outer: str, table: str, condition: str) -> str:
        """Return a join that cannot be turned round."""
        return f"(SELECT y.* FROM {outer} o, LATERAL (SELECT * FROM {table} z WHERE {condition} OFFSET 0) y)"

    def needs_query(self, *, variables: bool, joins: bool) -> str:
        """Return the query over jsonb parameters."""
        return _needs_query(self, variables, joins)

    def decode(self, spec: TableSpec, row: list[Any]) -> list[Any]:
        """Return the row with times parsed; ids are text already."""
        for position in spec.time_positions:
            if row[position] is not None:
                row[position] = datetime.fromisoformat(row[position])
        return row

    def decode_instance(self, row: list[Any]) -> list[Any]:
        """Return the row with times parsed."""
        for position in (_POSITION["started_at"], _POSITION["ended_at"], _POSITION["updated_at"]):
            if row[position] is not None:
                row[position] = datetime.fromisoformat(row[position])
        return row

    def moment(self) -> str:
        """Return the parameter, else the statement's begin, which unlike the clock can be looked up in an index."""
        return "coalesce(%s::timestamptz, statement_timestamp())"

    def moment_value(self, now: datetime | None) -> object:
        """Return the instant itself."""
        return now

    def locked_candidates(self) -> str:
        """Lock one by one, so that no more are locked than are asked for."""
        row = "SELECT i.id, i.revision FROM bpm_processinstance i WHERE i.id = c.instance_id"
        return (
            "SELECT c.id AS task, i.id AS instance_id, i.revision "
            f"FROM c, LATERAL ({row} FOR NO KEY UPDATE SKIP LOCKED) i LIMIT %s"
        )

    def wait_for_candidate(self, tenant: str, topics: Sequence[str], now: datetime | None) -> None:
        """Wait at most the session's lock time-out."""
        self._execute(wait_query(self, len(topics)), self.candidate_parameters(tenant, topics, 1, now))

    def due(self, table: str, now: datetime | None, limit: int) -> list[tuple[Id, Id]]:
        """Ask the partial index."""
        query = DUE[table].format(now=self.moment(), limit="%s")
        return [(str(row), str(owner)) for row, owner in self._execute(query, [now, limit])]

    def write(self, document: Document, *, guarded: bool) -> Written:
        """Write in one statement. Statements: 1."""
        shapes, parameters = [], []
        small = document.instances == 1
        for key, mode, rows in document.parts():
            single = small and len(rows) == 1 and key not in SENT
            shapes.append(_Shape(key, mode, single))
            parameters += [_encode(rows[0] if single else rows)] * _uses(key)
        won, *rest = self._execute(_write_query(tuple(shapes), guarded), parameters)[0]
        return Written(won, tuple(rest[0]), rest[1]) if rest else Written(won)


@lru_cache
def _needs_query(sql: PostgreSQL, variables: bool, joins: bool) -> str:
    pieces = []
    if variables:
        source = (
            "(SELECT v.* FROM jsonb_array_elements(%s::jsonb) e JOIN bpm_variable v ON v.instance_id = (e->>0)::uuid "
            "AND v.scope = (e->>1)::uuid AND (e->>2 IS NULL OR v.name = e->>2))"
        )
        pieces.append(sql.parts(SPECS["variables"], source))
    if joins:
        newest = (
            "SELECT * FROM bpm_paralleljoinstate n WHERE n.instance_id = (e->>0)::uuid AND n.scope = (e->>1)::uuid "
            'AND n.node = e->>2 AND n."group" = (e->>3)::uuid ORDER BY n.generation DESC LIMIT 1'
        )
        found = f"jsonb_array_elements(%s::jsonb) e, LATERAL ({newest}) j"
        waiting = 'SELECT * FROM bpm_token z WHERE z."join" = j.id AND NOT z.final OFFSET 0'
        asked = "j.status = 'OPEN' AND (j.arrived + (e->>4)::int >= j.expected OR e->5 ? t.flow)"
        pieces.append(sql.parts(SPECS["joins"], f"(SELECT j.* FROM {found})"))
        arrivals = f"(SELECT t.* FROM {found}, LATERAL ({waiting}) t WHERE {asked})"
        pieces.append(sql.parts(SPECS["tokens"], arrivals))
    return " UNION ALL ".join(pieces)


# writing


class _Shape(NamedTuple):
    """What the text of a part depends on; a single row is not unpacked by a function, which costs more than the row."""

    key: str
    mode: Mode
    single: bool

    @property
    def rows(self) -> str:
        """A FROM item with the column `e`, an array per row."""
        return "(SELECT %s::jsonb AS e) d" if self.single else "jsonb_array_elements(%s::jsonb) e"


_OTHER_TABLES = {
    STARTED: ("bpm_processinstance", INSTANCE_COLUMNS),
    HISTORY: ("bpm_historyevent", HISTORY_COLUMNS),
    CANDIDATES: ("bpm_usertaskcandidate", CANDIDATE_COLUMNS),
}
_NEVER_CHANGE = frozenset({"created_at", "started_at", "opened_at", "instance_id", "tenant"})


@lru_cache(maxsize=512)
def _write_query(shapes: tuple[_Shape, ...], guarded: bool) -> str:
    """Return the statement for documents with these parts; it takes one parameter per part."""
    keys = [shape.key for shape in shapes]
    guard = f"w_{CHANGED}, " if guarded and CHANGED in keys else ""
    pieces = [f"w_{shape.key} AS ({_part(shape, guard)})" for shape in shapes]
    won = _sum(key for key in (STARTED, CHANGED) if key in keys)
    if not SENT.intersection(keys):
        return f"WITH {', '.join(pieces)} SELECT {won}"
    sent = " UNION ALL ".join(f"SELECT id FROM w_{key}" for key in (OUTBOX, SIGNALS) if key in keys)
    ids = f"ARRAY({sent} ORDER BY 1)" if sent else "ARRAY[]::bigint[]"
    arrived = _sum(key for key in (DELIVERED, UNBUFFERED) if key in keys)
    return f"WITH {', '.join(pieces)} SELECT {won}, {ids}, {arrived}"


def _sum(keys: Iterable[str]) -> str:
    return " + ".join(f"(SELECT count(*) FROM w_{key})" for key in keys) or "0"


def _uses(key: str) -> int:
    """Return how often a part's statement takes its rows."""
    return 2 if key == SIGNALS else 1


def _part(shape: _Shape, guard: str) -> str:
    key, mode, _ = shape
    source = guard + shape.rows
    if key == CHANGED:
        return _changed(shape.rows)
    if key == REMOVED:
        match = "v.instance_id = (e->>0)::uuid AND v.scope = (e->>1)::uuid AND v.name = e->>2"
        return f"DELETE FROM bpm_variable v USING {source} WHERE {match}"
    if key == WITHDRAWN:
        match = "c.task = (e->>0)::uuid AND c.kind = e->>2 AND c.name = e->>3"
        return f"DELETE FROM bpm_usertaskcandidate c USING {source} WHERE {match}"
    if key == STARTED:
        return _insert(*_OTHER_TABLES[key], shape.rows) + " RETURNING 1"
    if key in _OTHER_TABLES:
        return _insert(*_OTHER_TABLES[key], source)
    if key in SENT:
        return postgresql_part(key, source)
    spec = SPECS[key]
    columns = tuple(zip(spec.columns, spec.column_kinds, strict=True))
    if mode == "update":
        names = frozenset(spec.changing)
        places = _places(columns)
        match = " AND ".join(
            f'x."{name}" = {_value(at, kind)}' for name, at, kind in places if name in spec.key
        )
        return f"UPDATE {spec.table} x SET {_sets(columns, names)} FROM {source} WHERE {match}"
    return _insert(spec.table, columns, source) + (_on_conflict(spec) if mode == "upsert" else "")


def _places(columns: Sequence[tuple[str, str]]) -> list[tuple[str, int, str]]:
    return [(name, position, kind) for position, (name, kind) in enumerate(columns)]


def _value(position: int, kind: str) -> str:
    return f"(e->>{position})" + ("" if kind in ("text", "json") else f"::{kind}")


def _insert(table: str, columns: Sequence[tuple[str, str]], source: str) -> str:
    names = ", ".join(f'"{name}"' for name, _ in columns)
    values = ", ".join(_value(position, kind) for _, position, kind in _places(columns))
    return f"INSERT INTO {table} ({names}) SELECT {values} FROM {source}"


def _sets(columns: Sequence[tuple[str, str]], names: frozenset[str]) -> str:
    changing = names - _NEVER_CHANGE
    return ", ".join(
        f'"{name}" = {_value(at, kind)}' for name, at, kind in _places(columns) if name in changing
    )


def _on_conflict(spec: TableSpec) -> str:
    changing = [name for name in spec.changing if name not in _NEVER_CHANGE]
    sets = ", ".join(f'"{name}" = excluded."{name}"' for name in changing)
    return f" ON CONFLICT ({', '.join(spec.key)}) DO UPDATE SET {sets}"


def _changed(source: str) -> str:
    sets = _sets(INSTANCE_COLUMNS, CHANGING_COLUMNS - {"revision"})
    return (
        f"UPDATE bpm_processinstance i SET {sets}, revision = i.revision + 1 FROM {source} "
        f"WHERE i.id = (e->>0)::uuid AND i.revision = {_value(_POSITION['revision'], 'int')} RETURNING 1"
    )
