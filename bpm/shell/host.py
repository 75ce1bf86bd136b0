"""The engine inside another project's transaction: what must hold there."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured
from django.db import connection


def require_immediate_transactions() -> None:
    """Refuse to work with deferred transactions on SQLite, the caller's or the engine's own.

    Such a transaction cannot wait for another writer once it has read; it would fail in the middle.

    Raises:
        ImproperlyConfigured: names the missing setting.
    """
    if connection.vendor != "sqlite":
        return
    connection.ensure_connection()
    if str(getattr(connection, "transaction_mode", None) or "").upper() not in ("IMMEDIATE", "EXCLUSIVE"):
        raise ImproperlyConfigured(
            "The engine needs immediate transactions on SQLite: set "
            'DATABASES["default"]["OPTIONS"]["transaction_mode"] = "IMMEDIATE".'
        )
