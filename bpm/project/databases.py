"""Django's DATABASES entry for one database URL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from bpm.project.environment import Environment

ENGINES = {
    "django.db.backends.sqlite3": "sqlite",
    "django.db.backends.postgresql": "postgresql",
}


def database_from_environment(environment: Environment, default_url: str) -> dict[str, Any]:
    """Return the ``default`` entry of ``DATABASES`` for ``DATABASE_URL``.

    Raises:
        ImproperlyConfigured: the URL cannot be read or names neither SQLite nor PostgreSQL.
    """
    url = environment.text("DATABASE_URL", default_url)
    database = _parse_url(url)
    kind = ENGINES.get(str(database.get("ENGINE")))
    if kind == "sqlite":
        return database | _sqlite_options(environment, database)
    if kind == "postgresql":
        return database | _postgresql_options(environment, database)
    raise ImproperlyConfigured("DATABASE_URL: expected sqlite:///path or postgresql://user@host/name.")


def _parse_url(url: str) -> dict[str, Any]:
    try:
        return dict(dj_database_url.parse(url))
    except (ValueError, KeyError) as error:
        # The URL may hold a password, so the message does not repeat it.
        raise ImproperlyConfigured(f"DATABASE_URL cannot be read: {type(error).__name__}.") from None


def _sqlite_options(environment: Environment, database: dict[str, Any]) -> dict[str, Any]:
    name = str(database["NAME"])
    if name != ":memory:":
        _make_folder(Path(name).resolve().parent)
    synchronous = environment.choice("BPM_SQLITE_SYNCHRONOUS", "FULL", ("FULL", "NORMAL", "EXTRA", "OFF"))
    options = {
        "timeout": 20,
        "transaction_mode": "IMMEDIATE",
        "init_command": (
            f"PRAGMA journal_mode=WAL;PRAGMA synchronous={synchronous};"
            "PRAGMA busy_timeout=20000;PRAGMA foreign_keys=ON;"
            # Else INSERT OR REPLACE takes rows away without the triggers that keep the history.
            "PRAGMA recursive_triggers=ON;"
        ),
    }
    return {"OPTIONS": options | database.get("OPTIONS", {}), "CONN_MAX_AGE": None}


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(
            f"DATABASE_URL, or BPM_VAR_DIR without it: the folder {folder} cannot be made: {error.strerror}."
        ) from None


def _postgresql_options(environment: Environment, database: dict[str, Any]) -> dict[str, Any]:
    day_ms = 86_400_000
    server = {
        "lock_timeout": environment.integer("BPM_LOCK_TIMEOUT_MS", 1_000, low=1, high=day_ms),
        "statement_timeout": environment.integer("BPM_STATEMENT_TIMEOUT_MS", 30_000, low=0, high=day_ms),
        "idle_in_transaction_session_timeout": environment.integer(
            "BPM_IDLE_IN_TRANSACTION_TIMEOUT_MS", 60_000, low=0, high=day_ms
        ),
        "plan_cache_mode": "force_generic_plan",
        # A plan is kept until the tables are analysed again. One that was made while they were nearly empty must serve
        # them when they are full: only indexes and nested loops do.
        "enable_seqscan": "off",
        "enable_hashjoin": "off",
        "enable_mergejoin": "off",
    }
    options: dict[str, Any] = {
        "options": " ".join(f"-c {name}={value}" for name, value in server.items()),
        "connect_timeout": 10,
        "keepalives": 1,
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "server_side_binding": True,
    }
    if environment.flag("BPM_PREPARED_STATEMENTS", default=True):
        options["prepare_threshold"] = 0
    return {
        "OPTIONS": options | database.get("OPTIONS", {}),
        "CONN_MAX_AGE": environment.integer("BPM_CONNECTION_MAX_AGE_S", 60, low=0, high=86_400),
        "CONN_HEALTH_CHECKS": True,
        # Cursors that outlive a statement need one server session, which a transaction pooler does not give.
        "DISABLE_SERVER_SIDE_CURSORS": not environment.flag("BPM_PREPARED_STATEMENTS", default=True),
    }
