"""The benchmarks; `make bench` runs them on a private PostgreSQL with durable commits."""

from __future__ import annotations

import json
import os
import platform
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from bpm.bench.crowd import run_crowd
from bpm.bench.floor import find_pgbench, make_floor
from bpm.bench.forks import run_forks
from bpm.bench.growth import run_growth
from bpm.bench.multi_instance import run_multi_instance
from bpm.bench.report import Report
from bpm.bench.retention import run_retention
from bpm.bench.steady import run_steady
from bpm.bench.workloads import steady
from bpm.models import ProcessInstance

_GROUPS = ("forks", "multi-instance", "crowd", "growth", "retention")
_GROWING = ("start-end", "external", "user")


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",") if part]


def _add_pairs(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--pairs", type=int, default=5, help="slices with and without retention (%(default)s)"
    )
    parser.add_argument(
        "--pair-slice",
        type=float,
        default=12.0,
        metavar="S",
        help="seconds of such a slice (%(default)s)",
    )
    parser.add_argument("--pace", type=float, help="of retention (default: as it is without)")


class Command(BaseCommand):
    help = (
        "Measure what commands cost on PostgreSQL, as a share of what the database alone could do in the same minutes. "
        "Fills the database; takes an empty one."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        names = [workload.name for workload in steady(1)]
        parser.add_argument(
            "workload",
            nargs="*",
            help=f"some of: {', '.join([*names, *_GROUPS])} (default: all but growth and retention)",
        )
        parser.add_argument("--repeats", type=int, default=7, help="slices of each workload (%(default)s)")
        parser.add_argument(
            "--slice", type=float, default=0.5, metavar="S", help="seconds of a slice (%(default)s)"
        )
        parser.add_argument("--batch", type=int, default=100, help="commands of a batch (%(default)s)")
        parser.add_argument(
            "--widths", type=_numbers, default=[2, 10, 100, 1_000, 10_000], help="of forks, comma-separated"
        )
        parser.add_argument(
            "--items", type=_numbers, default=[100, 10_000], help="of multi-instance, comma-separated"
        )
        parser.add_argument(
            "--tasks", type=int, default=10_000, help="for the crowd of workers (%(default)s)"
        )
        parser.add_argument("--workers", type=int, default=8, help="processes of the crowd (%(default)s)")
        parser.add_argument(
            "--fetch",
            type=_numbers,
            default=[1, 10, 50],
            help="tasks of a fetch of the crowd, comma-separated",
        )
        parser.add_argument(
            "--ended",
            type=int,
            default=100_000,
            help="instances that growth and retention store (%(default)s)",
        )
        _add_pairs(parser)
        parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there too")

    def handle(self, *args: Any, **options: Any) -> None:
        self._require_empty_postgresql()
        chosen = self._chosen(options["workload"])
        report = Report(_machine())
        self._run(report, chosen, options)
        for line in report.lines():
            self.stdout.write(line)
        if options["json"]:
            options["json"].write_text(json.dumps(report.as_json(), indent=1) + "\n")

    def _require_empty_postgresql(self) -> None:
        if connection.vendor != "postgresql":
            raise CommandError(
                "The floor is PostgreSQL's: run 'make bench', or set DATABASE_URL to an empty database."
            )
        call_command("migrate", verbosity=0)
        if ProcessInstance.objects.exists():
            raise CommandError("This database holds instances; the benchmarks take an empty one.")

    def _chosen(self, names: list[str]) -> list[str]:
        known = [workload.name for workload in steady(1)]
        unknown = set(names) - {*known, *_GROUPS}
        if unknown:
            raise CommandError(f"There is no workload {', '.join(sorted(unknown))}.")
        return names or [*known, "forks", "multi-instance", "crowd"]

    def _run(self, report: Report, chosen: list[str], options: dict[str, Any]) -> None:
        how = {"repeats": options["repeats"], "slice_s": options["slice"], "note": self._note}
        wanted = {*chosen, *(_GROWING if "growth" in chosen else ())}
        workloads = [workload for workload in steady(options["batch"]) if workload.name in wanted]
        floor = make_floor() if workloads else None
        if floor is not None:
            report.steady = run_steady(workloads, floor, **how)
        if "forks" in chosen:
            report.forks = run_forks(options["widths"], repeats=options["repeats"], note=self._note)
        if "multi-instance" in chosen:
            report.multi_instance = run_multi_instance(
                options["items"], repeats=options["repeats"], note=self._note
            )
        if "crowd" in chosen:
            self._run_crowds(report, options)
        if "growth" in chosen and floor is not None:
            growing = [workload for workload in workloads if workload.name in _GROWING]
            report.growth = run_growth(growing, report.steady, floor, ended=options["ended"], **how)
        if "retention" in chosen:
            report.retention = run_retention(
                ended=options["ended"],
                pairs=options["pairs"],
                slice_s=options["pair_slice"],
                pace=options["pace"],
                note=self._note,
            )

    def _run_crowds(self, report: Report, options: dict[str, Any]) -> None:
        for shape in ("instances", "one instance"):
            for batch in options["fetch"]:
                run = run_crowd(
                    shape, tasks=options["tasks"], workers=options["workers"], batch=batch, note=self._note
                )
                report.crowds.append(run)

    def _note(self, text: str) -> None:
        self.stderr.write(text)


def _machine() -> dict[str, object]:
    with connection.cursor() as cursor:
        settings = {}
        for name in ("server_version", "fsync", "synchronous_commit"):
            cursor.execute(f"SHOW {name}")
            settings[name] = cursor.fetchone()[0]
    return {
        "Python": platform.python_version(),
        "PostgreSQL": settings["server_version"].split()[0],
        "fsync": settings["fsync"],
        "synchronous_commit": settings["synchronous_commit"],
        "cores": os.cpu_count() or 1,
        "floor by": "pgbench" if find_pgbench() else "psycopg",
    }
