"""Retention under load: what the removal of ended instances costs those that run."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median

from django.db import connection

from bpm import engine
from bpm.bench import processes
from bpm.bench.patience import without_time_limits
from bpm.bench.stopwatch import Stopwatch, percentile_ms
from bpm.bench.workloads import complete_externals, deploy, store_ended
from bpm.models import ProcessInstance

TARGET = 0.9
"""Least share of its speed that a caller keeps while instances are removed beside it."""
_REMOVED, _LOAD = "bench-removed", "bench-load"
_STARTING_S = 120.0


@dataclass(slots=True)
class Retention:
    """A caller's speed in pairs of slices: without and with `manage.py retain` as a process beside it.

    Attributes:
        stored: ended instances before the first slice.
        removed: how many of them were removed meanwhile.
        alone, beside: operations per second of each slice.
        removed_per_s: instances that were removed, per second of each slice beside it.
        alone_s, beside_s: latencies of all operations.
    """

    stored: int
    removed: int = 0
    alone: list[float] = field(default_factory=list)
    beside: list[float] = field(default_factory=list)
    removed_per_s: list[float] = field(default_factory=list)
    alone_s: list[float] = field(default_factory=list)
    beside_s: list[float] = field(default_factory=list)

    @property
    def ratios(self) -> list[float]:
        """Speed beside removal by speed alone, of each pair."""
        return [beside / alone for alone, beside in zip(self.alone, self.beside, strict=True)]

    @property
    def ratio(self) -> float:
        """Median of the pairs."""
        return median(self.ratios)


def run_retention(
    *, ended: int, pairs: int, slice_s: float, pace: float | None, note: Callable[[str], None]
) -> Retention:
    """Store ended instances, then measure a caller in pairs of slices; every other pair begins with removal.

    Args:
        pace: of `manage.py retain`; None: its default.
    """
    deploy(processes.external(_REMOVED))
    deploy(processes.external(_LOAD))
    _store(ended, note)
    engine.set_retention(_REMOVED, 0)
    found = Retention(_stored())
    _slice(1.0)
    for pair in range(pairs):
        for removing in (False, True) if pair % 2 == 0 else (True, False):
            if removing:
                with _removal(pace):
                    _beside(found, slice_s)
            else:
                watch = _slice(slice_s)
                found.alone.append(watch.rate)
                found.alone_s += watch.latencies_s
        note(
            f"pair {pair + 1}: {found.alone[-1]:.0f}/s alone, {found.beside[-1]:.0f}/s "
            f"while {found.removed_per_s[-1]:.0f}/s are removed: {found.ratios[-1]:.2f}"
        )
    found.removed = found.stored - _stored()
    return found


def lines(found: Retention) -> Iterator[str]:
    """Yield the table of a run."""
    yield ""
    yield "| slice | alone, per s | while removing, per s | ratio | removed per s |"
    yield "| --- | --- | --- | --- | --- |"
    rows = zip(found.alone, found.beside, found.ratios, found.removed_per_s, strict=True)
    for number, (alone, beside, ratio, removed) in enumerate(rows, 1):
        yield f"| {number} | {alone:,.0f} | {beside:,.0f} | {ratio:.2f} | {removed:,.0f} |"
    yield (
        f"retention: {found.ratio:.2f} of the speed alone, promised {TARGET:.2f}; {found.removed:,} of "
        f"{found.stored:,} instances removed; p99 {percentile_ms(found.alone_s, 0.99):.1f} ms alone, "
        f"{percentile_ms(found.beside_s, 0.99):.1f} ms while removing"
    )


def _store(ended: int, note: Callable[[str], None]) -> None:
    store_ended(_REMOVED, ended, note)
    with without_time_limits(), connection.cursor() as cursor:
        # As a database is after such a time: analysed and vacuumed, with nothing left to write.
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("CHECKPOINT")


@contextmanager
def _removal(pace: float | None) -> Iterator[None]:
    """Run `manage.py retain` beside the block, from its first batch on; it is ended in the middle of its work."""
    before = _stored()
    arguments = ["retain", "--process", _REMOVED, *([] if pace is None else ["--pace", str(pace)])]
    remover = subprocess.Popen([sys.executable, sys.argv[0], *arguments], stdout=subprocess.DEVNULL)  # noqa: S603
    try:
        deadline = time.monotonic() + _STARTING_S
        while _stored() == before:
            if remover.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("manage.py retain removes nothing.")
            time.sleep(0.1)
        yield
        if remover.poll() is not None:
            raise RuntimeError(
                "Removal ended before the slice did: store more instances, or take fewer pairs."
            )
    finally:
        remover.terminate()
        remover.wait()


def _beside(found: Retention, seconds: float) -> None:
    before, began = _stored(), time.monotonic()
    watch = _slice(seconds)
    found.removed_per_s.append((before - _stored()) / (time.monotonic() - began))
    found.beside.append(watch.rate)
    found.beside_s += watch.latencies_s


def _slice(seconds: float) -> Stopwatch:
    watch, until = Stopwatch(), time.monotonic() + seconds
    while time.monotonic() < until:
        complete_externals(_LOAD, watch)
    return watch


def _stored() -> int:
    return ProcessInstance.objects.filter(definition_key=_REMOVED).count()
