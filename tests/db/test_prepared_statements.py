"""Statements through libpq give what psycopg's cursor gives, and outlive whatever a session can lose."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connection
from psycopg import Connection, errors

from bpm.shell.sql import dialect, prepared
from bpm.shell.sql.prepared import Session, session_of

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]

_NAMES = "SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'bpm\\_%'"


@pytest.fixture
def session() -> Iterator[Connection[Any]]:
    """A connection of its own, in no transaction."""
    connection.ensure_connection()
    with psycopg.connect(connection.connection.info.dsn, autocommit=True, prepare_threshold=0) as own:
        yield own


def prepared_number(own: Connection[Any]) -> int:
    row = own.execute(_NAMES.replace("%", "%%"), prepare=False).fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.parametrize(
    ("query", "parameters"),
    [
        ("SELECT %s::text, 'ü100%%', NULL::text, ''", ["ä\n\\\"'"]),
        ("SELECT %s::int, %s::bigint, (-1)::smallint", [1, 2**40]),
        ("SELECT true, false, NULL::boolean, %s::boolean", [True]),
        ("SELECT ARRAY[3, NULL::bigint, 1]::bigint[] FROM generate_series(1, %s) WHERE false", [5]),
        ("SELECT ARRAY[1, -2]::bigint[], ARRAY[]::bigint[], %s::text", [None]),
        ("SELECT n, 'x' || n FROM generate_series(1, %s::int) n", [3]),
        ("SELECT (%s::timestamptz AT TIME ZONE 'UTC')::text", [datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)]),
        ("SELECT %s::varchar, to_json(1)::text WHERE %s", ["a", False]),
    ],
)
def test_answers_are_those_of_a_cursor(session: Connection[Any], query: str, parameters: list[Any]) -> None:
    own = Session()
    expected = session.execute(query, parameters, prepare=False).fetchall()
    assert own.execute(session, query, parameters) == expected
    assert own.execute(session, query, parameters) == expected, "the second time it is prepared"
    assert prepared_number(session) == 1


def test_ids_come_as_text(session: Connection[Any]) -> None:
    one = "01890000-0000-7000-8000-000000000001"
    assert Session().execute(session, "SELECT unnest(%s::uuid[])", ["{" + one + "}"]) == [(one,)]


@pytest.mark.parametrize(
    "query", ["SELECT now(), %s::text", "SELECT 1.5, %s::text", "SET lock_timeout = '1s'"]
)
def test_what_cannot_be_read_is_left_to_the_cursor(session: Connection[Any], query: str) -> None:
    own, parameters = Session(), ["x"] if "%s" in query else []
    assert own.execute(session, query, parameters) is None
    assert own.execute(session, query, parameters) is None
    assert prepared_number(session) == 0


def test_a_parameter_of_another_kind_is_no_parameter(session: Connection[Any]) -> None:
    with pytest.raises(TypeError, match="list is no parameter"):
        Session().execute(session, "SELECT %s::text", [["a"]])


@pytest.mark.parametrize("loss", ["DEALLOCATE ALL", "DISCARD ALL"])
def test_lost_statements_are_prepared_again(session: Connection[Any], loss: str) -> None:
    own = Session()
    for _ in range(2):
        assert own.execute(session, "SELECT %s::int + 1", [1]) == [(2,)]
        session.execute(loss, prepare=False)
    assert own.execute(session, "SELECT %s::int + 1", [1]) == [(2,)]


def test_a_plan_whose_result_has_changed_is_made_again(session: Connection[Any]) -> None:
    own = Session()
    session.execute("CREATE TEMPORARY TABLE t (a int)")
    session.execute("INSERT INTO t VALUES (1)")
    assert own.execute(session, "SELECT * FROM t", []) == [(1,)]
    session.execute("ALTER TABLE t ADD b text DEFAULT 'x'")
    assert own.execute(session, "SELECT * FROM t", []) == [(1, "x")]


def test_errors_are_those_of_a_cursor(session: Connection[Any]) -> None:
    own = Session()
    session.execute("CREATE TEMPORARY TABLE t (a int CONSTRAINT small CHECK (a < 9))")
    insert = "INSERT INTO t VALUES (%s) RETURNING a"
    assert own.execute(session, insert, [1]) == [(1,)]
    with pytest.raises(errors.CheckViolation, match="small") as caught:
        own.execute(session, insert, [9])
    assert caught.value.sqlstate == "23514"
    assert caught.value.diag.constraint_name == "small"
    with pytest.raises(errors.UndefinedTable):
        own.execute(session, "SELECT 1 FROM nowhere", [])
    assert own.execute(session, insert, [2]) == [(2,)], (
        "the session goes on, and the statement is still prepared"
    )
    assert prepared_number(session) == 1


def test_a_session_keeps_a_bounded_number(session: Connection[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared, "KEPT", 3)
    own = Session()
    first = "SELECT 0, %s::int"
    for number in range(6):
        assert own.execute(session, f"SELECT {number}, %s::int", [number]) == [(number, number)]
        assert own.execute(session, first, [7]) == [(0, 7)], "what is used stays"
    assert prepared_number(session) == 3


def test_the_engine_uses_it_outside_of_transactions_only(session: Connection[Any]) -> None:
    assert session_of(session) is session_of(session) is not None
    with session.transaction():
        assert session_of(session) is None
    session.execute("BEGIN")
    assert session_of(session) is None
    session.execute("ROLLBACK")
    session.prepare_threshold = None
    assert session_of(session) is None, "a pooler hands the session to somebody else after each transaction"
    session.prepare_threshold = 0
    session.autocommit = False
    assert session_of(session) is None


def test_a_session_that_has_ended_is_an_operational_error(session: Connection[Any]) -> None:
    connection.ensure_connection()
    assert dialect().read_everything([])[1] == {}
    session.execute("SELECT pg_terminate_backend(%s)", [connection.connection.info.backend_pid])
    with pytest.raises(OperationalError):
        dialect().read_everything([])
    connection.close()
    assert dialect().read_everything([])[1] == {}
