"""A session without time limits, for what takes minutes or waits for the database's own vacuum."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import connection

_LIMITS: Final = ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")


@contextmanager
def without_time_limits() -> Iterator[None]:
    """Lift the session's limits, and bring them back. Needs PostgreSQL."""
    with connection.cursor() as cursor:
        for name in _LIMITS:
            cursor.execute(f"SET {name} = 0")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            for name in _LIMITS:
                cursor.execute(f"RESET {name}")
