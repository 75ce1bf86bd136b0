"""Retention under load: what removing ended instances costs those that run."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from django.db import connection

from bpm import engine
from bpm.bench import processes
from bpm.bench.stopwatch import Stopwatch
from bpm.bench.workloads import complete_batch, deploy
from bpm.models import ProcessInstance

_ENDED, _LOAD = "bench-removed", "bench-load"
_BATCH = 100


@dataclass(frozen=True, slots=True)
class Retention:
    """Instances per second that a caller starts and ends, in pairs: without and with removal beside it."""

    stored: int
    removed: int
    without: list[float]
    beside: list[float]
    removed_per_s: list[float]

    @property
    def ratio(self) -> float:
        """Median of the pairs' ratios."""
        return median(with_ / alone for alone, with_ in zip(self.without, self.beside, strict=True))


def run_retention(
    *, ended: int, pairs: int, slice_s: float, pace: float, note: Callable[[str], None]
) -> Retention:
    """Store ended instances, then let `manage.py retain` remove them while a caller is at work, slice by slice."""
    deploy(processes.external(_ENDED))
    deploy(processes.path(_LOAD))
    for start in range(0, ended, _BATCH):
        complete_batch(_ENDED, _BATCH, Stopwatch())
        if start % 10_000 == 0:
            note(f"{start} of {ended} ended instances are stored")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    engine.set_retention(_ENDED, 0)
    before = _stored()
    without, beside, speeds = [], [], []
    for pair in range(pairs):
        without.append(_load(slice_s))
        held, began = _stored(), time.monotonic()
        remover = subprocess.Popen(  # noqa: S603
            [sys.executable, sys.argv[0], "retain", "--process", _ENDED, "--pace", str(pace)],
            stdout=subprocess.DEVNULL,
        )
        time.sleep(1.5)
        beside.append(_load(slice_s))
        remover.terminate()
        remover.wait()
        speeds.append((held - _stored()) / (time.monotonic() - began))
        note(f"pair {pair + 1}: {without[-1]:.0f}/s alone, {beside[-1]:.0f}/s beside removal")
    return Retention(before, before - _stored(), without, beside, speeds)


def _load(seconds: float) -> float:
    done, began = 0, time.monotonic()
    while time.monotonic() - began < seconds:
        engine.start(_LOAD)
        done += 1
    return done / (time.monotonic() - began)


def _stored() -> int:
    return ProcessInstance.objects.filter(definition_key=_ENDED).count()
