"""Statements that a session has lost do not end a snapshot: psycopg deallocates all of them after a rollback."""

from __future__ import annotations

import pytest
from django.db import connection, transaction

from bpm import engine
from bpm.models import ProcessInstance
from bpm.shell.verifying import verify_instances
from tests.support.loop_models import deploy, process

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]


def _often() -> None:
    """Execute a statement so often that psycopg prepares it."""
    for _ in range(8):
        assert ProcessInstance.objects.filter(status="RUNNING").count() == 1


def test_a_snapshot_survives_what_a_rollback_has_deallocated() -> None:
    deploy(process("p", "<userTask ID/>"))
    instance = str(engine.start("p")["instance_id"])
    _often()
    for _ in range(3):
        assert [result.findings for result in verify_instances([instance])] == [[]]
        with transaction.atomic():
            _often()
            transaction.set_rollback(True)
        _often()
    assert connection.is_usable()
    engine.set_variables(instance, variables={"x": 1})
    assert [result.findings for result in verify_instances([instance])] == [[]]
