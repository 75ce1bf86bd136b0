"""Django's `flush`, which also empties the history on SQLite, where its triggers refuse a plain DELETE.

Tests that commit use it to empty the tables, those of a host project too. On PostgreSQL it truncates, which no trigger
of a row or statement sees.
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
        connection = connections[database]
        if connection.vendor == "sqlite" and _MARKER in connection.introspection.table_names():
            if options["interactive"]:
                name = connection.settings_dict["NAME"]
                question = (
                    f"This removes ALL data, histories too, from {name}. Type 'yes' to go on, 'no' to stop: "
                )
                if input(question) != "yes":
                    raise CommandError("Nothing was removed.")
                options["interactive"] = False
            with transaction.atomic(using=database), connection.cursor() as cursor:
                for statement in _EMPTY:
                    cursor.execute(statement)
        super().handle(**options)
