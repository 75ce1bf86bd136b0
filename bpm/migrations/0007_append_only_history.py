"""The history is append only: the database itself refuses anything else (docs/explanation/history.md)."""

from __future__ import annotations

from typing import Any

from django.db import migrations

POSTGRESQL = (
    """
    CREATE FUNCTION bpm_history_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF coalesce(current_setting('bpm.retention', true), '') <> 'on' THEN
            RAISE EXCEPTION 'bpm_historyevent is append only' USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NULL;
    END $$
    """,
    """
    CREATE TRIGGER bpm_history_append_only BEFORE UPDATE OR DELETE ON bpm_historyevent
    FOR EACH STATEMENT EXECUTE FUNCTION bpm_history_append_only()
    """,
)
SQLITE = tuple(
    f"""
    CREATE TRIGGER bpm_history_no_{act} BEFORE {act.upper()} ON bpm_historyevent
    WHEN NOT EXISTS (SELECT 1 FROM bpm_retentionmarker)
    BEGIN SELECT RAISE(ABORT, 'bpm_historyevent is append only'); END
    """
    for act in ("update", "delete")
)
BACK = {
    "postgresql": (
        "DROP TRIGGER bpm_history_append_only ON bpm_historyevent",
        "DROP FUNCTION bpm_history_append_only()",
    ),
    "sqlite": ("DROP TRIGGER bpm_history_no_update", "DROP TRIGGER bpm_history_no_delete"),
}


def refuse_changes(apps: Any, schema_editor: Any) -> None:
    vendor = schema_editor.connection.vendor
    for statement in {"postgresql": POSTGRESQL, "sqlite": SQLITE}[vendor]:
        schema_editor.execute(statement)


def allow_changes(apps: Any, schema_editor: Any) -> None:
    for statement in BACK[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("bpm", "0006_verification_and_replay")]

    operations = [migrations.RunPython(refuse_changes, allow_changes)]
