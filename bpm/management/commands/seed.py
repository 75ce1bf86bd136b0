"""Many instances in little time, to see how pages and queries fare with them."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from bpm.bench.patience import without_time_limits
from bpm.bench.seeding import stories
from bpm.bench.seeding.copying import write_copies
from bpm.bench.seeding.large import run_large
from bpm.bench.seeding.stories import Story
from bpm.bench.seeding.template import Template, read_template
from bpm.models import Definition, ProcessInstance

_BAR = 30


class Command(BaseCommand):
    help = (
        "Fill the database with consistent instances: a few are run, then copied with ids, times and hashes of their "
        "own. PostgreSQL only. For trials, never for a database that serves."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--ended", type=int, default=10_000, metavar="N", help="ended instances (default 10,000)"
        )
        parser.add_argument(
            "--running", type=int, default=1_000, metavar="N", help="running instances (default 1,000)"
        )
        parser.add_argument(
            "--days", type=float, default=30.0, help="over which the ended ones are spread (default 30)"
        )
        parser.add_argument("--large", action="store_true", help="also run one instance with 50,000 events")

    def handle(self, *args: Any, **options: Any) -> None:
        if connection.vendor != "postgresql":
            raise CommandError("seed writes with COPY, which only PostgreSQL has: set DATABASE_URL.")
        if options["ended"] < 0 or options["running"] < 0 or options["days"] <= 0:
            raise CommandError("--ended and --running are 0 or more, --days is above 0.")
        with without_time_limits():
            self._fill(options)
            with connection.cursor() as cursor:
                cursor.execute("VACUUM (ANALYZE)")

    def _fill(self, options: dict[str, Any]) -> None:
        stories.deploy()
        if options["large"]:
            instance, events = run_large(lambda text: self._say(f"large instance: {text}"))
            self.stdout.write(f"\nlarge instance {instance}: {events:,} events")
        first = ProcessInstance.objects.count()
        self._copy("ended", stories.ended(), options["ended"], first, options["days"])
        self._copy(
            "running", stories.running(), options["running"], first + options["ended"], options["days"] / 15
        )

    def _copy(self, what: str, kinds: Sequence[Story], number: int, first: int, days: float) -> None:
        if number == 0:
            return
        templates = [(self._template(story), story.weight) for story in kinds]
        write_copies(templates, number, first=first, days=days, note=self._progress(what, number))
        self.stdout.write("")

    def _template(self, story: Story) -> Template:
        instance = story.make()
        kept = {str(one) for one in Definition.objects.values_list("id", flat=True)}
        return read_template(instance, kept)

    def _progress(self, what: str, number: int) -> Callable[[int], None]:
        began = time.monotonic()

        def note(done: int) -> None:
            full = _BAR * done // number
            rate = done / max(time.monotonic() - began, 0.001)
            self._say(f"{what:<8} [{'#' * full}{'.' * (_BAR - full)}] {done:,} of {number:,}, {rate:,.0f}/s")

        return note

    def _say(self, text: str) -> None:
        self.stdout.write("\r" + text.ljust(78), ending="" if sys.stdout.isatty() else "\n")
        self.stdout.flush()
