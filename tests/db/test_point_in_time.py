"""A server restored to a moment in the past by the lines of the deployment guide, with instances in flight."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bpm.project.postgres import server
from bpm.project.postgres.account import Account, server_account
from bpm.project.postgres.binaries import find_binaries
from tests.support.children import eventually
from tests.support.commands import ROOT, clean_environment
from tests.support.restoring import TASKS, TIMERS

pytestmark = [pytest.mark.postgresql, pytest.mark.slow, pytest.mark.timeout(600)]
GUIDE = ROOT / "docs" / "how-to" / "deploy.md"
MAIN, BACKUPS = "/var/lib/postgresql/15", "/var/backups/bpm"
DEADLINE_S = 120


class Server:
    """A private PostgreSQL whose folders stand for those of the guide."""

    def __init__(self, home: Path, account: Account) -> None:
        self.home, self.account = home, account
        binaries = find_binaries(home, account)
        assert binaries is not None, "the tests' own server has been found"
        self.binaries = binaries
        self.url = server._url(home, "bpm")
        server._create_cluster(binaries, self.data, account)

    @property
    def data(self) -> Path:
        return self.home / "main"

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run it inside; it ends as in a crash, with nothing flushed or archived."""
        process = server._start(self.binaries, self.home, self.data, self.account, durable=False)
        try:
            server._wait_until_ready(process, self.home)
            yield
        finally:
            process.send_signal(3)
            process.wait(60)

    def here(self, text: str) -> str:
        """Return lines of the guide with this server's folders."""
        return text.replace(MAIN, str(self.home)).replace(BACKUPS, str(self.home / "backups"))

    def configure(self, lines: str) -> None:
        """Add lines to the configuration."""
        with (self.data / "postgresql.conf").open("a") as file:
            file.write(self.here(lines))

    def run(self, lines: str) -> str:
        """Run lines of the guide in a shell, as the account of the server."""
        environment = {
            "PATH": f"{self.binaries}:{os.environ['PATH']}",
            "PGHOST": str(self.home),
            "PGUSER": "postgres",
        }
        done: subprocess.CompletedProcess[str] = subprocess.run(
            ["/bin/sh", "-e", "-c", self.here(lines)],
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            env=environment,
            **self.account.process_options(),
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@pytest.fixture
def postgres(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(server, "START_LIMIT_S", float(DEADLINE_S))
    # Unix socket paths end at 107 bytes, and the account may not enter the tests' own folders.
    home = Path(tempfile.mkdtemp(prefix="bpm-pitr-", dir="/tmp"))
    try:
        account = server_account()
        account.own(home)
        for folder in ("backups", "backups/wal"):
            (home / folder).mkdir()
            account.own(home / folder)
        yield Server(home, account)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def guide_blocks() -> list[str]:
    """Return the blocks of lines of the guide's section, in order."""
    section = GUIDE.read_text().split("## 9. Backup and restore", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^```\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


def python(postgres: Server, folder: Path, *arguments: str, given: str = "") -> str:
    environment = clean_environment(
        {
            "BPM_DEMO": "1",
            "BPM_SECRET_KEY": "only-for-tests-" * 5,
            "BPM_VAR_DIR": str(folder),
            "BPM_LOG_LEVEL": "ERROR",
            "DATABASE_URL": postgres.url,
        }
    )
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, input=given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_instances_in_flight_go_on_from_the_moment(postgres: Server, tmp_path: Path) -> None:
    archiving, backup, bring_back, recovery, waiting = guide_blocks()
    postgres.configure(archiving)
    with postgres.running():
        python(postgres, tmp_path, "manage.py", "migrate", "--verbosity", "0")
        python(postgres, tmp_path, "-m", "tests.support.restoring", "prepare")
        postgres.run(backup)
        before = json.loads(python(postgres, tmp_path, "-m", "tests.support.restoring", "before"))
        archive(postgres)
    postgres.run(bring_back)
    moment = re.sub(r"'\d{4}-[^']*'", f"'{before['moment']}'", recovery)
    assert moment != recovery
    postgres.configure(moment)
    with postgres.running():
        eventually(lambda: postgres.run(waiting) == "f", DEADLINE_S, "the end of the recovery")
        assert "all sound" in python(postgres, tmp_path, "manage.py", "verify", "--all")
        found = after(postgres, tmp_path, before)
        assert found == {
            "running": TIMERS + TASKS,
            "lost": False,
            "fired_before": 0,
            "refused": ["late", "done", "early"],
            "fired": [TIMERS, 0],
            "timers_fired": TIMERS,
            "tasks_completed": [TASKS, TASKS],
            "not_ended": 0,
        }
        assert "all sound" in python(postgres, tmp_path, "manage.py", "verify", "--all")


def archive(postgres: Server) -> None:
    """Wait until all that was written is archived."""
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        row = connection.execute("SELECT pg_walfile_name(pg_switch_wal())").fetchone()
    assert row is not None
    eventually((postgres.home / "backups/wal" / row[0]).exists, DEADLINE_S, "the archive")


def after(postgres: Server, folder: Path, before: dict[str, Any]) -> dict[str, Any]:
    given = json.dumps(before)
    found: dict[str, Any] = json.loads(
        python(postgres, folder, "-m", "tests.support.restoring", "after", given=given)
    )
    return found
