"""Reading rows and locking their instances in one statement.

A statement sees the database as it was when it began, but locks rows as they are now. So each locked instance comes
with its revision as locked; where that is another one than was read, somebody was faster, and the rows are read again:
now nobody can change them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from bpm.core.ids import Id
from bpm.shell.columns import INSTANCE_COLUMNS
from bpm.shell.sql.dialect import Dialect, Rows
from bpm.shell.sql.queries import INSTANCES, LOCKED, everything_query, read_query, stands_query

_REVISION = [name for name, _ in INSTANCE_COLUMNS].index("revision")


def read_locked(
    sql: Dialect, table: str, ids: Sequence[Id], *, skip_locked: bool
) -> tuple[datetime, Rows, set[Id]]:
    """Read as `read_by`, instances as `read_everything`, and lock the instances in id order.

    Args:
        skip_locked: pass over instances that somebody else has locked, instead of waiting for them.

    Returns:
        The clock, the rows, and the instances that are locked.

    Statements: 1, after a lost race 2.
    """
    whole = table == INSTANCES
    how = "skip" if skip_locked else "wait"
    query, count = everything_query(sql, how) if whole else read_query(sql, table, how)
    now, rows = sql.fetch(query, [sql.ids(ids)] * count)
    locked = {sql.text_id(instance): revision for instance, revision in rows.pop(LOCKED, [])}
    read = {row[0]: row[_REVISION] for row in rows.get(INSTANCES, ())}
    if any(read.get(instance) != revision for instance, revision in locked.items()):
        now, rows = sql.read_everything(ids) if whole else sql.read_by(table, ids)
    return now, rows, set(locked)


class Stand(NamedTuple):
    """Where an instance stands: its revision, and the hash of its newest event."""

    revision: int
    head: str


def lock_only(
    sql: Dialect, instances: Sequence[Id], *, skip_locked: bool
) -> tuple[datetime, dict[Id, Stand]]:
    """Lock instances in id order and read no more of them than where they stand, as locked.

    Returns:
        The clock, and the instances that are locked.

    Statements: 1.
    """
    now, rows = sql.fetch(stands_query(sql, "skip" if skip_locked else "wait"), [sql.ids(instances)])
    return now, {
        sql.text_id(instance): Stand(revision, head) for instance, revision, head in rows.get(LOCKED, ())
    }
