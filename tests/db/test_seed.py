"""Seeded instances are like any others: sound, found by the queries, and they can go on."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command

from bpm import engine
from bpm.models import HistoryEvent, ProcessInstance, UserTask
from bpm.queries.explain import explain
from bpm.shell.verifying import verify_instances


@pytest.mark.postgresql
def test_copies_are_sound_and_go_on(transactional_db: None) -> None:
    call_command("seed", ended=60, running=40, days=3, stdout=io.StringIO())
    assert ProcessInstance.objects.count() == 100 + 9
    results = verify_instances([str(one) for one in ProcessInstance.objects.values_list("id", flat=True)])
    assert [finding for result in results for finding in result.findings] == []
    assert ProcessInstance.objects.filter(status="COMPLETED").count() > 40
    assert ProcessInstance.objects.values("business_key").distinct().count() >= 100
    joining = (
        UserTask.objects.filter(status="OPEN", node="pack", instance__status="RUNNING").order_by("id").first()
    )
    assert joining is not None
    assert explain(joining.instance_id, tenant="").tokens
    before = HistoryEvent.objects.filter(instance=joining.instance_id).count()
    engine.complete_task(str(joining.id), actor="ada")
    assert HistoryEvent.objects.filter(instance=joining.instance_id).count() > before
    assert all(result.sound for result in verify_instances([str(joining.instance_id)]))


@pytest.mark.sqlite
def test_other_databases_are_refused_by_name(db: None) -> None:
    with pytest.raises(CommandError, match="PostgreSQL"):
        call_command("seed")
