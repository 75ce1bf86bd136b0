"""Run one command on a private PostgreSQL server."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType

from bpm.project.postgres.account import die_with_parent
from bpm.project.postgres.server import PostgresUnavailable, embedded_postgres

Handler = Callable[[int, FrameType | None], None] | signal.Handlers


def main(arguments: list[str] | None = None) -> int:
    """Run the command given after ``--`` with ``DATABASE_URL`` set; return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m bpm.project.postgres", description=__doc__)
    parser.add_argument("--durable", action="store_true", help="keep fsync on, as a production server does")
    parser.add_argument("--data", type=Path, metavar="DIR", help="keep the data in this folder")
    parser.add_argument("command", nargs="+", help="the command and its arguments, after --")
    options = parser.parse_args(arguments)
    try:
        # SystemExit unwinds the context manager, so a termination before the command starts stops the server.
        with (
            _handled(signal.SIGTERM, _leave),
            embedded_postgres(durable=options.durable, data_dir=options.data) as url,
        ):
            return _run(options.command, url)
    except PostgresUnavailable as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _run(command: list[str], url: str) -> int:
    child = subprocess.Popen(  # noqa: S603
        command,
        env={**os.environ, "DATABASE_URL": url},
        preexec_fn=partial(die_with_parent, signal.SIGTERM),  # noqa: PLW1509
    )

    def forward(number: int, _frame: FrameType | None) -> None:
        child.send_signal(number)

    # A terminal's Ctrl-C reaches the command itself; this process only waits for it to finish.
    with child, _handled(signal.SIGTERM, forward), _handled(signal.SIGINT, signal.SIG_IGN):
        code = child.wait()
    return code if code >= 0 else 128 - code


@contextmanager
def _handled(number: signal.Signals, handler: Handler) -> Iterator[None]:
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


if __name__ == "__main__":
    raise SystemExit(main())
