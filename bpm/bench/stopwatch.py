"""Measuring: time, latencies and statements of what is done in `timing`, processor time in `charging`, peak memory."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connection

_STATUS = Path("/proc/self/status")
_RESET = Path("/proc/self/clear_refs")


class Stopwatch:
    """One slice of a workload.

    Attributes:
        operations: how many were done.
        calls: timed calls that finished an operation, or a batch of them.
        seconds: time spent on them, preparations left out.
        cpu_s: processor time of this process, of what was charged.
        server_cpu_s: that of the session's server process; 0 where it cannot be seen.
        latencies_s: of each timed call.
    """

    def __init__(self) -> None:
        self.operations = 0
        self.calls = 0
        self.seconds = 0.0
        self.cpu_s = 0.0
        self.server_cpu_s = 0.0
        self.latencies_s: list[float] = []

    @contextmanager
    def timing(self, operations: int = 1) -> Iterator[None]:
        """Time one call; with 0 operations it is only a part of one."""
        begun = time.perf_counter()
        yield
        took = time.perf_counter() - begun
        self.seconds += took
        self.latencies_s.append(took)
        self._add(operations)

    @contextmanager
    def charging(self) -> Iterator[None]:
        """Count the processor time of a series of timed calls.

        Not of each, because to ask for it takes as long as a tenth of a call, and drives the call's data out of the
        processor's caches.
        """
        server, cpu = server_cpu_s(), time.process_time()
        yield
        self.cpu_s += time.process_time() - cpu
        self.server_cpu_s += server_cpu_s() - server

    def _add(self, operations: int) -> None:
        self.operations += operations
        self.calls += operations > 0

    @property
    def rate(self) -> float:
        """Operations per second."""
        return self.operations / self.seconds if self.seconds else 0.0


class StatementCounter(Stopwatch):
    """Counts statements instead of time; those that begin and commit a transaction are left out.

    Attributes:
        statements: of all timed calls.
    """

    def __init__(self) -> None:
        super().__init__()
        self.statements = 0

    @contextmanager
    def timing(self, operations: int = 1) -> Iterator[None]:
        """Count one call."""
        with connection.execute_wrapper(self._count):
            yield
        self._add(operations)

    def _count(self, execute: Callable[..., Any], *arguments: Any) -> Any:
        self.statements += 1
        return execute(*arguments)


def server_cpu_s() -> float:
    """Return the processor time of the process that serves this session, 0 unless it runs on this machine."""
    if connection.connection is None:
        return 0.0
    process = Path("/proc") / str(connection.connection.info.backend_pid)
    try:
        if (process / "comm").read_text() != "postgres\n":
            return 0.0
        return int((process / "schedstat").read_text().split(maxsplit=1)[0]) / 1_000_000_000
    except OSError:
        return 0.0


def percentile_ms(latencies_s: list[float], share: float) -> float:
    """Return a percentile in milliseconds: the smallest latency that at least `share` of all do not exceed."""
    ordered = sorted(latencies_s)
    return 1_000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0


def forget_peak_memory() -> None:
    """Let `peak_memory_kb` count from now, where the system can."""
    try:
        _RESET.write_text("5")
    except OSError:
        return


def peak_memory_kb() -> int:
    """Return the most memory that this process has used."""
    try:
        text = _STATUS.read_text()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(text.split("VmHWM:", 1)[1].split(maxsplit=1)[0])
