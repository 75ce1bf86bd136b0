"""Erasing one person's data from histories and rows (docs/how-to/retain-and-erase.md)."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from bpm import engine
from bpm.queries.instance_search import VariableCondition, search_instances
from bpm.queries.instances import InstanceFilter, InstanceRow


class Command(BaseCommand):
    help = "Erase personal data from instances, named or found; each instance says when it is done."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("instances", nargs="*", metavar="INSTANCE", help="ids of instances")
        parser.add_argument("--business-key", metavar="KEY", help="all instances with this business key")
        parser.add_argument(
            "--variable",
            nargs=2,
            metavar=("NAME", "VALUE"),
            help="all instances that have this variable with this value (JSON, or plain text)",
        )
        parser.add_argument(
            "--only",
            nargs="+",
            metavar="NAME",
            help="erase values of these variables only, and no other texts",
        )
        parser.add_argument("--tenant", default="", help="(default: the default tenant)")
        parser.add_argument("--reason", default="", help="stands on the event that tells of the erasure")
        parser.add_argument("--dry-run", action="store_true", help="only say which instances were found")

    def handle(self, *args: Any, **options: Any) -> None:
        by_search = options["business_key"] is not None or options["variable"] is not None
        if bool(options["instances"]) == by_search:
            raise CommandError("Name instances, or say --business-key KEY or --variable NAME VALUE.")
        # Listed first: an erased value would not be found again on the next page.
        found = options["instances"] or [str(row.instance_id) for row in _found(options)]
        events = values = 0
        for number, instance in enumerate(found, 1):
            if options["dry_run"]:
                self.stdout.write(instance)
                continue
            try:
                answer = engine.erase_personal_data(
                    instance,
                    variables=options["only"],
                    reason=options["reason"],
                    tenant=options["tenant"],
                    actor="command line",
                )
            except engine.EngineError as error:
                raise CommandError(f"{instance}: {error}") from None
            events += answer["erased_events"]
            values += answer["erased_values"]
            self.stdout.write(f"{number} of {len(found)}: {instance}, {answer['erased_events']} events")
        if not options["dry_run"]:
            self.stdout.write(f"{len(found)} instances, {events} events and {values} values erased")


def _found(options: dict[str, Any]) -> Iterator[InstanceRow]:
    chosen = InstanceFilter(business_key=options["business_key"])
    conditions: tuple[VariableCondition, ...] = ()
    if options["variable"] is not None:
        name, text = options["variable"]
        conditions = (VariableCondition(name=name, value=_value(text)),)
    cursor: str | None = None
    while True:
        page = search_instances(options["tenant"], chosen, variables=conditions, cursor=cursor, limit=200)
        yield from page.items
        cursor = page.next
        if cursor is None:
            return


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
