"""Overdue work after a restore into an empty database: all that counts stands in the tables (semantics §6)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.apps import apps
from django.core import serializers
from django.core.management import call_command
from django.db import transaction

from bpm import engine
from bpm.models import HistoryEvent, ProcessInstance
from bpm.shell.clock import frozen
from tests.support.clock import START
from tests.support.loop_models import deploy, external, process, timer


@pytest.mark.django_db(transaction=True)
def test_all_that_is_overdue_fires_once_in_the_order_of_its_due_times() -> None:
    with frozen(START):
        deploy(*(process(f"p{number}", timer(f"PT{number}H")) for number in (3, 1, 2)))
        deploy(process("by_time", timer("PT9H"), external("t")))
        started = {number: engine.start(f"p{number}")["instance_id"] for number in (3, 1, 2)}
        engine.start("by_time")
    models = [model for model in apps.get_app_config("bpm").get_models() if model._meta.managed]
    dump = {model: serializers.serialize("python", model._default_manager.all()) for model in models}
    call_command("flush", interactive=False, verbosity=0)
    assert not ProcessInstance.objects.exists()
    with transaction.atomic():
        for rows in dump.values():
            for row in serializers.deserialize("python", rows):
                row.object.save_base(raw=True, force_insert=True)
    with frozen(START + timedelta(hours=5)):
        assert len(engine.fire_due_timers().done) == 3
        assert engine.fire_due_timers().done == []
    fired = HistoryEvent.objects.filter(event_type="TimerFired").order_by("pk")
    order = {str(row.instance_id): row.occurred_at for row in fired}
    assert set(order) == {str(instance) for instance in started.values()}
    assert {str(row.pk): row.status for row in ProcessInstance.objects.filter(id__in=order)} == dict.fromkeys(
        order, "COMPLETED"
    )
