"""PostgreSQL: one statement reads, one statement writes, fed by one JSON parameter each.

A document is unpacked by position from jsonb; values of users travel inside it as JSON *strings* and are stored as
text, so that no number is ever re-parsed (docs/explanation/performance).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from django.db import DEFAULT_DB_ALIAS, connections

from bpm.core.ids import Id
from bpm.shell.columns import INSTANCE_COLUMNS
from bpm.shell.running_clock import running_clock
from bpm.shell.sql.dialect import Dialect
from bpm.shell.sql.document import SENT, Document, Guard, Part, Written
from bpm.shell.sql.due_work import DUE, parameters_of
from bpm.shell.sql.leasing import wait_query
from bpm.shell.sql.narrowing import Asked, shapes
from bpm.shell.sql.prepared import session_of
from bpm.shell.sql.row_template import Mode
from bpm.shell.sql.row_text import row_text
from bpm.shell.sql.tally import tally
from bpm.shell.sql.writing import Shape, asks_for_time, cells, uses, write_query
from bpm.shell.table_spec import TableSpec
from bpm.shell.tables import SPECS

_POSITION = {name: index for index, (name, _) in enumerate(INSTANCE_COLUMNS)}


class PostgreSQL(Dialect):
    """See the module."""

    vendor = "postgresql"
    json_array = "json_build_array"
    remembers = True

    def ids(self, ids: Iterable[Id]) -> str:
        """Return an array literal."""
        return "{" + ",".join(ids) + "}"

    def among(self, column: str) -> str:
        """Return a comparison with an array."""
        return f"{column} = ANY(%s::uuid[])"

    def found(self, column: str, query: str) -> str:
        """Return a comparison with an array: a semi-join could be turned round, and read the whole table."""
        return f"{column} = ANY(ARRAY({query}))"

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

    def looking_up(self, outer: str, table: str, condition: str) -> str:
        """Return a join that cannot be turned round."""
        return f"SELECT y.* FROM {outer} o, LATERAL (SELECT * FROM {table} z WHERE {condition} OFFSET 0) y"

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

    def taken_candidates(self, *, locking: bool) -> str:
        """Lock one by one, so that no more are locked than are asked for."""
        row = "SELECT i.id, i.revision FROM bpm_processinstance i WHERE i.id = c.instance_id"
        lock = " FOR NO KEY UPDATE SKIP LOCKED" if locking else " OFFSET 0"
        return (
            f"SELECT c.id AS task, i.id AS instance_id, i.revision FROM c, LATERAL ({row}{lock}) i LIMIT %s"
        )

    def wait_for_candidate(self, tenant: str, topics: Sequence[Asked], now: datetime | None) -> None:
        """Wait at most the session's lock time-out."""
        self._execute(wait_query(self, shapes(topics)), self.candidate_parameters(tenant, topics, 1, now))

    def _execute(self, query: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Execute a statement that returns rows.

        Through the driver itself, since Django's cursor takes as long again; where somebody listens, through that.
        """
        # Each look at `django.db.connection` finds the thread's connection anew, so it is looked at once.
        database: Any = connections[DEFAULT_DB_ALIAS]
        if database.execute_wrappers or database.queries_logged:
            return super()._execute(query, parameters)
        tally.statements += 1
        if database.health_check_enabled:
            database.close_if_health_check_failed()
        if database.connection is None:
            database.ensure_connection()
        database.validate_no_broken_transaction()
        with database.wrap_database_errors:
            session = session_of(database.connection)
            rows = session.execute(database.connection, query, parameters) if session is not None else None
            if rows is None:
                rows = database.connection.execute(query, parameters).fetchall()
        return rows

    def instant(self, text: str) -> datetime:
        """Return the instant, which the running clock goes on from."""
        now = super().instant(text)
        running_clock.note(now)
        return now

    def due(self, table: str, now: datetime | None, limit: int) -> list[tuple[Id, Id]]:
        """Ask the partial index."""
        query = DUE[table].format(now=self.moment(), limit="%s")
        return [
            (str(row), str(owner))
            for row, owner, *_ in self._execute(query, parameters_of(table, now, limit))
        ]

    def write(self, document: Document, *, guard: Guard) -> Written:
        """Write in one statement. Statements: 1."""
        plans = document.plans
        plan: _Plan | None = None if plans is None else plans.get(guard)
        if plan is None:
            plan = _plan(document, guard)
            if plans is not None:
                plans[guard] = plan
        parameters: list[object] = []
        for key, mode, single, times, timed in plan.steps:
            parameters += [_part_text(document.part(key, mode), single=single)] * times
            if timed:
                parameters.append(running_clock.run_on())
        won, *rest = self._execute(plan.query, parameters)[0]
        return Written(won, tuple(rest[0]), rest[1]) if rest else Written(won)


class _Step(NamedTuple):
    """A part of a statement.

    Attributes:
        times: how often the statement takes its rows.
        timed: whether the time follows, as it is thought to be.
    """

    key: str
    mode: Mode
    single: bool
    times: int
    timed: bool


class _Plan(NamedTuple):
    """How documents with the same parts are written."""

    query: str
    steps: list[_Step]


def _plan(document: Document, guard: Guard) -> _Plan:
    small = document.instances == 1
    shapes: list[Shape] = []
    steps: list[_Step] = []
    for key, mode in document.modes():
        single = small and document.count(key) == 1 and key not in SENT
        shape = Shape(key, mode, single)
        shapes.append(shape)
        steps.append(_Step(key, mode, single, uses(key), asks_for_time(shape, guard)))
    return _Plan(write_query(tuple(shapes), guard), steps)


def _part_text(part: Part, *, single: bool) -> str:
    """Return the parameter of a part: its row, or a list of its rows."""
    rows, taken = part.rows, cells(part.key, part.mode)
    if taken is not None and rows:
        rows = [[row[position] for position in taken] for row in rows]
    if not part.texts:
        return row_text(rows[0] if single else rows)
    texts = part.texts + [row_text(row) for row in rows]
    return texts[0] if single else f"[{','.join(texts)}]"


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
        # All that wait are read only when the join may fire; else by flow, however many wait there.
        waiting = 'SELECT * FROM bpm_token z WHERE z."join" = j.id AND NOT z.final AND'
        flows = "ARRAY(SELECT jsonb_array_elements_text(e->5))"
        after = "j.arrived + (e->>4)::int"
        asked = f"{waiting} {after} >= j.expected UNION ALL {waiting} {after} < j.expected AND z.flow = ANY({flows})"
        pieces.append(sql.parts(SPECS["joins"], f"(SELECT j.* FROM {found})"))
        arrivals = f"(SELECT t.* FROM {found}, LATERAL ({asked}) t WHERE j.status = 'OPEN')"
        pieces.append(sql.parts(SPECS["tokens"], arrivals))
    return " UNION ALL ".join(pieces)
