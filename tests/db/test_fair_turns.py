"""A long instance leaves the others their turns (semantics §4)."""

from __future__ import annotations

import pytest

from bpm import engine
from bpm.models import HistoryEvent, Job, ProcessInstance
from tests.support.loop_models import deploy, process

ROUNDS = (
    '<manualTask ID><multiInstanceLoopCharacteristics isSequential="true" camunda:asyncBefore="true">'
    "<loopCardinality>1000</loopCardinality></multiInstanceLoopCharacteristics></manualTask>"
)
SMALL = '<manualTask ID camunda:asyncBefore="true"/>'
OF_A_ROUND = 20
"""More events than one round has."""


@pytest.mark.django_db
def test_small_instances_go_on_while_one_of_a_thousand_rounds_runs() -> None:
    deploy(process("big", ROUNDS), process("small", SMALL))
    big = engine.start("big")["instance_id"]
    turns = 0
    for _ in range(20):
        engine.run_due_jobs(50)
        turns += 1
        small = engine.start("small")["instance_id"]
        before = HistoryEvent.objects.filter(instance=big).count()
        engine.run_due_jobs(50)
        assert ProcessInstance.objects.get(id=small).status == "COMPLETED"
        beside = HistoryEvent.objects.filter(instance=big).count() - before
        assert 0 < beside <= OF_A_ROUND, f"a small instance waited for {beside} events of a big one"
    assert ProcessInstance.objects.get(id=big).status == "RUNNING"
    assert Job.objects.filter(instance=big, status="COMPLETED").count() >= turns
