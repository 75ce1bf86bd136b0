"""Median and 95th percentile of every page's time on the server, while commands run beside it."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from bpm.bench.page_list import looks
from bpm.bench.pages import lines, load, measure_pages
from bpm.models import ProcessInstance


class Command(BaseCommand):
    help = (
        "Measure the pages of cockpit, task list and administration in a database that `manage.py seed` has filled, "
        "while commands run at a steady rate. For trials: makes accounts and instances."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--rounds", type=int, default=20, help="times that each page is opened (default 20)"
        )
        parser.add_argument(
            "--rate", type=float, default=50.0, help="commands per second (default 50; 0: none)"
        )
        parser.add_argument("--callers", type=int, default=2, help="processes that give them (default 2)")
        parser.add_argument("--only", default="", metavar="TEXT", help="only pages with this in their name")

    def handle(self, *args: Any, **options: Any) -> None:
        if connection.vendor != "postgresql":
            raise CommandError("The pages are measured on PostgreSQL: set DATABASE_URL.")
        if min(options["rounds"], options["callers"]) < 1 or options["rate"] < 0:
            raise CommandError("--rounds and --callers are 1 or more, --rate is 0 or more.")
        if not ProcessInstance.objects.filter(definition_key="seed-order").exists():
            raise CommandError("This database has no seeded instances: run `manage.py seed` first.")
        chosen = [look for look in looks() if options["only"] in look.name]
        reports: list[dict[str, float]] = []
        with load(options["rate"], options["callers"], reports):
            found = measure_pages(chosen, rounds=options["rounds"], note=self.stderr.write)
        for line in lines(found, reports):
            self.stdout.write(line)
