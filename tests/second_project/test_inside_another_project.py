"""The engine as an app of another project: that project's own tests, run by its own command line."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import clean_environment
from tests.support.postgres import server_url

pytestmark = pytest.mark.timeout(700)
HERE = Path(__file__).resolve().parent


def manage(*arguments: str, url: str, mode: str = "IMMEDIATE") -> str:
    """Run the second project's command line and return what it printed; the test fails with it."""
    variables = {"SHOP_DATABASE_URL": url, "SHOP_TRANSACTION_MODE": mode}
    done = subprocess.run(
        [sys.executable, "-W", "error", "manage.py", *arguments],
        cwd=HERE,
        env=clean_environment(variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    printed = done.stdout + done.stderr
    if done.returncode:
        pytest.fail(printed, pytrace=False)
    return printed


def run_tests(*arguments: str, url: str, mode: str = "IMMEDIATE") -> int:
    """Run the shop's tests; return how many there were."""
    label = "tests.second_project.shop.tests"
    printed = manage("test", label, "--noinput", "--timing", *arguments, url=url, mode=mode)
    found = re.search(r"^Ran (\d+) tests? in", printed, re.MULTILINE)
    assert found is not None, printed
    assert "skipped" not in printed, printed
    return int(found[1])


@pytest.mark.sqlite
def test_on_sqlite_it_commits_and_rolls_back_with_the_host(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'shop.sqlite3'}"
    assert run_tests("--exclude-tag=postgresql", "--exclude-tag=deferred", url=url) == 11


@pytest.mark.postgresql
def test_on_postgresql_it_commits_and_rolls_back_with_the_host() -> None:
    assert run_tests("--exclude-tag=deferred", url=server_url()) == 12


@pytest.mark.sqlite
def test_on_sqlite_with_deferred_transactions_it_refuses(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'shop.sqlite3'}"
    assert run_tests("--tag=deferred", url=url, mode="DEFERRED") == 1


@pytest.mark.sqlite
def test_the_hosts_settings_ask_for_no_migration_of_the_engine(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'shop.sqlite3'}"
    assert "No changes detected" in manage("makemigrations", "--check", "--dry-run", url=url)
    assert "no issues" in manage("check", url=url)
