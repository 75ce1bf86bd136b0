"""The working sets that commands name by rows: read, locked and read, or kept and only locked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from bpm.core.ids import Id
from bpm.shell.codec import states_from
from bpm.shell.columns import INSTANCE_COLUMNS
from bpm.shell.held import Known, has_row, stand_of, stands
from bpm.shell.kept_sets import kept_sets
from bpm.shell.sql import Dialect
from bpm.shell.sql.dialect import Rows
from bpm.shell.sql.locking import lock_only, read_locked
from bpm.shell.sql.queries import INSTANCES
from bpm.shell.tables import SPECS

_REVISION, _HEAD = ([name for name, _ in INSTANCE_COLUMNS].index(name) for name in ("revision", "head"))


class WorkingSets(NamedTuple):
    """What was found.

    Attributes:
        now: the database's clock.
        owners: row to its instance.
        states: instance to its working set.
        kept: the instances whose set this process had, which is whole.
        locked: the instances that are locked; None where nothing is to be.
    """

    now: datetime
    owners: dict[Id, Id]
    states: dict[Id, Known]
    kept: set[Id]
    locked: set[Id] | None


def read_sets(sql: Dialect, table: str, named: Sequence[Id], locked: set[Id] | None = None) -> WorkingSets:
    """Read the working sets of rows of a table; of instances all that is live. Statements: 1.

    Args:
        locked: the instances that are locked already.
    """
    now, rows = sql.read_everything(named) if table == INSTANCES else sql.read_by(table, named)
    return sets_from(table, now, rows, locked)


def lock_sets(sql: Dialect, table: str, named: Sequence[Id], *, skip_locked: bool) -> WorkingSets:
    """Lock the instances of rows, and read their working sets in the same statement, unless all of them were kept.

    Args:
        skip_locked: pass over instances that somebody else has locked, instead of waiting for them.

    Statements: 1, after a lost race 2.
    """
    kept = _lock_kept(sql, table, named, skip_locked=skip_locked)
    if kept is not None:
        return kept
    now, rows, locked = read_locked(sql, table, named, skip_locked=skip_locked)
    return sets_from(table, now, rows, locked)


def _lock_kept(sql: Dialect, table: str, named: Sequence[Id], *, skip_locked: bool) -> WorkingSets | None:
    """Lock instances and read no more than where they stand; None if one was not kept, has changed, or is gone."""
    kept = kept_sets.take_all(table, named)
    if not kept:
        return None
    states = {stand_of(known).id: known for known in kept.values()}
    now, locked = lock_only(sql, list(states), skip_locked=skip_locked)
    if not skip_locked and len(locked) < len(states):
        return None
    if any(not stands(states[instance], *stand) for instance, stand in locked.items()):
        return None
    owners = {row: stand_of(known).id for row, known in kept.items()}
    return WorkingSets(now, owners, states, set(states), set(locked))


def sets_from(table: str, now: datetime, rows: Rows, locked: set[Id] | None) -> WorkingSets:
    """Return the working sets of rows that were read; what was kept of an instance that has not changed is better.

    It is whole, so the next command on it need not read.
    """
    owners = _owners(table, rows)
    kept = _unchanged(table, owners, rows)
    whole = len(kept) == len(rows.get(INSTANCES, ()))
    states = kept if whole else {**states_from(rows, everything=table == INSTANCES), **kept}
    return WorkingSets(now, owners, states, set(kept), locked)


def _unchanged(table: str, owners: dict[Id, Id], rows: Rows) -> dict[Id, Known]:
    kept = {}
    for row in rows.get(INSTANCES, ()):
        known = kept_sets.take(INSTANCES, row[0])
        if known is not None and stands(known, row[_REVISION], row[_HEAD]):
            kept[row[0]] = known
    for named, owner in owners.items():
        if owner in kept and not has_row(kept[owner], table, named):
            del kept[owner]
    return kept


def _owners(table: str, rows: Rows) -> dict[Id, Id]:
    if table == INSTANCES:
        return {row[0]: row[0] for row in rows.get(INSTANCES, ())}
    position = SPECS[table].columns.index("instance_id")
    return {row[0]: row[position] for row in rows.get(table, ())}
