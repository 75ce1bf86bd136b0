"""Verification finds what is wrong, and nothing where nothing is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, models, transaction

from bpm.shell.retention import changing_history
from bpm.shell.verifying import find_strays
from tests.support.database_host import DatabaseHost
from tests.support.play import Case, Play
from tests.support.proof import TABLES, findings, in_table, rich_case, sql

pytestmark = pytest.mark.django_db(transaction=True)

_MODELS = {model._meta.db_table: model for model in apps.get_app_config("bpm").get_models()}
_OUTSIDE = {
    ("bpm_processinstance", "revision"),
    ("bpm_job", "owner"),
    ("bpm_job", "lease_expires_at"),
    ("bpm_usertaskcandidate", "id"),
    ("bpm_timer", "definition_id"),
    ("bpm_subscription", "definition_id"),
}
"""Columns that no history says: the shell's own, leases of jobs, owners of starts, a number."""


@pytest.fixture
def case() -> Iterator[Case]:
    host = DatabaseHost(checked=False)
    yield rich_case(Play(host))
    host.handlers.clear()


class Undone(Exception):
    """Takes a change back."""


def _changed(field: Any) -> Any:
    kind = field.get_internal_type()
    if field.is_relation:
        kind = field.target_field.get_internal_type()
    return {
        "UUIDField": in_table("01900000-0000-7000-8000-0000000000ff"),
        "CharField": "zz",
        "IntegerField": 77,
        "BigIntegerField": 77,
        "BigAutoField": 77,
        "DateTimeField": "2001-02-03 04:05:06.000007",
    }.get(kind, "zz")


def _value(model: type[models.Model], field: models.Field[Any, Any]) -> str:
    kind = field.get_internal_type()
    if kind == "BooleanField":
        return f'NOT "{field.column}"'
    texts = ("groups", "open_joins", "passes", "flows", "candidate_users", "candidate_groups", "correlation")
    if kind == "TextField" and field.column in texts:
        return (
            """'["zz"]'"""
            if field.column in ("flows", "candidate_users", "candidate_groups")
            else '\'{"zz":"1"}\''
        )
    if kind == "TextField" and field.column == "value":
        return "'99'"
    return "%s"


@pytest.mark.parametrize("table", TABLES)
def test_a_change_in_any_column_of_any_table_is_found(case: Case, table: str) -> None:
    assert findings(case) == []
    model = _MODELS[table]
    owner = "id" if table == "bpm_processinstance" else "instance_id"
    tried = 0
    for field in model._meta.local_concrete_fields:
        if (table, field.column) in _OUTSIDE or field.column == owner:
            continue
        new = _value(model, field)
        given = [_changed(field)] if new == "%s" else []
        tried += 1
        # Of a row that is over nobody asks whether its instance is suspended.
        only = "closed_at IS NULL" if field.column == "suspended" else "true"
        for row in _rows(table, owner, case, only):
            condition = " AND ".join(f'"{name}" = %s' for name in row)
            statement = f'UPDATE {table} SET "{field.column}" = {new} WHERE {condition}'
            found = _try(case, statement, [*given, *row.values()])
            assert found != [], (field.column, row)
    assert tried > 2
    assert findings(case) == []


def _rows(table: str, owner: str, case: Case, only: str = "true") -> list[dict[str, Any]]:
    """Return the keys of an early and of a late row of the instance."""
    pk = _MODELS[table]._meta.pk
    names = [field.column for field in getattr(pk, "fields", None) or [pk]]
    columns = ", ".join(f'"{name}"' for name in names)
    order = f" ORDER BY {columns}"
    found = sql(f"SELECT {columns} FROM {table} WHERE {owner} = %s AND {only}{order}", in_table(case.id))
    assert found, table
    picked = [found[0]] if len(found) == 1 else [found[0], found[-1]]
    return [dict(zip(names, row, strict=True)) for row in picked]


def _try(case: Case, statement: str, parameters: list[Any]) -> list[Any]:
    """Return what is found after a statement, which is taken back; a refusal of the database is a finding, too."""
    found: list[Any] = []
    with suppress(Undone), transaction.atomic(), changing_history():
        try:
            with transaction.atomic():
                sql(statement, *parameters)
        except DatabaseError as error:
            found = [error]
        else:
            found = list(findings(case))
        raise Undone
    return found


@pytest.mark.parametrize("table", [table for table in TABLES if table != "bpm_processinstance"])
def test_a_row_that_is_gone_is_found(case: Case, table: str) -> None:
    for row in _rows(table, "instance_id", case):
        condition = " AND ".join(f'"{name}" = %s' for name in row)
        found = _try(case, f"DELETE FROM {table} WHERE {condition}", list(row.values()))
        assert found, row


@pytest.mark.parametrize(
    "table",
    [t for t in TABLES if t not in ("bpm_processinstance", "bpm_usertaskcandidate", "bpm_historyevent")],
)
def test_a_row_too_many_is_found(case: Case, table: str) -> None:
    fields = [field.column for field in _MODELS[table]._meta.local_concrete_fields]
    new = {"id": in_table("01900000-0000-7000-8000-0000000000ff"), "name": "zz"}
    key = "name" if table == "bpm_variable" else "id"
    columns = ", ".join(f'"{name}"' for name in fields)
    values = ", ".join("%s" if name == key else f'"{name}"' for name in fields)
    for row in _rows(table, "instance_id", case):
        condition = " AND ".join(f'"{name}" = %s' for name in row)
        statement = f"INSERT INTO {table} ({columns}) SELECT {values} FROM {table} WHERE {condition}"
        assert _try(case, statement, [new[key], *row.values()]) != [], row


def test_the_first_event_at_which_history_and_rows_part_is_named(case: Case) -> None:
    by_name = {type(event).__name__: number for number, event in enumerate(case.events)}
    sql("UPDATE bpm_usertask SET assignee = 'eve' WHERE status = 'OPEN' AND node = 'b'")
    (found,) = [one for one in findings(case) if one.place == "user_tasks"]
    assert (found.rule, found.sequence) == ("RowsDiffer", by_name["UserTaskAssigned"])
    assert "'lee' by the history" in found.text
    assert "'eve' in the table" in found.text
    # What the table has is what the history said before: the change after that is missing.
    sql("UPDATE bpm_usertask SET assignee = NULL WHERE status = 'OPEN' AND node = 'b'")
    (found,) = [one for one in findings(case) if one.place == "user_tasks"]
    assert found.sequence == by_name["UserTaskAssigned"]


def test_rows_of_an_instance_that_is_not_there_are_found(case: Case) -> None:
    assert list(find_strays()) == []
    found: set[str] = set()
    with suppress(Undone), transaction.atomic():
        sql("DELETE FROM bpm_processinstance WHERE id = %s", in_table(case.id))
        found = {stray.place for stray in find_strays()}
        raise Undone
    assert found == {_MODELS[table].__name__ for table in TABLES if table != "bpm_processinstance"}


def test_a_caller_that_is_gone_and_what_is_sent_to_nobody_are_found() -> None:
    host = DatabaseHost(checked=False)
    play = Play(host)
    play.deploy("start s -> u\nuser u -> e\nend e", "inner")
    case = play.grow("start s -> u\nuser u -> e\nend e")
    sql(
        "UPDATE bpm_processinstance SET parent_instance = %s WHERE id = %s",
        in_table("01900000-0000-7000-8000-0000000000ff"),
        in_table(case.id),
    )
    assert "NeighbourMissing" in {finding.rule for finding in findings(case)}
    sql(
        "INSERT INTO bpm_outbox (tenant, source, target, command, payload, attempts, available_at, created_at) "
        "VALUES ('', %s, %s, 'CancelInstance', '{}', 0, %s, %s)",
        in_table(case.id),
        in_table("01900000-0000-7000-8000-0000000000ff"),
        "2030-01-01 00:00:00+00:00" if connection.vendor == "postgresql" else "2030-01-01 00:00:00",
        "2030-01-01 00:00:00+00:00" if connection.vendor == "postgresql" else "2030-01-01 00:00:00",
    )
    assert [stray.place for stray in find_strays()] == ["Outbox"]
