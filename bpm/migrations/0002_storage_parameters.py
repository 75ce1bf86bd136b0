"""PostgreSQL only: room for in-place updates on the tables that commands update."""

from __future__ import annotations

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

_UPDATED = (
    "processinstance",
    "scope",
    "token",
    "externaltask",
    "usertask",
    "timer",
    "job",
    "paralleljoinstate",
)


def leave_room(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Set fill factors, and vacuum tables of a queue's nature early."""
    if schema_editor.connection.vendor != "postgresql":
        return
    for name in _UPDATED:
        schema_editor.execute(
            f"ALTER TABLE bpm_{name} SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02)"
        )


class Migration(migrations.Migration):
    dependencies = [("bpm", "0001_initial")]

    operations = [migrations.RunPython(leave_room, migrations.RunPython.noop)]
