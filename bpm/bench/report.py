"""What a run found, as tables for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

from bpm.bench.crowd import Crowd
from bpm.bench.forks import Fork
from bpm.bench.growth import Growth
from bpm.bench.multi_instance import MultiInstance
from bpm.bench.retention import Retention
from bpm.bench.retention import lines as retention_lines
from bpm.bench.steady import Measured


@dataclass(slots=True)
class Report:
    """Everything that one run found.

    Attributes:
        machine: what it ran on, by name.
    """

    machine: dict[str, object]
    steady: list[Measured] = field(default_factory=list)
    forks: list[Fork] = field(default_factory=list)
    multi_instance: list[MultiInstance] = field(default_factory=list)
    crowds: list[Crowd] = field(default_factory=list)
    growth: list[Growth] = field(default_factory=list)
    retention: Retention | None = None

    def lines(self) -> Iterable[str]:
        """Yield the tables."""
        yield ", ".join(f"{name} {value}" for name, value in self.machine.items())
        yield from _steady_lines(self.steady)
        yield from _fork_lines(self.forks)
        yield from _multi_instance_lines(self.multi_instance)
        yield from _crowd_lines(self.crowds)
        yield from _growth_lines(self.growth)
        if self.retention is not None:
            yield from retention_lines(self.retention)

    def as_json(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        return {
            "machine": self.machine,
            "steady": [_steady_json(one) for one in self.steady],
            "forks": [
                {
                    "width": one.width,
                    "starting_ms": one.starting_ms,
                    "completing_ms": one.completing_ms,
                    "firing_ms": one.firing_ms,
                    "firing_us_per_branch": one.firing_us_per_branch,
                }
                for one in self.forks
            ],
            "multi_instance": [
                {"items": one.items, "item_us": one.item_us, "cpu_us": one.cpu_us}
                for one in self.multi_instance
            ],
            "crowds": [_crowd_json(one) for one in self.crowds],
            "growth": [
                {
                    "workload": one.workload.name,
                    "ended": one.ended,
                    "factor": one.factor,
                    "wall_factor": one.wall_factor,
                }
                for one in self.growth
            ],
            "retention": None
            if self.retention is None
            else {**asdict(self.retention), "ratio": self.retention.ratio},
        }


def _steady_json(one: Measured) -> dict[str, Any]:
    return {
        "workload": one.workload.name,
        "unit": one.workload.unit,
        "per_second": one.rate,
        "per_second_slices": one.rates,
        "floor_slices": one.floors,
        "share_of_floor": one.share,
        "target": one.workload.target,
        "p50_ms": one.percentile_ms(0.5),
        "p99_ms": one.percentile_ms(0.99),
        "cpu_us": one.cpu_us,
        "server_cpu_us": one.server_cpu_us,
        "statements": one.statements,
        "peak_kb": one.peak_kb,
    }


def _crowd_json(one: Crowd) -> dict[str, Any]:
    return {
        "shape": one.shape,
        "tasks": one.tasks,
        "workers": one.workers,
        "batch": one.batch,
        "tasks_per_second": one.rate,
        "refused": one.refused,
        "p50_ms": one.percentile_ms(0.5),
        "p99_ms": one.percentile_ms(0.99),
    }


def _steady_lines(found: Sequence[Measured]) -> Iterable[str]:
    if not found:
        return
    floors = [floor for one in found for floor in one.floors]
    yield ""
    yield f"floor: {median(floors):.0f} commands/s (from {min(floors):.0f} to {max(floors):.0f})"
    yield ""
    yield (
        "| workload | per second | of the floor | promised | p50 ms | p99 ms "
        "| CPU µs | server's CPU µs | statements | peak MB |"
    )
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for one in found:
        work = one.workload
        promised = "" if work.target is None else f"{work.target:.2f}"
        p50, p99 = one.percentile_ms(0.5), one.percentile_ms(0.99)
        yield (
            f"| {work.name} | {one.rate:,.0f} {work.unit} | {one.share:.3f} | {promised} "
            f"| {p50:.2f} | {p99:.2f} | {one.cpu_us:.0f} | {one.server_cpu_us:.0f} "
            f"| {one.statements:g} | {one.peak_kb / 1024:.0f} |"
        )
    yield from _gain_lines({one.workload.name: one for one in found})


def _gain_lines(named: dict[str, Measured]) -> Iterable[str]:
    pairs = {"batch-start": "start-end", "batch-complete": "complete-one"}
    for batch, single in pairs.items():
        if batch in named and single in named:
            gain = named[batch].share / named[single].share
            cpu = (named[single].cpu_us + named[single].server_cpu_us) / (
                named[batch].cpu_us + named[batch].server_cpu_us
            )
            yield f"{batch}: {gain:.1f} times {single}, by CPU time {cpu:.1f} times"


def _fork_lines(found: Sequence[Fork]) -> Iterable[str]:
    if not found:
        return
    yield ""
    yield "| fork of | starting ms | completing one ms | of the narrowest | firing ms | firing µs per branch |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for one in found:
        factor = one.completing_ms / found[0].completing_ms
        yield (
            f"| {one.width:,} | {one.starting_ms:,.1f} | {one.completing_ms:.2f} | {factor:.2f} "
            f"| {one.firing_ms:,.1f} | {one.firing_us_per_branch:.0f} |"
        )


def _multi_instance_lines(found: Sequence[MultiInstance]) -> Iterable[str]:
    if not found:
        return
    yield ""
    yield "| items of a multi-instance activity | µs per item | of the fewest | CPU µs per item | of the fewest |"
    yield "| --- | --- | --- | --- | --- |"
    for one in found:
        wall, cpu = one.item_us / found[0].item_us, one.cpu_us / found[0].cpu_us
        yield f"| {one.items:,} | {one.item_us:,.0f} | {wall:.2f} | {one.cpu_us:,.0f} | {cpu:.2f} |"


def _crowd_lines(found: Sequence[Crowd]) -> Iterable[str]:
    if not found:
        return
    yield ""
    yield "| workers | tasks | of | a fetch | tasks/s | p50 ms | p99 ms | refused |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for one in found:
        yield (
            f"| {one.workers} | {one.tasks:,} | {one.shape} | {one.batch} | {one.rate:,.0f} "
            f"| {one.percentile_ms(0.5):.1f} | {one.percentile_ms(0.99):.1f} | {one.refused} |"
        )


def _growth_lines(found: Sequence[Growth]) -> Iterable[str]:
    if not found:
        return
    yield ""
    yield f"| with {found[0].ended:,} ended instances | cost, by the floor | cost, by the clock |"
    yield "| --- | --- | --- |"
    for one in found:
        yield f"| {one.workload.name} | {one.factor:.2f} | {one.wall_factor:.2f} |"
