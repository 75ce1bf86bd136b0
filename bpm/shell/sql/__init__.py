"""SQL of the hot path: one module per database, with the same functions.

`dialect()` gives the one of the default connection. Statement counts are part of each function's contract.
"""

from __future__ import annotations

from django.db import DEFAULT_DB_ALIAS, connections

from bpm.shell.sql.dialect import Dialect
from bpm.shell.sql.needs import Needs
from bpm.shell.sql.postgresql import PostgreSQL
from bpm.shell.sql.sqlite import SQLite

_DIALECTS: dict[str, Dialect] = {"postgresql": PostgreSQL(), "sqlite": SQLite()}


def dialect(vendor: str | None = None) -> Dialect:
    """Return the SQL of a database, by default that of the default connection."""
    return _DIALECTS[vendor or connections[DEFAULT_DB_ALIAS].vendor]


__all__ = ["Dialect", "Needs", "dialect"]
