"""The chain of callers of instances, outwards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.db import connection

from bpm.core.ids import Id
from bpm.shell.sql import dialect

_QUERY: Final = (
    "WITH RECURSIVE up AS (SELECT i.id AS first, i.parent_instance AS outer_instance, i.status, 1 AS depth "
    "FROM bpm_processinstance i WHERE {among} UNION ALL "
    "SELECT up.first, i.parent_instance, i.status, up.depth + 1 FROM up "
    "JOIN bpm_processinstance i ON i.id = up.outer_instance) "
    "SELECT first, max(depth), max(CASE WHEN status IN ('COMPLETED', 'CANCELLED') THEN 1 ELSE 0 END) "
    "FROM up GROUP BY first"
)


def callers_of(instances: Iterable[Id]) -> dict[Id, tuple[int, bool]]:
    """Return how deep each instance is called (1 for one that nobody has called), and whether one around has ended.

    Statements: 1.
    """
    sql = dialect()
    with connection.cursor() as cursor:
        cursor.execute(_QUERY.format(among=sql.among("i.id")), [sql.ids(dict.fromkeys(instances))])
        return {sql.text_id(first): (depth, bool(ended)) for first, depth, ended in cursor.fetchall()}
