"""Start and stop of the private server."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import quote, urlsplit

import psycopg

from bpm.project.postgres.account import Account, die_with_parent, server_account
from bpm.project.postgres.binaries import find_binaries

START_LIMIT_S = 30.0
STOP_LIMIT_S = 20.0
_FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class PostgresUnavailable(RuntimeError):
    """No server could be started; the text says why and what to do."""


@contextmanager
def embedded_postgres(*, durable: bool = False, data_dir: Path | None = None) -> Iterator[str]:
    """Yield the URL of a running PostgreSQL (15 or newer) with an empty or kept database ``bpm``.

    A ``DATABASE_URL`` that names PostgreSQL is used as it is; else server programs of the system, else those
    of the ``embedded-postgres`` package start a server of our own on a Unix socket in a private folder.

    Args:
        durable: keep ``fsync`` on, as a production server does (for benchmarks and kept data).
        data_dir: a folder that keeps the data; without it they vanish with the server.

    Raises:
        PostgresUnavailable: no programs were found, or the server did not start within 30 s.
    """
    given = os.environ.get("DATABASE_URL", "")
    if urlsplit(given).scheme in ("postgres", "postgresql"):
        yield given
        return
    # Unix socket paths end at 107 bytes, so a deep temporary folder is passed over.
    parent = tempfile.gettempdir() if len(tempfile.gettempdir()) < 60 else "/tmp"  # noqa: S108
    home = Path(tempfile.mkdtemp(prefix="bpm-pg-", dir=parent))
    try:
        account = server_account()
        account.own(home)
        with _server(home, data_dir, account, durable=durable) as url:
            yield url
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def _server(home: Path, data_dir: Path | None, account: Account, *, durable: bool) -> Iterator[str]:
    binaries = find_binaries(home, account)
    if binaries is None:
        raise PostgresUnavailable(
            "No PostgreSQL 15 or newer was found: set DATABASE_URL to a server, install the system's "
            "postgresql package, or run 'make .venv/ok-postgres'."
        )
    data = data_dir.resolve() if data_dir else home / "data"
    if not (data / "PG_VERSION").exists():
        _create_cluster(binaries, data, account)
    process = _start(binaries, home, data, account, durable=durable)
    try:
        _wait_until_ready(process, home)
        yield _url(home, "bpm")
    finally:
        _stop(process)


def _create_cluster(binaries: Path, data: Path, account: Account) -> None:
    data.mkdir(parents=True, exist_ok=True)
    account.own(data)
    command = [str(binaries / "initdb"), "--pgdata", str(data), "--no-sync", "--no-instructions"]
    command += ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-locale"]
    done = subprocess.run(  # noqa: S603
        command, capture_output=True, text=True, check=False, cwd="/", **account.process_options()
    )
    if done.returncode:
        raise PostgresUnavailable(f"initdb failed in {data}: {done.stderr.strip() or done.stdout.strip()}")


def _start(
    binaries: Path, home: Path, data: Path, account: Account, *, durable: bool
) -> subprocess.Popen[bytes]:
    settings = {"listen_addresses": "", "unix_socket_directories": str(home), "max_connections": "200"}
    settings |= {"timezone": "UTC", "log_timezone": "UTC", "jit": "off"} | ({} if durable else _FAST)
    command = [str(binaries / "postgres"), "-D", str(data)]
    command += [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    with (home / "server.log").open("wb") as log:
        # A session of its own keeps a terminal's Ctrl-C away from the server while its clients still finish.
        return subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            start_new_session=True,
            preexec_fn=partial(die_with_parent, signal.SIGINT),  # noqa: PLW1509
            **account.process_options(),
        )


def _wait_until_ready(process: subprocess.Popen[bytes], home: Path) -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            _create_database(home)
        except psycopg.OperationalError:
            time.sleep(0.03)
        else:
            return
    log = (home / "server.log").read_text(errors="replace")[-2_000:]
    raise PostgresUnavailable(f"PostgreSQL did not start within {START_LIMIT_S:.0f} s:\n{log}")


def _create_database(home: Path) -> None:
    with psycopg.connect(_url(home, "postgres"), autocommit=True) as connection:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = 'bpm'").fetchone()
        if found is None:
            connection.execute("CREATE DATABASE bpm")


def _url(home: Path, database: str) -> str:
    return f"postgresql://postgres@{quote(str(home), safe='')}/{database}"


def _stop(process: subprocess.Popen[bytes]) -> None:
    # To the server program SIGINT means: end all sessions, flush, exit; SIGTERM would wait for the sessions.
    process.send_signal(signal.SIGINT)
    try:
        process.wait(STOP_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
