"""Finding free external tasks, locking their instances and reading what leasing them takes: all in one statement.

A statement sees the database as it was when it began, but locks rows as they are now. So each locked instance comes
with its revision as locked: where that differs from the one that was read, somebody was faster, and what was read is
old.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bpm.core.ids import Id
from bpm.shell.sql.narrowing import Asked, Shape, narrowing, shapes
from bpm.shell.sql.queries import LOCKED, parts_around_tasks

if TYPE_CHECKING:
    from bpm.shell.sql.dialect import Dialect

SEEN: Final = "seen"
"""Name of the row that says that a task is free, whoever has its instance."""

_FREE: Final = (
    "SELECT x.id, x.instance_id, x.priority, x.topic FROM bpm_externaltask x WHERE x.tenant = %s AND x.topic = %s "
    "AND x.status = 'READY' AND NOT x.suspended AND x.available_at <= (SELECT now FROM a) AND x.retries > 0 "
    "{limits}ORDER BY x.priority DESC, x.id LIMIT %s"
)
_EXPIRED: Final = (
    "SELECT x.id, x.instance_id, x.priority, x.topic FROM bpm_externaltask x WHERE x.tenant = %s AND x.topic = %s "
    "AND x.status = 'LOCKED' AND NOT x.suspended AND x.lease_expires_at <= (SELECT now FROM a) "
    "{limits}ORDER BY x.lease_expires_at LIMIT %s"
)


class Candidates(NamedTuple):
    """External tasks that can be leased.

    Attributes:
        now: the database's clock.
        rows: the tasks with their tokens, scopes, variables and instances.
        tasks: task and instance each, best first; the instances are locked.
        seen: whether any task was free, even if somebody else has its instance.
    """

    now: datetime
    rows: dict[str, list[list[Any]]]
    tasks: list[tuple[Id, Id]]
    seen: bool


def _candidates(sql: Dialect, topics: tuple[Shape, ...]) -> str:
    """Return CTEs: `a` has the time asked for, `c` the free tasks, best first; read only as far as needed."""
    each = " UNION ALL ".join(
        f"SELECT * FROM ({query.replace('{limits}', narrowing(sql, shape))}) {name}{number}"
        for number, shape in enumerate(topics)
        for name, query in (("f", _FREE), ("e", _EXPIRED))
    )
    return (
        f"a AS (SELECT {sql.moment()} AS now), "
        f"c AS (SELECT * FROM ({each}) u ORDER BY u.priority DESC, u.id LIMIT %s)"
    )


@lru_cache
def lease_query(sql: Dialect, topics: tuple[Shape, ...], locking: bool) -> str:
    """Return the query that finds, locks and reads. Its last parameter is the number of tasks asked for."""
    locked = f"l AS ({sql.taken_candidates(locking=locking)})"
    named = f"p AS (SELECT * FROM bpm_externaltask x WHERE {sql.found('x.id', 'SELECT task FROM l')})"
    tables, pieces = parts_around_tasks(sql)
    pieces += [
        f"SELECT '{LOCKED}', {sql.array('l.task, l.instance_id, l.revision')} FROM l",
        f"SELECT '{SEEN}', '[]' WHERE EXISTS (SELECT 1 FROM c)",
    ]
    ctes = ", ".join([_candidates(sql, topics), locked, named, *tables])
    return f"WITH RECURSIVE {ctes} " + " UNION ALL ".join(pieces)


class Picked(NamedTuple):
    """The external task that would be leased next, and where its instance's history stands."""

    task: Id
    instance: Id
    topic: str
    revision: int
    head: str
    now: datetime


def pick_candidate(sql: Dialect, tenant: str, topics: Sequence[Asked], now: datetime | None) -> Picked | None:
    """Return the best candidate, None where there is none; nothing is locked, and nothing around it read.

    Statements: 1.
    """
    parameters = sql.candidate_parameters(tenant, topics, 1, now)
    at, rows = sql.fetch(_pick_query(sql, shapes(topics)), parameters)
    for task, instance, topic, revision, head in rows.get(LOCKED, ()):
        return Picked(sql.text_id(task), sql.text_id(instance), topic, revision, head, at)
    return None


@lru_cache
def _pick_query(sql: Dialect, topics: tuple[Shape, ...]) -> str:
    row = "SELECT i.revision, i.head FROM bpm_processinstance i WHERE i.id = c.instance_id OFFSET 0"
    found = sql.array("c.id, c.instance_id, c.topic, i.revision, i.head")
    return (
        f"WITH {_candidates(sql, topics)} {sql.clock_part()} UNION ALL "
        f"SELECT * FROM (SELECT '{LOCKED}', {found} FROM c, LATERAL ({row}) i LIMIT 1) p"
    )


@lru_cache
def waits_query(sql: Dialect, topics: tuple[Shape, ...]) -> str:
    """Return the query that says whether a task is free."""
    return f"WITH {_candidates(sql, topics)} SELECT 1 FROM c LIMIT 1"


@lru_cache
def wait_query(sql: Dialect, topics: tuple[Shape, ...]) -> str:
    """Return the query that locks the instance of the best candidate, however long that takes (PostgreSQL)."""
    row = "SELECT i.id FROM bpm_processinstance i WHERE i.id = c.instance_id FOR NO KEY UPDATE"
    return f"WITH {_candidates(sql, topics)} SELECT 1 FROM c, LATERAL ({row}) i LIMIT 1"
