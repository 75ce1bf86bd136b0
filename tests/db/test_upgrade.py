"""Upgrades from every release: what ran goes on, and the release before can run beside while it is replaced."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import (
    AddField,
    CreateModel,
    DeleteModel,
    RemoveField,
    RenameField,
    RenameModel,
)
from psycopg import sql

from tests.support.commands import run_python

RELEASES = sorted(path for path in (Path(__file__).parents[1] / "releases").iterdir() if path.is_dir())
FIRST = {"bpm": "0011_business_keys_in_order"}
"""Newest migrations of the first release."""


@pytest.fixture(params=RELEASES, ids=lambda path: path.name)
def released(request: pytest.FixtureRequest, transactional_db: None, tmp_path: Path) -> Iterator[str]:
    """Yield the URL of a database as a release left it."""
    dump = gzip.decompress((request.param / f"{connection.vendor}.sql.gz").read_bytes()).decode()
    if connection.vendor == "sqlite":
        file = tmp_path / "released.sqlite3"
        with sqlite3.connect(file) as raw:
            raw.executescript(dump)
        raw.close()
        yield f"sqlite:///{file}"
        return
    name = "released"
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {name}")
        cursor.execute(f"CREATE DATABASE {name}")
    url = _url(name)
    with psycopg.connect(url, autocommit=True) as raw_connection:
        raw_connection.execute(sql.SQL(dump))
    yield url
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _url(name: str) -> str:
    settings = connection.settings_dict
    host = quote(str(settings["HOST"]), safe="")
    port = f":{settings['PORT']}" if settings["PORT"] else ""
    return f"postgresql://{settings['USER']}@{host}{port}/{name}"


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_instances_of_a_release_end_after_an_upgrade(released: str, tmp_path: Path) -> None:
    environment = {
        "BPM_DEMO": "1",
        "BPM_SECRET_KEY": "only-for-tests-" * 5,
        "BPM_VAR_DIR": str(tmp_path),
        "BPM_SQLITE_SYNCHRONOUS": "OFF",
        "DATABASE_URL": released,
        "BPM_LOG_LEVEL": "ERROR",
    }
    migrated = run_python("manage.py", "migrate", "--verbosity", "0", **environment)
    assert migrated.returncode == 0, migrated.stderr
    finished = run_python("-m", "tests.support.finishing", **environment)
    assert finished.returncode == 0, finished.stderr
    result = json.loads(finished.stdout.splitlines()[-1])
    assert result["findings"] == []
    ends = {key: status for key, status in result["statuses"].items() if status != "COMPLETED"}
    assert ends == {"old-cancelled": "CANCELLED"}
    assert len(result["statuses"]) == 14


def _later_operations() -> Iterator[tuple[str, object]]:
    loader = MigrationLoader(None)
    for app in ("bpm",):
        first = FIRST[app]
        for (label, name), migration in sorted(loader.disk_migrations.items()):
            if label == app and name > first:
                for operation in migration.operations:
                    yield f"{label}.{name}", operation


def test_later_migrations_take_nothing_away_that_the_release_before_uses() -> None:
    taken = [
        f"{name}: {operation}"
        for name, operation in _later_operations()
        if isinstance(operation, RemoveField | RenameField | DeleteModel | RenameModel)
    ]
    assert taken == []


def test_rows_that_the_release_before_writes_fit_new_columns() -> None:
    """Its statements do not name columns that came later: the database has a value for each."""
    operations = [operation for _, operation in _later_operations()]
    created = {operation.name_lower for operation in operations if isinstance(operation, CreateModel)}
    unfilled = [
        f"{name}: {operation.model_name}.{operation.name}"
        for name, operation in _later_operations()
        if isinstance(operation, AddField)
        and operation.model_name_lower not in created
        and not operation.field.null
        and not operation.field.has_db_default()
    ]
    assert unfilled == []
