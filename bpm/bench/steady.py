"""Running the steady workloads: slices of all of them in turn, each beside a slice of the floor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

from bpm.bench.floor import Floor
from bpm.bench.stopwatch import (
    StatementCounter,
    Stopwatch,
    forget_peak_memory,
    peak_memory_kb,
    percentile_ms,
)
from bpm.bench.workloads import Workload, deploy

FLOOR_COMMANDS = 1_000


@dataclass(slots=True)
class Measured:
    """What came out for one workload.

    Attributes:
        rates: operations per second of each slice.
        floors: commands per second of the floor beside it.
        latencies_s: of all timed calls.
        statements: of one operation, batches of one call.
        operations: of all slices.
        cpu_s: processor time of this process for them, server_cpu_s: of the server's.
        peak_kb: most memory of the process while it ran.
    """

    workload: Workload
    statements: float
    rates: list[float] = field(default_factory=list)
    floors: list[float] = field(default_factory=list)
    latencies_s: list[float] = field(default_factory=list)
    operations: int = 0
    cpu_s: float = 0.0
    server_cpu_s: float = 0.0
    peak_kb: int = 0

    @property
    def rate(self) -> float:
        """Median of the slices."""
        return median(self.rates)

    @property
    def share(self) -> float:
        """Operations per command of the floor: median over the slices of each one's own ratio."""
        return median(rate / floor for rate, floor in zip(self.rates, self.floors, strict=True))

    @property
    def cpu_us(self) -> float:
        """Processor time of one operation in this process."""
        return 1_000_000 * self.cpu_s / self.operations

    @property
    def server_cpu_us(self) -> float:
        """Processor time of one operation in the process that serves the session."""
        return 1_000_000 * self.server_cpu_s / self.operations

    def percentile_ms(self, share: float) -> float:
        """Return a percentile of the calls."""
        return percentile_ms(self.latencies_s, share)


def run_steady(
    workloads: Sequence[Workload], floor: Floor, *, repeats: int, slice_s: float, note: Callable[[str], None]
) -> list[Measured]:
    """Run each workload once untimed, then `repeats` slices of each, interleaved."""
    found = []
    for workload in workloads:
        deploy(workload.source)
        workload.round(Stopwatch())
        counter = StatementCounter()
        workload.round(counter)
        found.append(Measured(workload, counter.statements / counter.calls))
    for repeat in range(repeats):
        for measured in found:
            _slice(measured, floor, slice_s)
            note(f"{repeat + 1}/{repeats} {measured.workload.name}: {measured.rates[-1]:.0f}/s")
    return found


def _slice(measured: Measured, floor: Floor, slice_s: float) -> None:
    measured.floors.append(floor(FLOOR_COMMANDS))
    watch = Stopwatch()
    forget_peak_memory()
    while watch.seconds < slice_s:
        measured.workload.round(watch)
    measured.rates.append(watch.rate)
    measured.latencies_s += watch.latencies_s
    measured.operations += watch.operations
    measured.cpu_s += watch.cpu_s
    measured.server_cpu_s += watch.server_cpu_s
    measured.peak_kb = max(measured.peak_kb, peak_memory_kb())
