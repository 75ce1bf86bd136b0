"""Prepared statements straight through libpq, for a session that is in no transaction.

psycopg's cursor takes three times the processor time of libpq's own call, at every statement, and forgets what it has
prepared after each rollback. A command's two statements need none of what a cursor offers: their parameters are texts
and numbers, and their answers texts, numbers, truth values and lists of numbers. Whatever is none of these is left to
psycopg.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import count
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from psycopg import Connection
from psycopg.errors import (
    FeatureNotSupported,
    InvalidSqlStatementName,
    OperationalError,
    error_from_result,
)
from psycopg.pq import DiagnosticField, ExecStatus, TransactionStatus
from psycopg.pq.abc import PGresult

KEPT: Final = 256
"""Statements that a session keeps prepared; the one that was not used for longest goes."""

_FORGOTTEN: Final = (InvalidSqlStatementName, FeatureNotSupported)
"""The session has lost the statement (DISCARD), or its plan's result has changed (a migration)."""


def _text(raw: bytes) -> str:
    return raw.decode()


def _true(raw: bytes) -> bool:
    return raw == b"t"


def _numbers(raw: bytes) -> list[int]:
    return [int(number) for number in raw[1:-1].split(b",") if number]


_LOADERS: Final[dict[int, Callable[[bytes], Any]]] = {
    16: _true,
    20: int,
    21: int,
    23: int,
    25: _text,
    1016: _numbers,
    1043: _text,
    2950: _text,
}
"""Type oid (bool, int8, int2, int4, text, int8[], varchar, uuid) to how its text is read."""


class _Statement(NamedTuple):
    name: bytes
    loaders: list[Callable[[bytes], Any]]


class Session:
    """What one connection has prepared; only the thread that uses the connection uses it."""

    def __init__(self) -> None:
        self._prepared: OrderedDict[str, _Statement | None] = OrderedDict()
        self._numbers = count()

    def execute(
        self, connection: Connection[Any], query: str, parameters: Sequence[Any]
    ) -> list[tuple[Any, ...]] | None:
        """Execute a statement, prepared at its first time; None where it needs psycopg.

        Raises:
            psycopg.Error: as a cursor's.
        """
        try:
            return self._execute(connection, query, parameters)
        except _FORGOTTEN:
            self._prepared.pop(query, None)
            return self._execute(connection, query, parameters)

    def _execute(
        self, connection: Connection[Any], query: str, parameters: Sequence[Any]
    ) -> list[tuple[Any, ...]] | None:
        try:
            statement = self._prepared[query]
        except KeyError:
            statement = self._prepare(connection, query)
        else:
            self._prepared.move_to_end(query)
        if statement is None:
            return None
        values: list[Any] = [_parameter(value) for value in parameters]
        result = _require(connection.pgconn.exec_prepared(statement.name, values), ExecStatus.TUPLES_OK)
        get, columns = result.get_value, list(enumerate(statement.loaders))
        return [
            tuple([None if (raw := get(row, at)) is None else load(raw) for at, load in columns])
            for row in range(result.ntuples)
        ]

    def _prepare(self, connection: Connection[Any], query: str) -> _Statement | None:
        """Prepare a statement under no name to see what it returns; under a name of its own if that can be read."""
        pgconn, text = connection.pgconn, _numbered(query).encode()
        _require(pgconn.prepare(b"", text), ExecStatus.COMMAND_OK)
        described = _require(pgconn.describe_prepared(b""), ExecStatus.COMMAND_OK)
        types = [described.ftype(column) for column in range(described.nfields)]
        if not types or not _LOADERS.keys() >= set(types):
            self._prepared[query] = None
            return None
        name = f"bpm_{next(self._numbers)}".encode()
        _require(pgconn.prepare(name, text), ExecStatus.COMMAND_OK)
        statement = self._prepared[query] = _Statement(name, [_LOADERS[oid] for oid in types])
        if len(self._prepared) > KEPT:
            _, oldest = self._prepared.popitem(last=False)
            if oldest is not None:
                _require(pgconn.exec_(b"DEALLOCATE " + oldest.name), ExecStatus.COMMAND_OK)
        return statement


def _require(result: PGresult, status: ExecStatus) -> PGresult:
    if result.status != status:
        # A server that is gone has no code to tell; the text is libpq's own.
        if not result.error_field(DiagnosticField.SQLSTATE):
            raise OperationalError(result.error_message.decode(errors="replace").strip())
        raise error_from_result(result, encoding="utf-8")
    return result


_sessions: WeakKeyDictionary[Connection[Any], Session] = WeakKeyDictionary()


def session_of(connection: Connection[Any]) -> Session | None:
    """Return what a connection has prepared; None where it is in a transaction, or may not prepare at all."""
    if not connection.autocommit or connection.prepare_threshold is None:
        return None
    if connection.pgconn.transaction_status != TransactionStatus.IDLE:
        # Begun by hand. A statement that psycopg has deallocated since, as it does after a rollback, would end it.
        return None
    session = _sessions.get(connection)
    if session is None:
        session = _sessions[connection] = Session()
    return session


def _parameter(value: Any) -> bytes | None:
    if value is None:
        return None
    if type(value) is str:
        return value.encode()
    if isinstance(value, datetime):
        return value.isoformat().encode()
    if isinstance(value, int | str):
        return str(value).encode()
    raise TypeError(f"{type(value).__name__} is no parameter of a statement")


def _numbered(query: str) -> str:
    """Return the statement with numbered instead of `%s` places."""
    first, *rest = query.split("%s")
    return (first + "".join(f"${number}{part}" for number, part in enumerate(rest, 1))).replace("%%", "%")
