"""The only way to change or remove events: inside `changing_history` (semantics §10).

The database refuses it anywhere else, by triggers on the history's table. On PostgreSQL the transaction is marked by a
setting that ends with it; where the setting `RETENTION_ROLE` names a role, the statements inside run as that role, so
that the application's own role needs no right to update or delete events at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from bpm.models import RetentionMarker
from bpm.shell.configuration import setting


@contextmanager
def changing_history() -> Iterator[None]:
    """Let the enclosing transaction update and delete events, until this block ends.

    Statements: PostgreSQL 2 (4 with a role), SQLite 2.

    Raises:
        RuntimeError: there is no transaction.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("Events are changed inside a transaction only.")
    mark, unmark = (_mark, _unmark) if connection.vendor == "postgresql" else (_put_row, _take_row)
    mark()
    yield
    # Where the block has failed, its transaction or savepoint is rolled back, and the mark with it.
    unmark()


def _mark() -> None:
    role = setting("RETENTION_ROLE")
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('bpm.retention', 'on', true)")
        if role:
            cursor.execute(f"SET LOCAL ROLE {connection.ops.quote_name(role)}")


def _unmark() -> None:
    with connection.cursor() as cursor:
        if setting("RETENTION_ROLE"):
            cursor.execute("RESET ROLE")
        cursor.execute("SELECT set_config('bpm.retention', '', true)")


def _put_row() -> None:
    RetentionMarker.objects.get_or_create(id=1)


def _take_row() -> None:
    RetentionMarker.objects.filter(id=1).delete()
