"""Processes of tests about loops: they use the test's database, and none outlives the test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import psycopg
from django.db import connection

from bpm.jobs.parent_death import die_with_parent
from bpm.models import Heartbeat, Timer
from bpm.shell.heartbeats import QUEUE
from tests.support.commands import ROOT, clean_environment

_numbers = count()


def database_url() -> str:
    """Return the URL of the test's own database."""
    settings = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{settings['NAME']}"
    host = quote(str(settings["HOST"]), safe="")
    port = f":{settings['PORT']}" if settings["PORT"] else ""
    password = f":{quote(settings['PASSWORD'])}" if settings["PASSWORD"] else ""
    return f"postgresql://{settings['USER']}{password}@{host}{port}/{settings['NAME']}"


def child_environment(folder: Path, **variables: str) -> dict[str, str]:
    """Return the environment of a child: the test's database, a var folder of its own, counted handlers."""
    return clean_environment(
        {
            "BPM_DEMO": "1",
            "BPM_SECRET_KEY": "only-for-tests-" * 5,
            "BPM_VAR_DIR": str(folder),
            "BPM_SQLITE_SYNCHRONOUS": "OFF",
            "BPM_TEST_ATTEMPTS": str(folder / "attempts"),
            "DATABASE_URL": database_url(),
            "DJANGO_SETTINGS_MODULE": "tests.support.loop_settings",
            "PYTHONPATH": str(ROOT),
            "PYTHONUNBUFFERED": "1",
            **variables,
        }
    )


class Children:
    """Starts processes in groups of their own and ends all of them, with their sessions, when the block ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sessions = f"children {os.getpid()} {next(_numbers)}"
        self._running: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for child in self._running:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        if self._running:
            wait_for_sessions_to_end(self._sessions)

    def start(self, *arguments: str, log: str = "child.log", **variables: str) -> subprocess.Popen[bytes]:
        """Start the interpreter with these arguments."""
        with self.log(log).open("ab") as output:
            child = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=ROOT,
                env=child_environment(self._folder, PGAPPNAME=self._sessions, **variables),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                process_group=0,
                preexec_fn=die_with_parent,
            )
        self._running.append(child)
        return child

    def log(self, name: str = "child.log") -> Path:
        """Return the file with the output of children."""
        return self._folder / name


def eventually(look: Callable[[], Any], within_s: float = 60.0, what: str = "") -> Any:
    """Return the first true result of `look`; fail when there is none in time.

    It looks once more when the time is over: this process itself may have stood still meanwhile.
    """
    deadline = time.monotonic() + within_s
    while True:
        late = time.monotonic() > deadline
        found = look()
        if found:
            return found
        if late:
            raise AssertionError(f"not within {within_s} s: {what or look}")
        time.sleep(0.05)


def wait_for_sessions_to_end(name: str = "%") -> None:
    """Wait until the database has no session of this name: the server sees a little later that a client was killed.

    Until then it holds the locks that it had. Without a name all sessions count, but for this process's own.
    """
    if connection.vendor != "postgresql":
        return
    own = 0 if connection.connection is None else connection.connection.info.backend_pid
    query = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' "
        "AND application_name LIKE %s AND pid NOT IN (%s, pg_backend_pid())"
    )
    # Beside the test's own session, which may be inside a transaction or not to be used.
    with psycopg.connect(database_url(), autocommit=True) as session:
        eventually(
            lambda: session.execute(query, [name, own]).fetchone() == (0,),
            what="the sessions of killed processes to end",
        )


def lateness() -> list[float]:
    """Return by how many seconds each fired timer was late, sorted; none is due before it is there."""
    times = Timer.objects.filter(status="FIRED").values_list("closed_at", "due_at", "created_at")
    return sorted(
        (closed - max(due, created)).total_seconds() for closed, due, created in times if closed is not None
    )


def ticking_workers() -> set[int]:
    """Return the processes whose tickers were seen within the last three seconds."""
    fresh = Heartbeat.objects.filter(seen_at__gt=datetime.now(UTC) - timedelta(seconds=3)).exclude(name=QUEUE)
    return {int(name.rpartition(":")[2]) for name in fresh.values_list("name", flat=True)}


def descendants(pid: int) -> dict[int, str]:
    """Return the processes below one, with their command lines."""
    found: dict[int, str] = {}
    children = dict(_parents())
    grown = True
    while grown:
        new = {
            child
            for child, parent in children.items()
            if (parent == pid or parent in found) and child not in found
        }
        found |= {child: _command(child) for child in new}
        grown = bool(new)
    return found


def _parents() -> Iterator[tuple[int, int]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                # The name in brackets may hold spaces; the parent is the second field behind it.
                yield int(entry.name), int((entry / "stat").read_text().rpartition(")")[2].split()[1])


def _command(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def is_running(pid: int) -> bool:
    """Return whether a process exists and has not ended (a zombie has)."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False
