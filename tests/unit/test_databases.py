from __future__ import annotations

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from bpm.project.databases import database_from_environment
from bpm.project.environment import Environment

POSTGRES = "postgresql://app:s3cret@db.example:5433/bpm"


def test_postgresql_url_gives_bounded_prepared_sessions() -> None:
    database = database_from_environment(Environment({"DATABASE_URL": POSTGRES}), "")
    assert (database["HOST"], database["PORT"], database["NAME"]) == ("db.example", 5433, "bpm")
    assert database["OPTIONS"]["server_side_binding"] is True
    assert database["OPTIONS"]["prepare_threshold"] == 0
    assert "-c lock_timeout=1000 " in database["OPTIONS"]["options"]
    assert "pool" not in database["OPTIONS"]


def test_prepared_statements_can_be_switched_off_for_a_transaction_pooler() -> None:
    variables = {"DATABASE_URL": POSTGRES, "BPM_PREPARED_STATEMENTS": "0"}
    database = database_from_environment(Environment(variables), "")
    assert "prepare_threshold" not in database["OPTIONS"]
    assert database["DISABLE_SERVER_SIDE_CURSORS"] is True


def test_options_in_the_url_win_over_the_defaults() -> None:
    url = POSTGRES + "?connect_timeout=3&sslmode=require"
    options = database_from_environment(Environment({"DATABASE_URL": url}), "")["OPTIONS"]
    assert (options["connect_timeout"], options["sslmode"]) == (3, "require")


def test_socket_folder_in_the_url_becomes_the_host() -> None:
    url = "postgresql://postgres@%2Ftmp%2Fbpm-pg-x/bpm"
    assert database_from_environment(Environment({"DATABASE_URL": url}), "")["HOST"] == "/tmp/bpm-pg-x"


def test_sqlite_begins_immediate_and_makes_the_folder_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "bpm.sqlite3"
    database = database_from_environment(Environment({}), f"sqlite:///{file}")
    assert database["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert "synchronous=FULL" in database["OPTIONS"]["init_command"]
    assert file.parent.is_dir()


@pytest.mark.parametrize("url", ["mysql://u@h/n", "nonsense", "postgresql://u:s3cret@h:port/n", "://"])
def test_other_urls_are_refused_without_repeating_a_password(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL") as caught:
        database_from_environment(Environment({"DATABASE_URL": url}), "")
    assert "s3cret" not in str(caught.value)
