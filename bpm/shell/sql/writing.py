"""PostgreSQL: the one statement that writes a document, as a common table expression for each of its parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from bpm.shell.columns import (
    CANDIDATE_COLUMNS,
    CHANGING_COLUMNS,
    HEAD_BEFORE,
    HISTORY_COLUMNS,
    INSTANCE_COLUMNS,
)
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
    Guard,
    Mode,
)
from bpm.shell.sql.sending import postgresql_part
from bpm.shell.table_spec import TableSpec
from bpm.shell.tables import SPECS

_POSITION = {name: index for index, (name, _) in enumerate(INSTANCE_COLUMNS)}


class Shape(NamedTuple):
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
    CANDIDATES: ("bpm_usertaskcandidate", CANDIDATE_COLUMNS),
}
TIMELY_MS: Final = 200
"""How far a clock that was run on may be behind the database's when what was decided by it is written."""

_TIMELY = f"clock_timestamp() - %s::timestamptz BETWEEN interval '0' AND interval '{TIMELY_MS} ms'"
_STARTABLE = (
    f" JOIN bpm_definition v ON v.id = (e->>{_POSITION['definition_id']})::uuid "
    "AND v.executable AND NOT v.suspended AND v.deleted_at IS NULL"
)
_LATEST = (
    f" JOIN bpm_definitionkey k ON k.tenant = (e->>{_POSITION['tenant']}) "
    f"AND k.key = (e->>{_POSITION['definition_key']}) AND k.latest_id = v.id"
)
_FREE = (
    "i.id = (SELECT f.id FROM bpm_processinstance f WHERE f.id = (e->>0)::uuid FOR NO KEY UPDATE SKIP LOCKED)"
)
_UNDISTURBED = {
    Guard.LOCKED: "",
    Guard.FREE: f" AND {_FREE}",
    Guard.REVISION: "",
    Guard.KNOWN: f" AND {_TIMELY}",
    Guard.LATEST: f" AND {_TIMELY}",
}
_CURRENT = {
    Guard.LOCKED: "",
    Guard.FREE: "",
    Guard.REVISION: "",
    Guard.KNOWN: f"{_STARTABLE} WHERE {_TIMELY}",
    Guard.LATEST: f"{_STARTABLE}{_LATEST} WHERE {_TIMELY}",
}
_NEVER_CHANGE = frozenset({"created_at", "started_at", "opened_at", "instance_id", "tenant"})


@lru_cache(maxsize=512)
def write_query(shapes: tuple[Shape, ...], guard: Guard) -> str:
    """Return the statement for documents with these parts; it takes one parameter per part, and perhaps the time."""
    keys = [shape.key for shape in shapes]
    first = STARTED if STARTED in keys and guard >= Guard.KNOWN else CHANGED
    guarding = f"w_{first}, " if guard and first in keys else ""
    pieces = [f"w_{shape.key} AS ({_part(shape, guard, guarding)})" for shape in shapes]
    won = _sum(key for key in (STARTED, CHANGED) if key in keys)
    if not SENT.intersection(keys):
        return f"WITH {', '.join(pieces)} SELECT {won}"
    sent = " UNION ALL ".join(f"SELECT id FROM w_{key}" for key in (OUTBOX, SIGNALS) if key in keys)
    ids = f"ARRAY({sent} ORDER BY 1)" if sent else "ARRAY[]::bigint[]"
    arrived = _sum(key for key in (DELIVERED, UNBUFFERED) if key in keys)
    return f"WITH {', '.join(pieces)} SELECT {won}, {ids}, {arrived}"


def _sum(keys: Iterable[str]) -> str:
    return " + ".join(f"(SELECT count(*) FROM w_{key})" for key in keys) or "0"


def asks_for_time(shape: Shape, guard: Guard) -> bool:
    """Return whether a part's statement takes, behind its rows, what the time is thought to be."""
    return guard >= Guard.KNOWN and shape.key in (STARTED, CHANGED)


def uses(key: str) -> int:
    """Return how often a part's statement takes its rows."""
    return 2 if key == SIGNALS else 1


@lru_cache(maxsize=64)
def unused(key: str, mode: Mode) -> tuple[int, ...]:
    """Return the positions in a part's rows that its statement does not look at."""
    if mode != "update":
        return ()
    if key == CHANGED:
        columns, used = [name for name, _ in INSTANCE_COLUMNS], {"id", *CHANGING_COLUMNS}
    else:
        spec = SPECS[key]
        columns, used = list(spec.columns), {*spec.key, *(set(spec.changing) - _NEVER_CHANGE)}
    return tuple(position for position, name in enumerate(columns) if name not in used)


def _part(shape: Shape, guard: Guard, guarding: str) -> str:
    key, mode, _ = shape
    source = guarding + shape.rows
    if key == CHANGED:
        return f"{_changed(shape.rows)}{_UNDISTURBED[guard]} RETURNING 1"
    if key == REMOVED:
        match = "v.instance_id = (e->>0)::uuid AND v.scope = (e->>1)::uuid AND v.name = e->>2"
        return f"DELETE FROM bpm_variable v USING {source} WHERE {match}"
    if key == WITHDRAWN:
        match = "c.task = (e->>0)::uuid AND c.kind = e->>2 AND c.name = e->>3"
        return f"DELETE FROM bpm_usertaskcandidate c USING {source} WHERE {match}"
    if key == STARTED:
        return _insert(*_OTHER_TABLES[key], shape.rows) + _CURRENT[guard] + " RETURNING 1"
    if key == HISTORY:
        return _history(source)
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


def _history(source: str) -> str:
    """Return the part that inserts events: an array per instance, with an array per event."""
    names = ", ".join(f'"{name}"' for name, _ in HISTORY_COLUMNS)
    values = ", ".join(_value(at, kind) for at, (_, kind) in enumerate(HISTORY_COLUMNS[3:]))
    # Unless it were kept apart, what the events share would be read from the array again for each.
    shared = (
        "SELECT (e->>0)::uuid AS id, (e->>1)::bigint AS first, (e->>2)::timestamptz AS at, e->3 AS events"
    )
    return (
        f"INSERT INTO bpm_historyevent ({names}) SELECT i.id, i.first + x.n - 1, i.at, {values} "
        f"FROM ({shared} FROM {source} OFFSET 0) i, jsonb_array_elements(i.events) WITH ORDINALITY x (e, n)"
    )


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
        f"WHERE i.id = (e->>0)::uuid AND i.revision = {_value(_POSITION['revision'], 'int')} "
        f"AND i.head = (e->>{HEAD_BEFORE})"
    )
