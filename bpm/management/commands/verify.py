"""Verifying histories and rows: of some instances, of all, or of an exported file (docs/how-to/verify.md)."""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from bpm.engine import freeze
from bpm.models import ProcessInstance
from bpm.shell.export import ExportUnreadable, verify_export
from bpm.shell.verification_sweep import evidence
from bpm.shell.verifying import Finding, Verified, changed_since, find_strays, verify_each

_BAR = 30
_REFRESH_S = 0.2


class Command(BaseCommand):
    help = "Verify that rows are what their history says, that hashes fit, and that every invariant holds."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("instances", nargs="*", metavar="INSTANCE", help="ids of instances")
        parser.add_argument("--all", action="store_true", help="all instances, and rows that belong to none")
        parser.add_argument("--since", type=_moment, metavar="TIME", help="those changed since (ISO 8601)")
        parser.add_argument("--file", type=Path, metavar="FILE", help="an exported history instead")
        parser.add_argument("--json", type=Path, metavar="FILE", help="write a report, one JSON object")
        parser.add_argument("--freeze", action="store_true", help="freeze instances with findings")

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = [bool(options["instances"]), options["all"] or bool(options["since"]), bool(options["file"])]
        if sum(chosen) != 1:
            raise CommandError("Name instances, or say --all, --since TIME or --file FILE.")
        report = Report(self.stderr if sys.stderr.isatty() else None)
        for result in self._results(options, report):
            report.add(result)
            for finding in result.findings:
                self.stdout.write(f"{result.instance}: {_said(finding)}")
            if options["freeze"] and result.findings and not options["file"]:
                freeze(result.instance, evidence(result.findings), actor="verify")
        strays = find_strays() if options["all"] else ()
        for stray in strays:
            report.strays.append(stray)
            self.stdout.write(_said(stray))
        report.end()
        if options["json"]:
            options["json"].write_text(json.dumps(report.as_json(), indent=1) + "\n")
        self.stdout.write(report.summary())
        if report.broken or report.strays or report.missing:
            sys.exit(1)

    def _results(self, options: dict[str, Any], report: Report) -> Iterator[Verified]:
        if options["file"]:
            yield from _of_file(options["file"])
        elif options["instances"]:
            wanted = list(dict.fromkeys(_instance(text) for text in options["instances"]))
            rows = dict(ProcessInstance.objects.filter(id__in=wanted).values_list("id", "last_sequence"))
            report.total = len(rows)
            report.missing = [str(one) for one in wanted if one not in rows]
            for instance in report.missing:
                self.stdout.write(f"{instance}: there is no such instance")
            yield from verify_each((str(one), sequence + 1) for one, sequence in rows.items())
        else:
            report.total = ProcessInstance.objects.count()
            yield from verify_each(changed_since(options["since"]))


class Report:
    """What was verified so far, with a progress bar."""

    def __init__(self, bar: Any) -> None:
        self.total = 0
        self.instances = 0
        self.events = 0
        self.broken: list[Verified] = []
        self.strays: list[Finding] = []
        self.missing: list[str] = []
        self._bar = bar
        self._began = time.monotonic()
        self._shown = 0.0

    def add(self, result: Verified) -> None:
        """Note a result."""
        self.instances += 1
        self.events += result.events
        if result.findings:
            self.broken.append(result)
        present = time.monotonic()
        if self._bar is not None and present - self._shown > _REFRESH_S:
            self._shown = present
            done = min(1.0, self.instances / self.total) if self.total else 0.0
            filled = "#" * int(done * _BAR)
            self._bar.write(
                f"\r[{filled:<{_BAR}}] {self.instances} instances, {self.events} events", ending=""
            )

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return time.monotonic() - self._began

    def end(self) -> None:
        """End the line of the bar."""
        if self._bar is not None and self._shown:
            self._bar.write("")

    def summary(self) -> str:
        """Return the result in one line."""
        rate = self.events / self.seconds if self.seconds else 0.0
        found = f"{len(self.broken)} broken" if self.broken else "all sound"
        strays = f", {len(self.strays)} stray rows" if self.strays else ""
        missing = f", {len(self.missing)} not there" if self.missing else ""
        return (
            f"{self.instances} instances, {self.events} events in {self.seconds:.1f} s "
            f"({rate:,.0f} events/s): {found}{strays}{missing}"
        )

    def as_json(self) -> dict[str, Any]:
        """Return the report; `broken` holds only instances with findings."""
        return {
            "instances": self.instances,
            "events": self.events,
            "seconds": round(self.seconds, 3),
            "sound": not (self.broken or self.strays or self.missing),
            "missing": self.missing,
            "strays": [stray._asdict() for stray in self.strays],
            "broken": [
                {
                    "instance_id": result.instance,
                    "tenant": result.tenant,
                    "events": result.events,
                    "through": result.through,
                    "head": result.head,
                    "findings": [finding._asdict() for finding in result.findings],
                }
                for result in self.broken
            ],
        }


def _of_file(path: Path) -> Iterator[Verified]:
    try:
        with path.open(encoding="utf-8") as lines:
            yield from verify_export(lines)
    except (OSError, UnicodeDecodeError, ExportUnreadable) as error:
        raise CommandError(f"{path}: {error}") from error


def _said(finding: Finding) -> str:
    where = " ".join(part for part in (finding.place, finding.key) if part)
    at = "" if finding.sequence is None else f" (from event {finding.sequence} on)"
    return f"{finding.rule} {where}: {finding.text}{at}"


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _instance(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise CommandError(f"{text!r} is no id of an instance.") from None
