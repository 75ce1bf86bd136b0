"""What pages cost on the server, while commands run beside them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from django.db import connection
from django.utils import translation

from bpm.bench.page_list import Look
from bpm.bench.stopwatch import percentile_ms, server_cpu_s

MEDIAN_MS: Final = 200.0
P95_MS: Final = 600.0
"""What every page may take."""


@dataclass(slots=True)
class PageTimes:
    """One page's answers.

    Attributes:
        cpu_s, server_cpu_s: processor time of all answers: of this process, of the session's server process.
        statements: of one answer.
    """

    name: str
    seconds: list[float] = field(default_factory=list)
    cpu_s: float = 0.0
    server_cpu_s: float = 0.0
    statements: int = 0
    bytes: int = 0

    @property
    def late(self) -> bool:
        """Whether it takes longer than a page may."""
        return percentile_ms(self.seconds, 0.5) > MEDIAN_MS or percentile_ms(self.seconds, 0.95) > P95_MS


def measure_pages(looks: Sequence[Look], *, rounds: int, note: Callable[[str], None]) -> list[PageTimes]:
    """Open each page once unmeasured, then once in each round.

    Raises:
        RuntimeError: a page does not answer with 200.
    """
    found = [PageTimes(look.name) for look in looks]
    for number in range(rounds + 1):
        for look, times in zip(looks, found, strict=True):
            _open(look, times, measured=number > 0)
        note(f"round {number} of {rounds}")
    return found


def _open(look: Look, times: PageTimes, *, measured: bool) -> None:
    counted = 0

    def count(execute: Callable[..., Any], *arguments: Any) -> Any:
        nonlocal counted
        counted += 1
        return execute(*arguments)

    server, cpu, began = server_cpu_s(), time.process_time(), time.perf_counter()
    with connection.execute_wrapper(count), translation.override(None):
        answer = look.who.get(look.address)
    took = time.perf_counter() - began
    if answer.status_code not in (200, 204):
        raise RuntimeError(f"{look.name}: {look.address} answers {answer.status_code}.")
    times.statements = max(times.statements, counted)
    times.bytes = len(answer.content)
    if measured:
        times.seconds.append(took)
        times.cpu_s += time.process_time() - cpu
        times.server_cpu_s += server_cpu_s() - server


@contextmanager
def load(rate: float, processes: int, reports: list[dict[str, float]]) -> Iterator[None]:
    """Give commands at a rate while the block runs; then add to `reports` how each process fared.

    Raises:
        RuntimeError: a process could not give its first command.
    """
    command = [sys.executable, "-m", "bpm.bench.page_load", str(rate / processes)]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603
        for _ in range(processes if rate else 0)
    ]
    try:
        for one in running:
            if one.stdout is None or one.stdout.readline() != "running\n":
                raise RuntimeError("The load has not begun.")
        yield
    finally:
        for one in running:
            one.terminate()
        for one in running:
            text, _ = one.communicate()
            reports.append(json.loads(text or "{}"))


def lines(found: Sequence[PageTimes], reports: Sequence[dict[str, float]]) -> Iterator[str]:
    """Yield the table."""
    yield "| page | median, ms | p95, ms | processor, ms | database's, ms | statements | KiB |  |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for times in sorted(found, key=lambda one: -percentile_ms(one.seconds, 0.5)):
        yield (
            f"| {times.name} | {percentile_ms(times.seconds, 0.5):.0f} | {percentile_ms(times.seconds, 0.95):.0f} "
            f"| {1_000 * times.cpu_s / len(times.seconds):.0f} | {1_000 * times.server_cpu_s / len(times.seconds):.0f} "
            f"| {times.statements} "
            f"| {times.bytes // 1024} | {'late' if times.late else ''} |"
        )
    every = [second for times in found for second in times.seconds]
    late = sum(times.late for times in found)
    yield (
        f"all pages: median {percentile_ms(every, 0.5):.0f} ms, p95 {percentile_ms(every, 0.95):.0f} ms; {late} of "
        f"{len(found)} take longer than a median of {MEDIAN_MS:.0f} ms or a p95 of {P95_MS:.0f} ms"
    )
    rate = sum(report.get("per_s", 0.0) for report in reports)
    worst = max((report.get("p95_ms", 0.0) for report in reports), default=0.0)
    yield f"commands meanwhile: {rate:.0f} per second, p95 {worst:.0f} ms"
