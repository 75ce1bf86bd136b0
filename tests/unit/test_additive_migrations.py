"""A migration adds, and takes nothing away: the release before runs beside while an installation is upgraded."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.models.functions import Now

from tests.support.additive import later_objections, objections

FIRST = {"bpm": "0011_business_keys_in_order", "bpm_access": "0001_initial"}
"""Newest migrations of the first release."""
REVIEWED = {
    "bpm.0012_history_no_truncate": "A trigger that refuses TRUNCATE of the history, which no release's engine sends.",
}


def test_no_later_migration_takes_away_what_the_release_before_uses() -> None:
    assert later_objections(FIRST, REVIEWED) == {}


def test_what_was_reviewed_is_there() -> None:
    names = {".".join(node) for node in MigrationLoader(None).disk_migrations}
    assert set(REVIEWED) <= names


def migration(*operations: Operation) -> migrations.Migration:
    kind = type("Migration", (migrations.Migration,), {"operations": list(operations)})
    made: migrations.Migration = kind("9999_tried", "bpm")
    return made


def said(*operations: Operation) -> list[str]:
    state = MigrationLoader(None).project_state(list(FIRST.items()))
    return list(objections(migration(*operations), state, set(state.models)))


def field(kind: type[models.Field[Any, Any]] = models.IntegerField, **options: Any) -> models.Field[Any, Any]:
    return kind(**options)


_NEW = migrations.CreateModel("fresh", [("id", models.AutoField(primary_key=True))])
_WITHOUT_OBJECTION: dict[str, list[Operation]] = {
    "a table": [_NEW],
    "anything to a table of its own": [
        _NEW,
        migrations.AddField("fresh", "n", field(default=1)),
        migrations.AddIndex("fresh", models.Index(fields=["n"], name="fresh_n")),
        migrations.RenameField("fresh", "n", "m"),
        migrations.RemoveField("fresh", "m"),
        migrations.DeleteModel("fresh"),
    ],
    "a table that refers to one in use without the database's knowing": [
        migrations.CreateModel(
            "fresh",
            [
                ("id", models.AutoField(primary_key=True)),
                ("token", models.ForeignKey("bpm.token", models.CASCADE, db_constraint=False)),
            ],
        )
    ],
    "a column that may be null": [migrations.AddField("token", "n", field(null=True))],
    "a column with the database's default": [migrations.AddField("token", "n", field(db_default=0))],
    "a longer text": [migrations.AlterField("token", "node", models.CharField(max_length=1_000))],
    "null where none was": [
        migrations.AlterField("token", "node", models.CharField(max_length=255, null=True))
    ],
    "fewer checks": [migrations.RemoveConstraint("retentionrule", "bpm_retention_days")],
    "other words": [migrations.AlterModelOptions("token", {"verbose_name": "mark"})],
}
_WITH_OBJECTION: dict[str, tuple[list[Operation], str]] = {
    "a column without a value": ([migrations.AddField("token", "n", field(default=0))], "no value"),
    "a computed default": (
        [migrations.AddField("token", "at", field(models.DateTimeField, db_default=Now()))],
        "anew",
    ),
    "an index of a new column": (
        [migrations.AddField("token", "n", field(null=True, db_index=True))],
        "locks",
    ),
    "a foreign key": (
        [migrations.AddField("token", "s", models.ForeignKey("bpm.scope", models.CASCADE, null=True))],
        "locks",
    ),
    "a table that holds rows of another": (
        [migrations.CreateModel("fresh", [("token", models.ForeignKey("bpm.token", models.CASCADE))])],
        "deleting",
    ),
    "a column less": ([migrations.RemoveField("token", "node")], "uses it"),
    "a column by another name": ([migrations.RenameField("token", "node", "place")], "uses it"),
    "a table less": ([migrations.DeleteModel("comment")], "uses it"),
    "a table by another name": ([migrations.RenameModel("comment", "remark")], "uses it"),
    "a table elsewhere": ([migrations.AlterModelTable("comment", "elsewhere")], "uses it"),
    "no null any more": (
        [migrations.AlterField("processinstance", "business_key", models.CharField(max_length=255))],
        "may write null",
    ),
    "a shorter text": ([migrations.AlterField("token", "node", models.CharField(max_length=10))], "longer"),
    "another type": ([migrations.AlterField("token", "node", models.TextField())], "type"),
    "a text that is unique": (
        [migrations.AlterField("token", "node", models.CharField(max_length=255, unique=True))],
        "twice",
    ),
    "no default any more": (
        [
            migrations.AddField("token", "n", field(db_default=0)),
            migrations.AlterField("token", "n", field(default=0)),
        ],
        "rely on",
    ),
    "an index": (
        [migrations.AddIndex("token", models.Index(fields=["node"], name="token_node"))],
        "cannot be written",
    ),
    "an index less": ([migrations.RemoveIndex("processinstance", "bpm_instance_ended")], "need it"),
    "a rule": (
        [migrations.AddConstraint("token", models.UniqueConstraint(fields=["node"], name="one"))],
        "may break it",
    ),
    "a unique rule less": (
        [migrations.RemoveConstraint("retentionrule", "bpm_retention_rule")],
        "ON CONFLICT",
    ),
    "SQL": ([migrations.RunSQL("SELECT 1")], "only people"),
    "code": ([migrations.RunPython(migrations.RunPython.noop)], "only people"),
    "SQL in disguise": (
        [migrations.SeparateDatabaseAndState([migrations.RunSQL("SELECT 1")])],
        "only people",
    ),
}


@pytest.mark.parametrize("name", _WITHOUT_OBJECTION)
def test_what_only_adds_is_fine(name: str) -> None:
    assert said(*_WITHOUT_OBJECTION[name]) == []


@pytest.mark.parametrize("name", _WITH_OBJECTION)
def test_what_takes_away_is_found(name: str) -> None:
    operations, text = _WITH_OBJECTION[name]
    (found,) = said(*operations)
    assert text in found
