"""Who may change a history on PostgreSQL: nobody without the mark, and with roles as documented only one of them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from psycopg import errors, sql

from bpm import engine
from bpm.models import HistoryEvent, ProcessInstance, Token
from bpm.shell.retention import changing_history
from tests.support.commands import run_python
from tests.support.loop_models import deploy, process
from tests.support.pages import DOCS, blocks
from tests.support.proof import sql as executed

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]

_TRUNCATE = ("TRUNCATE bpm_historyevent", "TRUNCATE bpm_token, bpm_historyevent RESTART IDENTITY CASCADE")
_CHANGES = (
    "UPDATE bpm_historyevent SET actor = 'eve'",
    "DELETE FROM bpm_historyevent",
    "TRUNCATE bpm_historyevent",
)
_WORK = """
import django
django.setup()
from bpm import engine
instance = engine.start("p", variables={"name": "Kim"})["instance_id"]
engine.cancel(engine.start("waits")["instance_id"])
print(engine.erase_personal_data(instance)["erased_events"])
"""


@pytest.mark.parametrize("statement", _TRUNCATE)
def test_a_history_is_not_truncated(statement: str) -> None:
    deploy(process("p"))
    engine.start("p")
    with pytest.raises(DatabaseError, match="append only"):
        executed(statement)
    assert HistoryEvent.objects.exists()
    with transaction.atomic():
        with changing_history():
            executed("TRUNCATE bpm_historyevent")
        with pytest.raises(DatabaseError, match="append only"), transaction.atomic():
            executed("TRUNCATE bpm_historyevent")
    assert not HistoryEvent.objects.exists()
    with pytest.raises(DatabaseError, match="append only"):
        executed("TRUNCATE bpm_historyevent")


def test_flush_empties_the_history_and_asks_before(monkeypatch: pytest.MonkeyPatch) -> None:
    deploy(process("p"))
    engine.start("p")
    monkeypatch.setattr("sys.stdin", io.StringIO("no\n"))
    with pytest.raises(CommandError, match="Nothing was removed"):
        call_command("flush", verbosity=0)
    assert HistoryEvent.objects.exists()
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))
    call_command("flush", verbosity=0)
    assert not HistoryEvent.objects.exists()
    with pytest.raises(DatabaseError, match="append only"):
        executed("TRUNCATE bpm_historyevent")


@pytest.fixture
def login() -> Iterator[str]:
    """Give rights as the guide says; yield the URL of the application's role."""
    (grants,) = blocks(DOCS / "how-to" / "verify.md", "sql")
    settings = connection.settings_dict
    place = f"{quote(str(settings['HOST']), safe='')}/{settings['NAME']}"
    with psycopg.connect(f"postgresql://{settings['USER']}@{place}", autocommit=True) as owner:
        owner.execute("CREATE ROLE bpm_app LOGIN")
        try:
            owner.execute(sql.SQL(grants))
            yield f"postgresql://bpm_app@{place}"
        finally:
            for role in ("bpm_app", "bpm_retention"):
                if owner.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone():
                    owner.execute(sql.SQL(f"DROP OWNED BY {role}; DROP ROLE {role}"))


def _environment(url: str, folder: Path, role: str) -> dict[str, str]:
    return {
        "BPM_DEMO": "1",
        "BPM_SECRET_KEY": "only-for-tests-" * 5,
        "BPM_VAR_DIR": str(folder),
        "DATABASE_URL": url,
        "BPM_LOG_LEVEL": "ERROR",
        "BPM_RETENTION_ROLE": role,
        "DJANGO_SETTINGS_MODULE": "bpm.project.settings",
    }


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_only_the_retention_role_removes_events(login: str, tmp_path: Path) -> None:
    deploy(process("p"), process("waits", "<userTask ID/>"))
    engine.set_retention("p", 0)
    environment = _environment(login, tmp_path, "bpm_retention")
    worked = run_python("-c", _WORK, **environment)
    assert (worked.returncode, worked.stdout) == (0, "1\n"), worked.stderr
    with psycopg.connect(login, autocommit=True) as application:
        for statement in _CHANGES:
            for mark in ("", "on"):
                application.execute("SELECT set_config('bpm.retention', %s, false)", [mark])
                with pytest.raises(errors.InsufficientPrivilege):
                    application.execute(statement)
        # What the role may do it may only to events, and only what is marked.
        application.execute("SET ROLE bpm_retention")
        for statement in ("DELETE FROM bpm_token", "SELECT 1 FROM bpm_variable", _CHANGES[2]):
            with pytest.raises(errors.InsufficientPrivilege):
                application.execute(statement)
        application.execute("SELECT set_config('bpm.retention', '', false)")
        for statement in _CHANGES[:2]:
            with pytest.raises(errors.RestrictViolation):
                application.execute(statement)
    removed = run_python("manage.py", "retain", "--pace", "0", **environment)
    assert removed.returncode == 0, removed.stderr
    assert removed.stdout.startswith("1 instances with ")
    assert list(ProcessInstance.objects.values_list("status", flat=True)) == ["CANCELLED"]
    assert HistoryEvent.objects.exists()
    assert not HistoryEvent.objects.exclude(instance__in=ProcessInstance.objects.all()).exists()
    assert not Token.objects.exclude(instance__in=ProcessInstance.objects.all()).exists()
