"""Django's `flush`, which may empty the history as well: its triggers refuse that to everything else.

Tests that commit use it to empty the tables, those of a host project too.
"""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import flush
from django.db import connections, transaction

_MARKER = "bpm_retentionmarker"
_EMPTY = (
    "INSERT OR IGNORE INTO bpm_retentionmarker (id) VALUES (1)",
    "DELETE FROM bpm_historyevent",
    "DELETE FROM bpm_retentionmarker",
)


class Command(flush.Command):
    def handle(self, **options: Any) -> None:
        database = options["database"]
        if _MARKER not in connections[database].introspection.table_names():
            super().handle(**options)
            return
        if options["interactive"]:
            # Asked before the transaction, which must not wait for an answer.
            _ask(connections[database].settings_dict["NAME"])
        with transaction.atomic(using=database):
            _allow(database)
            super().handle(**options | {"interactive": False})


def _ask(name: str) -> None:
    question = f"This removes ALL data, histories too, from {name}. Type 'yes' to go on, 'no' to stop: "
    if input(question) != "yes":
        raise CommandError("Nothing was removed.")


def _allow(database: str) -> None:
    """Mark the transaction as one that may empty the history; on SQLite the history is emptied at once."""
    connection = connections[database]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT set_config('bpm.retention', 'on', true)")
            return
        for statement in _EMPTY:
            cursor.execute(statement)
