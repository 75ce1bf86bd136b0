"""Several reads that see one state of the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import DatabaseError, connection

STATEMENTS: Final = 2
"""What a snapshot adds to the statements inside it."""

# Not `atomic`: on SQLite that would begin with the write lock, and on PostgreSQL each statement would see its
# own state.
_BEGIN = {"postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "sqlite": "BEGIN DEFERRED"}


@contextmanager
def one_snapshot() -> Iterator[None]:
    """Let all reads inside see the state at the first of them.

    In a transaction that is already open, the reads belong to that transaction and see what it sees.
    """
    if connection.in_atomic_block:
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute(_BEGIN[connection.vendor])
    try:
        yield
    except BaseException:
        try:
            _end("ROLLBACK")
        except DatabaseError:
            connection.close()
        raise
    _end("COMMIT")


def _end(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
