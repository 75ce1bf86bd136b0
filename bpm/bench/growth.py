"""Growth: whether what has ended slows what runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from django.db import connection

from bpm.bench import processes
from bpm.bench.floor import Floor
from bpm.bench.patience import without_time_limits
from bpm.bench.steady import Measured, run_steady
from bpm.bench.workloads import Workload, deploy, store_ended

_KEY = "bench-ended"
_TABLES = ("processinstance", "scope", "token", "externaltask", "usertask", "historyevent")


@dataclass(frozen=True, slots=True)
class Growth:
    """The same workload before and after: cost per operation, each as a multiple of the floor beside it."""

    workload: Workload
    ended: int
    before: Measured
    after: Measured

    @property
    def factor(self) -> float:
        """Cost with ended instances stored, by the cost with few."""
        return self.before.share / self.after.share

    @property
    def wall_factor(self) -> float:
        """The same from plain seconds."""
        return median(self.before.rates) / median(self.after.rates)


def run_growth(
    workloads: Sequence[Workload],
    before: Sequence[Measured],
    floor: Floor,
    *,
    ended: int,
    repeats: int,
    slice_s: float,
    note: Callable[[str], None],
) -> list[Growth]:
    """Store instances that each have completed an external task, then measure the workloads again."""
    earlier = {measured.workload.name: measured for measured in before}
    _store(ended, note)
    after = run_steady(workloads, floor, repeats=repeats, slice_s=slice_s, note=note)
    return [Growth(measured.workload, ended, earlier[measured.workload.name], measured) for measured in after]


def _store(ended: int, note: Callable[[str], None]) -> None:
    deploy(processes.external(_KEY))
    store_ended(_KEY, ended, note)
    with without_time_limits(), connection.cursor() as cursor:
        # As the database's own vacuum does within minutes: what is stored counts, not the dead rows of storing it fast.
        for table in _TABLES:
            cursor.execute(f"VACUUM (ANALYZE) bpm_{table}")
