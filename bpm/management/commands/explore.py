"""Walking through everything that can happen in the processes of a file."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from bpm import handlers
from bpm.bpmn import BpmnFile, read_file
from bpm.core.errors import DefinitionInvalid
from bpm.core.exploring import EVERYTHING, PLAIN, Bounds, Report, explore


class Command(BaseCommand):
    help = (
        "Walk through everything that can happen in the processes of a file; fails where something is wrong."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="BPMN file; nothing is deployed")
        parser.add_argument("--process", default="", metavar="ID", help="only this one")
        parser.add_argument("--states", type=int, default=20_000, help="situations looked at (20000)")
        parser.add_argument("--seconds", type=float, default=60.0, help="time for each process (60)")
        parser.add_argument("--plain", action="store_true", help="work never fails, no lease expires")
        parser.add_argument(
            "--force-executable", action="store_true", help='also processes without isExecutable="true"'
        )
        parser.add_argument("--json", type=Path, metavar="FILE", help="write the reports there, too")

    def handle(self, *args: Any, **options: Any) -> None:
        file = _read(options["file"], options["force_executable"])
        graphs = [one.graph for one in file.processes if one.graph is not None]
        graphs = [graph for graph in graphs if options["process"] in ("", graph.key)]
        if not graphs:
            raise CommandError("The file has no such process that can be executed.")
        bounds = Bounds(states=options["states"], seconds=options["seconds"])
        environment = PLAIN if options["plain"] else EVERYTHING
        reports = [explore(graph, environment, bounds, time.monotonic) for graph in graphs]
        for report in reports:
            self._tell(report)
        if options["json"] is not None:
            options["json"].write_text(json.dumps([report.as_json() for report in reports], indent=2) + "\n")
        number = sum(len(report.findings) for report in reports)
        if number:
            raise CommandError(f"{number} found.")

    def _tell(self, report: Report) -> None:
        whole = "all of it" if report.complete else f"up to the bound of {report.bound}"
        self.stdout.write(
            f"{report.process}: {report.states} situations, {report.transitions} steps, {whole}"
        )
        for finding in report.findings:
            self.stdout.write(f"  {finding.rule} at {finding.element}: {finding.message}")
            for number, step in enumerate(finding.trace, 1):
                self.stdout.write(f"    {number}. {step}")


def _read(path: Path, force_executable: bool) -> BpmnFile:
    formats = handlers.script_formats()
    try:
        file = read_file(
            path.read_bytes(), name=path.name, force_executable=force_executable, script_formats=formats
        )
    except OSError as error:
        raise CommandError(str(error)) from None
    except DefinitionInvalid as refusal:
        raise CommandError(_lines(refusal.problems)) from None
    if file.problems:
        raise CommandError(_lines(file.problems))
    return file


def _lines(problems: Any) -> str:
    return "\n".join(
        f"{one.resource}:{one.line} {one.element}: {one.message} [{one.rule}]" for one in problems
    )
