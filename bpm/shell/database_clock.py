"""The database's clock, where it is not read along with something else."""

from __future__ import annotations

from datetime import UTC, datetime

from django.db import connection

from bpm.shell.clock import or_frozen


def database_now() -> datetime:
    """Return the present instant, aware, UTC. Statements: 1 on PostgreSQL, 0 on SQLite."""
    if connection.vendor != "postgresql":
        return or_frozen(datetime.now(UTC))
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return or_frozen(cursor.fetchone()[0].astimezone(UTC))
