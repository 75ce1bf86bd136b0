"""PostgreSQL: a history cannot be truncated either. SQLite has no TRUNCATE; 0007 refuses its DELETE."""

from __future__ import annotations

from typing import Any

from django.db import migrations

REFUSE = """
    CREATE TRIGGER bpm_history_no_truncate BEFORE TRUNCATE ON bpm_historyevent
    FOR EACH STATEMENT EXECUTE FUNCTION bpm_history_append_only()
"""
ALLOW = "DROP TRIGGER bpm_history_no_truncate ON bpm_historyevent"


def refuse_truncate(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(REFUSE)


def allow_truncate(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(ALLOW)


class Migration(migrations.Migration):
    dependencies = [("bpm", "0011_business_keys_in_order")]

    operations = [migrations.RunPython(refuse_truncate, allow_truncate)]
