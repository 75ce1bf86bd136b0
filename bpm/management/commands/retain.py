"""Ended instances whose time is over: export and remove them (docs/how-to/retain-and-erase.md)."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from bpm import engine

_BAR = 30
_REFRESH_S = 0.2
_MOST_PACE = 1_000.0


def _pace(text: str) -> float:
    pace = float(text)
    if not 0 <= pace <= _MOST_PACE:
        raise ValueError(text)
    return pace


class Command(BaseCommand):
    help = "Remove ended instances whose retention is over, or say how long those of a process are kept."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--process", metavar="KEY", help="only instances of this process")
        parser.add_argument(
            "--tenant", default="", help="of --days and --default (default: the default tenant)"
        )
        parser.add_argument(
            "--export", type=Path, metavar="FOLDER", help="write histories there before removal"
        )
        parser.add_argument("--dry-run", action="store_true", help="only count what would go")
        parser.add_argument(
            "--pace",
            type=_pace,
            default=engine.REMOVAL_PACE,
            metavar="S",
            help="rest per second of work (%(default)s)",
        )
        rule = parser.add_mutually_exclusive_group()
        rule.add_argument("--days", type=int, metavar="N", help="keep those of --process N days from now on")
        rule.add_argument("--for-good", action="store_true", help="keep those of --process for good")
        rule.add_argument(
            "--default", action="store_true", help="let BPM_RETENTION_DAYS decide for --process"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["days"] is not None or options["for_good"] or options["default"]:
            self._set_rule(options)
            return
        total = engine.count_expired(key=options["process"])
        if options["dry_run"]:
            self.stdout.write(f"{total} instances would go, with those that they called")
            return
        self._remove(total, options)

    def _set_rule(self, options: dict[str, Any]) -> None:
        key, how = options["process"], {"tenant": options["tenant"], "actor": "command line"}
        if not key:
            raise CommandError("--days, --for-good and --default need --process KEY.")
        try:
            if options["default"]:
                engine.clear_retention(key, **how)
            else:
                engine.set_retention(key, options["days"], **how)
        except engine.EngineError as error:
            raise CommandError(str(error)) from None

    def _remove(self, total: int, options: dict[str, Any]) -> None:
        instances = events = 0
        shown = 0.0
        began = time.monotonic()
        bar = self.stderr if sys.stderr.isatty() else None
        for removed in engine.remove_expired(
            key=options["process"], folder=options["export"], pace=options["pace"], actor="command line"
        ):
            instances += removed.instances
            events += removed.events
            if bar is not None and time.monotonic() - shown > _REFRESH_S:
                shown = time.monotonic()
                done = min(_BAR, _BAR * instances // max(total, instances, 1))
                rate = instances / (shown - began)
                bar.write(
                    f"\r[{'#' * done}{' ' * (_BAR - done)}] {instances} of {total}, {rate:.0f}/s ", ending=""
                )
        if bar is not None and shown:
            bar.write("")
        self.stdout.write(f"{instances} instances with {events} events removed")
