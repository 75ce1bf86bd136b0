"""What the two databases must be able to do, and what they share.

Rows travel as JSON arrays in the order of `TableSpec.columns`, in both directions: one parameter and one text column
serve every shape and every batch size.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from bpm.core.ids import Id
from bpm.core.values import to_text
from bpm.shell.columns import INSTANCE_COLUMNS
from bpm.shell.sql.document import Document, Guard, Written
from bpm.shell.sql.leasing import SEEN, Candidates, lease_query, waits_query
from bpm.shell.sql.narrowing import Asked, shapes
from bpm.shell.sql.needs import Needs
from bpm.shell.sql.queries import (
    INSTANCES,
    LOCKED,
    Sought,
    definitions_query,
    everything_query,
    lock_query,
    read_query,
)
from bpm.shell.sql.tally import tally
from bpm.shell.sql.whole import whole_query
from bpm.shell.table_spec import TableSpec
from bpm.shell.tables import SPECS

Rows = dict[str, list[list[Any]]]
"""Table name (attribute of State, or `instances`) to raw rows."""


_scan = json.JSONDecoder().raw_decode
"""Parses JSON that the database itself has made: nothing stands around it that had to be looked for."""


_REVISION = [name for name, _ in INSTANCE_COLUMNS].index("revision")


def _sought(wanted: Sequence[Any]) -> Sought:
    _, _, _, number, one = wanted
    return "id" if one is not None else "latest" if number is None else "number"


class Dialect(ABC):
    """SQL for one database. Reading returns rows with ids in 36-character text."""

    vendor: str
    json_array: str
    """Function that makes a JSON array of its arguments."""
    remembers = False
    """Whether it writes rows that are JSON already, as remembered decisions give them."""

    # what differs

    @abstractmethod
    def ids(self, ids: Iterable[Id]) -> str:
        """Return a list of ids as one text parameter."""

    @abstractmethod
    def among(self, column: str) -> str:
        """Return a condition that a column is among the ids of one parameter."""

    @abstractmethod
    def found(self, column: str, query: str) -> str:
        """Return a condition that a column is among the ids that a SELECT finds; the SELECT is executed first."""

    @abstractmethod
    def clock(self) -> str:
        """Return an expression for the present instant as ISO 8601 text, UTC."""

    @abstractmethod
    def lock_clause(self, *, skip_locked: bool) -> str:
        """Return what makes a query lock the instances it returns."""

    @abstractmethod
    def listed(self) -> str:
        """Return a SELECT of the `id`s in one parameter."""

    @abstractmethod
    def looking_up(self, outer: str, table: str, condition: str) -> str:
        """Return a SELECT of the rows `z` of a table that belong to rows `o` of another, which is read first.

        Left alone, the database may read an index as a whole instead, where it was nearly empty when the statement was
        planned.
        """

    @abstractmethod
    def needs_query(self, *, variables: bool, joins: bool) -> str:
        """Return the query of `read_needs`; its parameters are the JSON of variables, of joins twice, if asked."""

    @abstractmethod
    def decode(self, spec: TableSpec, row: list[Any]) -> list[Any]:
        """Return a raw row with ids and times as the codec expects them."""

    @abstractmethod
    def decode_instance(self, row: list[Any]) -> list[Any]:
        """Return a raw instance row likewise."""

    @abstractmethod
    def write(self, document: Document, *, guard: Guard) -> Written:
        """Write a document.

        Guarded: nothing at all is written unless the one instance's revision is the one in the document.

        Statements: PostgreSQL 1, SQLite one per table in the document.
        """

    @abstractmethod
    def moment(self) -> str:
        """Return an expression for one parameter: an instant that stands in for the clock, or None."""

    @abstractmethod
    def moment_value(self, now: datetime | None) -> object:
        """Return that parameter."""

    @abstractmethod
    def taken_candidates(self, *, locking: bool) -> str:
        """Return a SELECT of task, instance_id, revision of the first candidates `c`.

        With `locking` their instances are locked, and those passed over that somebody else has locked.

        Its parameter is how many.
        """

    @abstractmethod
    def wait_for_candidate(self, tenant: str, topics: Sequence[Asked], now: datetime | None) -> None:
        """Lock the instance of the best free external task, waiting for who has it. Statements: 1, SQLite 0."""

    @abstractmethod
    def due(self, table: str, now: datetime | None, limit: int) -> list[tuple[Id, Id]]:
        """Return due rows as (row, instance): by priority where they have one, then the longest due first.

        Args:
            table: `timers`, `external_tasks` (expired leases) or `crashed` (expired leases of jobs).

        Statements: 1.
        """

    # what is shared

    def looked_up(self, outer: str, table: str, condition: str) -> str:
        """Return `looking_up` as a FROM item."""
        return f"({self.looking_up(outer, table, condition)})"

    def parts(self, spec: TableSpec, source: str, condition: str = "") -> str:
        """Return a SELECT of a table's rows as ('name', JSON array)."""
        columns = ", ".join(f'x."{column}"' for column in spec.columns)
        where = f" WHERE {condition}" if condition else ""
        return f"SELECT '{spec.name}', {self.array(columns)} FROM {source} x{where}"

    def array(self, columns: str) -> str:
        """Return an expression for a JSON array as text."""
        return f"CAST({self.json_array}({columns}) AS text)"

    def instances(self, condition: str) -> str:
        """Return a SELECT of instances as ('instances', JSON array)."""
        columns = ", ".join(f'x."{name}"' for name, _ in INSTANCE_COLUMNS)
        return f"SELECT '{INSTANCES}', {self.array(columns)} FROM bpm_processinstance x WHERE {condition}"

    def clock_part(self) -> str:
        """Return a SELECT of the present instant as ('clock', text)."""
        return f"SELECT 'clock', {self.clock()}"

    def lock(self, table: str, ids: Sequence[Id], *, skip_locked: bool) -> list[Id]:
        """Lock the instances of rows (or the instances themselves), in id order; return the ids of those locked.

        Statements: 1.
        """
        cursor = self._execute(lock_query(self, table, skip_locked), [self.ids(ids)])
        return [self.text_id(row[0]) for row in cursor]

    def instant(self, text: str) -> datetime:
        """Return the instant that the clock part gave."""
        return datetime.fromisoformat(text)

    def read_definitions(self, wanted: Sequence[Sequence[Any]]) -> tuple[datetime, list[tuple[Any, ...]]]:
        """Find versions: (number, tenant, key or None, version or None, id or None) each.

        Returns rows of number, id, tenant, key, version, executable, suspended, for those that are there.

        Statements: 1.
        """
        ways: dict[Sought, None] = dict.fromkeys(map(_sought, wanted))
        query = definitions_query(self, tuple(sorted(ways)))
        rows = self._execute(query, [self.definitions_text(wanted)] * len(ways))
        now = self.instant(next(row[1] for row in rows if row[0] == -1))
        return now, [(row[0], self.text_id(row[1]), *row[2:]) for row in rows if row[0] != -1]

    def definitions_text(self, wanted: Sequence[Sequence[Any]]) -> str:
        """Return wanted definitions as one JSON parameter."""
        return to_text(wanted)

    @abstractmethod
    def element(self, position: int, kind: str) -> str:
        """Return an expression for a position of the array `e` of a JSON list."""

    @abstractmethod
    def elements(self) -> str:
        """Return a FROM item `e` of the arrays in one JSON parameter."""

    def text_id(self, raw: Any) -> Id:
        """Return an id as the driver gives it in its text form."""
        return str(raw)

    def read_by(self, table: str, ids: Sequence[Id]) -> tuple[datetime, Rows]:
        """Read rows of a table by id with their tokens, the scopes around those, and their instances.

        For tokens also the open tasks, jobs and incidents that hang on them.

        Statements: 1.
        """
        query, count = read_query(self, table)
        return self.fetch(query, [self.ids(ids)] * count)

    def lease_candidates(
        self, tenant: str, topics: Sequence[Asked], limit: int, now: datetime | None, *, locking: bool
    ) -> Candidates:
        """Find external tasks that are free, lock their instances, and read them with what is around.

        Instances that somebody else has locked are passed over, as are those that changed meanwhile.

        Args:
            locking: else nothing is locked or passed over, and the write has to be guarded.
            now: stands in for the database's clock.

        Statements: 1.
        """
        parameters = self.candidate_parameters(tenant, topics, 10 * limit + 50, now)
        at, rows = self.fetch(lease_query(self, shapes(topics), locking), [*parameters, limit])
        read = {row[0]: row[_REVISION] for row in rows.get(INSTANCES, ())}
        locked = [(self.text_id(row[0]), self.text_id(row[1]), row[2]) for row in rows.pop(LOCKED, [])]
        tasks = [(task, instance) for task, instance, revision in locked if read.get(instance) == revision]
        return Candidates(at, rows, tasks, seen=bool(rows.pop(SEEN, None)))

    def work_waits(self, tenant: str, topics: Sequence[Asked], now: datetime | None) -> bool:
        """Return whether a free external task is there. Statements: 1."""
        if not topics:
            return False
        parameters = self.candidate_parameters(tenant, topics, 1, now)
        return bool(self._execute(waits_query(self, shapes(topics)), parameters))

    def candidate_parameters(
        self, tenant: str, topics: Sequence[Asked], most: int, now: datetime | None
    ) -> list[object]:
        """Return the parameters for finding at most that many candidates."""
        each = [part for topic in topics for part in (tenant, topic.topic, *topic.parameters(self), most) * 2]
        return [self.moment_value(now), *each, most]

    def read_everything(self, instances: Sequence[Id], *, ended: bool = False) -> tuple[datetime, Rows]:
        """Read all live rows of instances, or those that have ended too. Statements: 1."""
        query, count = (whole_query if ended else everything_query)(self)
        return self.fetch(query, [self.ids(instances)] * count)

    def read_needs(self, needs: Needs) -> Rows:
        """Read variables, joins and the tokens waiting there. Statements: 1, or 0 without needs."""
        if not needs:
            return {}
        query = self.needs_query(variables=bool(needs.variables), joins=bool(needs.joins))
        parameters = []
        if needs.variables:
            parameters.append(self.needs_text(needs.variables))
        if needs.joins:
            parameters += [self.needs_text(needs.joins)] * 2
        return self.fetch(f"{query} UNION ALL {self.clock_part()}", parameters)[1]

    def needs_text(self, rows: list[list[Any]]) -> str:
        """Return needs as one JSON parameter."""
        return to_text(rows)

    def fetch(self, query: str, parameters: list[Any]) -> tuple[datetime, Rows]:
        """Return the clock and the rows that a query of parts gives. Statements: 1."""
        rows: Rows = {}
        now: datetime | None = None
        for name, text in self._execute(query, parameters):
            if name == "clock":
                now = self.instant(text)
            elif name == INSTANCES:
                rows.setdefault(name, []).append(self.decode_instance(_scan(text)[0]))
            elif name in (LOCKED, SEEN):
                rows.setdefault(name, []).append(_scan(text)[0])
            else:
                rows.setdefault(name, []).append(self.decode(SPECS[name], _scan(text)[0]))
        assert now is not None, "every query reads the clock"
        return now, rows

    def _execute(self, query: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        tally.statements += 1
        with connection.cursor() as cursor:
            cursor.execute(query, parameters)
            return cursor.fetchall() if cursor.description else []
