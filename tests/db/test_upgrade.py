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
from psycopg import sql

from tests.support.commands import run_python
from tests.support.widening import ROUNDS

RELEASES = sorted(path for path in (Path(__file__).parents[1] / "releases").iterdir() if path.is_dir())


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


def _environment(url: str, folder: Path) -> dict[str, str]:
    return {
        "BPM_DEMO": "1",
        "BPM_SECRET_KEY": "only-for-tests-" * 5,
        "BPM_VAR_DIR": str(folder),
        "BPM_SQLITE_SYNCHRONOUS": "OFF",
        "DATABASE_URL": url,
        "BPM_LOG_LEVEL": "ERROR",
    }


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_instances_of_a_release_end_after_an_upgrade(released: str, tmp_path: Path) -> None:
    environment = _environment(released, tmp_path)
    migrated = run_python("manage.py", "migrate", "--verbosity", "0", **environment)
    assert migrated.returncode == 0, migrated.stderr
    finished = run_python("-m", "tests.support.finishing", **environment)
    assert finished.returncode == 0, finished.stderr
    result = json.loads(finished.stdout.splitlines()[-1])
    assert result["findings"] == []
    ends = {key: status for key, status in result["statuses"].items() if status != "COMPLETED"}
    assert ends == {"old-cancelled": "CANCELLED"}
    assert len(result["statuses"]) == 14


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_release_goes_on_while_the_next_one_adds_columns_to_every_table(
    released: str, tmp_path: Path
) -> None:
    """Its sessions hold prepared statements, and its rows have no values for columns that it does not know."""
    environment = _environment(released, tmp_path)
    migrated = run_python("manage.py", "migrate", "--verbosity", "0", **environment)
    assert migrated.returncode == 0, migrated.stderr
    widened = run_python("-m", "tests.support.widening", **environment)
    assert widened.returncode == 0, widened.stderr
    result = json.loads(widened.stdout.splitlines()[-1])
    assert result["findings"] == []
    assert result["ended"] == 2 * ROUNDS + 3
    assert result["tables"] > 25
    assert (result["prepared"] > 5) == (connection.vendor == "postgresql")
