"""The options that DATABASES asks for are really in force on the connection."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection


def _show(statement: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return str(cursor.fetchone()[0])


@pytest.mark.postgresql
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("lock_timeout", "1s"),
        ("statement_timeout", "30s"),
        ("idle_in_transaction_session_timeout", "1min"),
        ("plan_cache_mode", "force_generic_plan"),
    ],
)
def test_postgresql_sessions_are_bounded_and_plan_once(setting: str, expected: str) -> None:
    assert _show(f"SHOW {setting}") == expected


@pytest.mark.postgresql
@pytest.mark.django_db
def test_postgresql_prepares_statements_on_first_use() -> None:
    User.objects.filter(username="nobody-of-that-name").exists()
    count = _show("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%auth_user%'")
    assert int(count) >= 1


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("pragma", "expected"),
    [("journal_mode", "wal"), ("busy_timeout", "20000"), ("foreign_keys", "1"), ("recursive_triggers", "1")],
)
def test_sqlite_waits_for_locks_and_keeps_foreign_keys(pragma: str, expected: str) -> None:
    assert _show(f"PRAGMA {pragma}") == expected


@pytest.mark.django_db
def test_rows_written_by_the_orm_are_read_back() -> None:
    User.objects.create(username="ada")
    assert list(User.objects.values_list("username", flat=True)) == ["ada"]
