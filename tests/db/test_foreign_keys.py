"""No foreign key crosses instances: an instance's lock owns all its rows, and no other instance's (semantics §11)."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import connection

from bpm.models import HistoryEvent, Token
from bpm.shell.sql.owned_rows import owned_rows


@pytest.mark.django_db
def test_no_foreign_key_leads_to_another_instance() -> None:
    owned = {table for table, _ in owned_rows()} | {"bpm_usertaskcandidate"}
    assert {Token._meta.db_table, HistoryEvent._meta.db_table} <= owned
    crossing = []
    found = 0
    with connection.cursor() as cursor:
        for model in apps.get_app_config("bpm").get_models():
            table = model._meta.db_table
            relations = connection.introspection.get_relations(cursor, table)
            found += len(relations)
            # A row may hang on its own instance; each other way could lead to somebody else's row, and lock it.
            crossing += [
                (table, column, relation[1])
                for column, relation in relations.items()
                if relation[1] in owned or (relation[1] == "bpm_processinstance" and column != "instance_id")
            ]
    assert crossing == []
    assert found > 0
