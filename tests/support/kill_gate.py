"""Kills this process, really, before or after one of its statements."""

from __future__ import annotations

import os
import signal
from typing import Any, NamedTuple

from django.db import connection


class KillPoint(NamedTuple):
    """Where a process dies: before the statement of this number (from 1) is sent, or when its answer has come."""

    statement: int
    after: bool

    def __str__(self) -> str:
        return f"{'after' if self.after else 'before'} statement {self.statement}"


class KillGate:
    """Counts the statements of this process's connection from now on; without a point it only counts.

    On PostgreSQL a statement is one exchange with the server, as the server counts them; the begin of a transaction
    travels with its first statement. On SQLite it is what the library's trace reports, begin and commit included; there
    it dies before each, which after the one before it is the same.
    """

    def __init__(self, point: KillPoint | None = None) -> None:
        self.count = 0
        self._point = point

    def install(self) -> None:
        """Watch the connection, which is opened."""
        connection.ensure_connection()
        raw: Any = connection.connection
        if connection.vendor == "sqlite":
            raw.set_trace_callback(self._traced)
            return
        wait = raw.wait

        def watched(generator: Any, *args: Any, **kwargs: Any) -> Any:
            self.count += 1
            self._die_at(after=False)
            answer = wait(generator, *args, **kwargs)
            self._die_at(after=True)
            return answer

        raw.wait = watched

    def _traced(self, _text: str) -> None:
        self.count += 1
        self._die_at(after=False)

    def _die_at(self, *, after: bool) -> None:
        if self._point == (self.count, after):
            os.kill(os.getpid(), signal.SIGKILL)


def kill_points(statements: int) -> list[KillPoint]:
    """Return every point of a run with so many statements."""
    ways = (False,) if connection.vendor == "sqlite" else (False, True)
    return [KillPoint(number + 1, after) for number in range(statements) for after in ways]
