"""SQL of the hot path: one module per database, with the same functions.

`dialect()` gives the one of the default connection. Statement counts are part of each function's contract.
"""

from __future__ import annotations

from bpm.shell.sql.dialect import Dialect, Needs
from bpm.shell.sql.postgresql import PostgreSQL
from bpm.shell.sql.sqlite import SQLite

_DIALECTS: dict[str, Dialect] = {"postgresql": PostgreSQL(), "sqlite": SQLite()}


def dialect() -> Dialect:
    """Return the SQL of the default connection's database."""
    from django.db import connection

    return _DIALECTS[connection.vendor]


__all__ = ["Dialect", "Needs", "dialect"]
