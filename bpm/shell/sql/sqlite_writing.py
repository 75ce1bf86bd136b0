"""SQLite's statements that write, one per table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from bpm.shell.columns import (
    CANDIDATE_COLUMNS,
    CHANGING_COLUMNS,
    HEAD_BEFORE,
    HISTORY_COLUMNS,
    INSTANCE_COLUMNS,
)
from bpm.shell.sql.document import CANDIDATES, HISTORY, REMOVED, STARTED, WITHDRAWN
from bpm.shell.table_spec import TableSpec
from bpm.shell.tables import SPECS

_REVISION = [name for name, _ in INSTANCE_COLUMNS].index("revision")


def _insert(table: str, columns: Sequence[str], conflict: str = "") -> str:
    names = ", ".join(f'"{name}"' for name in columns)
    values = ", ".join(f"value->>{position}" for position in range(len(columns)))
    return f"INSERT INTO {table} ({names}) SELECT {values} FROM json_each(%s) WHERE true{conflict}"


def _upsert(spec: TableSpec) -> str:
    sets = ", ".join(
        f'"{column}" = excluded."{column}"'
        for column in spec.changing
        if column not in ("created_at", "started_at", "opened_at")
    )
    return f" ON CONFLICT ({', '.join(spec.key)}) DO UPDATE SET {sets}"


@lru_cache
def write_query(key: str) -> str:
    """Return the statement that writes the rows of one key of a document, given as one JSON parameter."""
    if key in SPECS:
        spec = SPECS[key]
        return _insert(spec.table, spec.columns, _upsert(spec))
    if key == STARTED:
        return _insert("bpm_processinstance", [name for name, _ in INSTANCE_COLUMNS])
    if key == HISTORY:
        return _insert("bpm_historyevent", [name for name, _ in HISTORY_COLUMNS])
    if key == CANDIDATES:
        return _insert("bpm_usertaskcandidate", [name for name, _ in CANDIDATE_COLUMNS])
    if key == WITHDRAWN:
        return (
            "DELETE FROM bpm_usertaskcandidate WHERE (task, kind, name) IN "
            "(SELECT value->>0, value->>2, value->>3 FROM json_each(%s))"
        )
    if key == REMOVED:
        return (
            "DELETE FROM bpm_variable WHERE (instance_id, scope, name) IN "
            "(SELECT value->>0, value->>1, value->>2 FROM json_each(%s))"
        )
    sets = ", ".join(
        f'"{name}" = e.value->>{position}'
        for position, (name, _) in enumerate(INSTANCE_COLUMNS)
        if name in CHANGING_COLUMNS and name != "revision"
    )
    return (
        f"UPDATE bpm_processinstance AS i SET {sets}, revision = i.revision + 1 FROM json_each(%s) e "
        f"WHERE i.id = e.value->>0 AND i.revision = e.value->>{_REVISION} AND i.head = e.value->>{HEAD_BEFORE}"
    )
