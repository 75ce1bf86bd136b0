"""The engine inside another project's transaction: what must hold there."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, connections


def require_immediate_transactions() -> None:
    """Refuse to work with deferred transactions on SQLite, the caller's or the engine's own.

    Such a transaction cannot wait for another writer once it has read; it would fail in the middle.

    Raises:
        ImproperlyConfigured: names the missing setting.
    """
    database = connections[DEFAULT_DB_ALIAS]
    if database.vendor != "sqlite":
        return
    database.ensure_connection()
    if str(getattr(database, "transaction_mode", None) or "").upper() not in ("IMMEDIATE", "EXCLUSIVE"):
        raise ImproperlyConfigured(
            "The engine needs immediate transactions on SQLite: set "
            'DATABASES["default"]["OPTIONS"]["transaction_mode"] = "IMMEDIATE".'
        )
