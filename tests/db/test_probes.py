"""/health and /ready."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import OperationalError
from django.db.models import F
from django.test import Client
from pytest_django import Settings

from bpm.jobs.lateness import LOOP_LATE_S
from bpm.models import Heartbeat
from bpm.project.monitoring import readiness
from bpm.shell.clock import frozen
from bpm.shell.heartbeats import QUEUE, beat
from tests.support.clock import START
from tests.support.statements import executed


def test_health_asks_nothing_of_the_database(transactional_db: None, client: Client) -> None:
    with executed() as found:
        answer = client.get("/health")
    assert (answer.status_code, answer.json(), found.all) == (200, {"status": "ok"}, [])


def test_ready_names_what_is_missing(transactional_db: None, client: Client) -> None:
    Heartbeat.objects.all().delete()
    answer = client.get("/ready")
    assert answer.status_code == 503
    assert answer.json() == {
        "status": "not ready",
        "checks": {
            "database": "ok",
            "migrations": "ok",
            "loops": "no loop has ticked yet",
            "queue": "no task has come through the queue yet",
        },
    }
    with frozen(START):
        beat("loop")
        beat(QUEUE)
        answer = client.get("/ready")
    assert (answer.status_code, answer.json()["status"]) == (200, "ready")


@pytest.mark.parametrize(("name", "check"), [("loop", "loops"), (QUEUE, "queue")])
def test_an_old_sign_of_life_turns_it_red(
    transactional_db: None, client: Client, name: str, check: str
) -> None:
    with frozen(START):
        beat("loop")
        beat(QUEUE)
        Heartbeat.objects.filter(name=name).update(seen_at=F("seen_at") - timedelta(seconds=600))
        answer = client.get("/ready")
    assert answer.status_code == 503
    assert [key for key, found in answer.json()["checks"].items() if found != "ok"] == [check]


def test_the_newest_loop_counts(transactional_db: None, client: Client) -> None:
    with frozen(START):
        beat("gone")
        Heartbeat.objects.update(seen_at=F("seen_at") - timedelta(seconds=600))
        beat("here")
        beat(QUEUE)
        assert client.get("/ready").status_code == 200


def test_it_is_red_within_five_seconds_of_the_last_tick() -> None:
    assert LOOP_LATE_S < 5


def test_a_database_that_cannot_be_asked_is_said_and_no_error(
    transactional_db: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone() -> None:
        raise OperationalError("server closed the connection: password=secret")

    with monkeypatch.context() as patch:
        patch.setattr("django.db.connection.ensure_connection", gone)
        answer = client.get("/ready")
    assert answer.status_code == 503
    assert answer.json()["checks"] == {"database": "it cannot be asked: OperationalError"}


def test_migrations_that_are_not_applied_are_said(
    transactional_db: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.db.migrations.recorder import MigrationRecorder

    monkeypatch.setattr(readiness, "_migrated", readiness._Migrated())
    newest = MigrationRecorder.Migration.objects.filter(app="bpm").order_by("-name").first()
    assert newest is not None
    newest.delete()
    try:
        answer = client.get("/ready")
        assert answer.status_code == 503
        assert "are not applied" in answer.json()["checks"]["migrations"]
    finally:
        newest.save(force_insert=True)
    assert client.get("/ready").json()["checks"]["migrations"] == "ok"


def test_probes_are_answered_without_tls(client: Client, settings: Settings) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert client.get("/health").status_code == 200
    assert client.get("/metrics").status_code == 301
