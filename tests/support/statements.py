"""What the database really executes: statements as the server, or SQLite itself, reports them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

_LOGGED = re.compile(r"(?:execute [^:]*|statement): (.*)", re.DOTALL)
_AROUND = re.compile(r"(BEGIN|COMMIT|ROLLBACK)\b(?! TO)")
_WRITES = re.compile(r'(?:INSERT INTO|UPDATE|DELETE FROM) "?(\w+)')


class Executed:
    """Top-level statements, in order; those that begin and end a transaction apart."""

    def __init__(self) -> None:
        self.all: list[str] = []

    @property
    def statements(self) -> list[str]:
        """All but BEGIN, COMMIT and ROLLBACK; savepoints count."""
        return [text for text in self.all if not _AROUND.match(text)]

    @property
    def written_tables(self) -> list[str]:
        """On SQLite: the engine's table that each writing statement writes, idempotency records apart."""
        found = [match[1] for text in self.statements if (match := _WRITES.match(text))]
        return [table for table in found if table != "bpm_idempotencyrecord"]


@contextmanager
def executed() -> Iterator[Executed]:
    """Collect what this thread's connection executes.

    On PostgreSQL the server logs every statement and sends the log to the client: this sees what no client library
    can hide, a text of several statements or a deallocation too. Needs a superuser.
    """
    found = Executed()
    connection.ensure_connection()
    watch = _watched_sqlite if connection.vendor == "sqlite" else _watched_postgresql
    with watch(found.all):
        yield found


@contextmanager
def _watched_sqlite(found: list[str]) -> Iterator[None]:
    raw: Any = connection.connection
    raw.set_trace_callback(found.append)
    try:
        yield
    finally:
        raw.set_trace_callback(None)


@contextmanager
def _watched_postgresql(found: list[str]) -> Iterator[None]:
    raw: Any = connection.connection

    def note(diagnostic: Any) -> None:
        logged = _LOGGED.fullmatch(diagnostic.message_primary or "")
        if logged:
            found.append(logged[1])

    with connection.cursor() as cursor:
        cursor.execute("SET client_min_messages = log")
        cursor.execute("SET log_statement = 'all'")
    raw.add_notice_handler(note)
    try:
        yield
    finally:
        raw.remove_notice_handler(note)
        with connection.cursor() as cursor:
            cursor.execute("RESET log_statement")
            cursor.execute("RESET client_min_messages")
