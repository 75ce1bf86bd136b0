"""PostgreSQL: the one statement that writes a document, as a common table expression for each of its parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from bpm.shell.columns import (
    CANDIDATE_COLUMNS,
    CHANGING_COLUMNS,
    HISTORY_COLUMNS,
    INSTANCE_COLUMNS,
    TEXT,
    USUAL_COLUMNS,
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
)
from bpm.shell.sql.row_template import Mode
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

_Columns = Sequence[tuple[str, str]]
_HEAD_BEFORE: Final = "head before"
_CHANGED_COLUMNS: Final[_Columns] = (*INSTANCE_COLUMNS, (_HEAD_BEFORE, TEXT))


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
def cells(key: str, mode: Mode) -> tuple[int, ...] | None:
    """Return the positions in a part's rows of what its statement takes; None where that is all."""
    if mode not in ("usual", "update"):
        return None
    columns, keys, changing, usual = _updating(key)
    names = {*keys, *(usual if mode == "usual" else changing)}
    return tuple(position for position, (name, _) in enumerate(columns) if name in names)


def _updating(key: str) -> tuple[_Columns, Iterable[str], frozenset[str], Iterable[str]]:
    """Return a part's columns, and those that find a row, that an update sets, and that it usually sets."""
    if key == CHANGED:
        return _CHANGED_COLUMNS, ("id", "revision", _HEAD_BEFORE), CHANGING_COLUMNS, USUAL_COLUMNS
    spec = SPECS[key]
    columns = tuple(zip(spec.columns, spec.column_kinds, strict=True))
    return columns, spec.key, frozenset(spec.changing) - _NEVER_CHANGE, spec.usual


def _part(shape: Shape, guard: Guard, guarding: str) -> str:
    key, mode, _ = shape
    source = guarding + shape.rows
    if key == CHANGED:
        return f"{_changed(mode, shape.rows)}{_UNDISTURBED[guard]} RETURNING 1"
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
    if mode in ("usual", "update"):
        taken = _taken(key, mode)
        match = " AND ".join(f'x."{name}" = {taken[name]}' for name in spec.key)
        return f"UPDATE {spec.table} x SET {_sets(taken, spec.key)} FROM {source} WHERE {match}"
    columns = tuple(zip(spec.columns, spec.column_kinds, strict=True))
    return _insert(spec.table, columns, source) + (_on_conflict(spec) if mode == "upsert" else "")


def _taken(key: str, mode: Mode) -> dict[str, str]:
    """Return the columns that an update takes, and their values in SQL."""
    columns, positions = _updating(key)[0], cells(key, mode)
    assert positions is not None, "an update takes no more than it sets"
    return {columns[position][0]: _value(at, columns[position][1]) for at, position in enumerate(positions)}


def _value(position: int, kind: str) -> str:
    return f"(e->>{position})" + ("" if kind in ("text", "json") else f"::{kind}")


def _insert(table: str, columns: Sequence[tuple[str, str]], source: str) -> str:
    names = ", ".join(f'"{name}"' for name, _ in columns)
    values = ", ".join(_value(position, kind) for position, (_, kind) in enumerate(columns))
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


def _sets(taken: Mapping[str, str], keys: Iterable[str]) -> str:
    return ", ".join(f'"{name}" = {value}' for name, value in taken.items() if name not in keys)


def _on_conflict(spec: TableSpec) -> str:
    changing = [name for name in spec.changing if name not in _NEVER_CHANGE]
    sets = ", ".join(f'"{name}" = excluded."{name}"' for name in changing)
    return f" ON CONFLICT ({', '.join(spec.key)}) DO UPDATE SET {sets}"


def _changed(mode: Mode, source: str) -> str:
    taken = _taken(CHANGED, mode)
    sets = _sets(taken, ("id", "revision", _HEAD_BEFORE))
    return (
        f"UPDATE bpm_processinstance i SET {sets}, revision = i.revision + 1 FROM {source} "
        f"WHERE i.id = {taken['id']} AND i.revision = {taken['revision']} AND i.head = {taken[_HEAD_BEFORE]}"
    )
