"""What differs in a PostgreSQL session while it migrates.

The schema editor sends several commands in one text, which cannot be prepared, and rebuilding a large table
takes longer than any statement of the engine may. ``lock_timeout`` stays: a migration must not queue behind a
long reader and make everybody else queue behind it.
"""

from __future__ import annotations

from typing import Any

from django.db import connections

_thresholds: dict[str, int | None] = {}


def begin_migrating(*, using: str, **_kwargs: Any) -> None:
    """Switch prepared statements and ``statement_timeout`` off, once per alias."""
    connection = connections[using]
    if connection.vendor != "postgresql" or using in _thresholds:
        return
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
    _thresholds[using] = connection.connection.prepare_threshold
    connection.connection.prepare_threshold = None


def end_migrating(*, using: str, **_kwargs: Any) -> None:
    """Restore what the connection options ask for."""
    if using not in _thresholds:
        return
    connection = connections[using]
    with connection.cursor() as cursor:
        cursor.execute("RESET statement_timeout")
    connection.connection.prepare_threshold = _thresholds.pop(using)
