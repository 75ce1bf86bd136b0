"""Whole instances: all rows, ended ones too. For verification and erasure, never for a command."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.db import connection

from bpm.shell.table_spec import TableSpec
from bpm.shell.tables import SPECS

if TYPE_CHECKING:
    from bpm.shell.sql.dialect import Dialect

_ENDED: Final = {"tokens": "z.final", "scopes": "z.ended_at IS NOT NULL"}
_BY_INSTANCE: Final = frozenset({"variables", "joins", "comments"})
"""Tables that an index of all rows leads to; the others have one of what is live and one of what has ended."""


@lru_cache
def whole_query(sql: Dialect) -> tuple[str, int]:
    """Return the query for all rows of instances, and how often it takes the list of ids."""
    pieces = [sql.clock_part(), sql.instances(sql.found("x.id", "SELECT id FROM k"))]
    for spec in SPECS.values():
        pieces += [
            sql.parts(spec, sql.looked_up("k", spec.table, f"z.instance_id = o.id{condition}"))
            for condition in _conditions(spec)
        ]
    return f"WITH k AS ({sql.listed()}) " + " UNION ALL ".join(pieces), 1


def owners_behind(table: str, after: UUID, limit: int) -> list[UUID]:
    """Return the next instances that have rows in `historyevent` or `variable`, in order. Statements: 1.

    The key begins with the instance, so each step is one look into the index, however many rows an instance has.
    """
    first = f"SELECT instance_id FROM bpm_{table} WHERE instance_id > {{}} ORDER BY instance_id LIMIT 1"
    query = (
        f"WITH RECURSIVE o(id, n) AS (SELECT ({first.format('%s')}), 1 "
        f"UNION ALL SELECT ({first.format('o.id')}), n + 1 FROM o WHERE o.id IS NOT NULL AND n < %s) "
        "SELECT id FROM o WHERE id IS NOT NULL"
    )
    with connection.cursor() as cursor:
        cursor.execute(query, [after if connection.vendor == "postgresql" else after.hex, limit])
        return [row[0] if isinstance(row[0], UUID) else UUID(row[0]) for row in cursor.fetchall()]


def _conditions(spec: TableSpec) -> list[str]:
    if spec.name in _BY_INSTANCE:
        return [""]
    ended = _ENDED.get(spec.name, "z.closed_at IS NOT NULL")
    return [f" AND ({spec.live})", f" AND {ended}"]
