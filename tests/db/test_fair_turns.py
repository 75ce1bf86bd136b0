"""A long instance leaves the others their turns (semantics §4)."""

from __future__ import annotations

import time

import pytest

from bpm import engine
from bpm.models import Job, ProcessInstance
from tests.support.loop_models import deploy, process

ROUNDS = (
    '<manualTask ID><multiInstanceLoopCharacteristics isSequential="true" camunda:asyncBefore="true">'
    "<loopCardinality>1000</loopCardinality></multiInstanceLoopCharacteristics></manualTask>"
)
SMALL = '<manualTask ID camunda:asyncBefore="true"/>'


@pytest.mark.django_db
def test_small_instances_go_on_while_one_of_a_thousand_rounds_runs() -> None:
    deploy(process("big", ROUNDS), process("small", SMALL))
    big = engine.start("big")["instance_id"]
    turns = 0
    for _ in range(20):
        engine.run_due_jobs(50)
        turns += 1
        began = time.monotonic()
        small = engine.start("small")["instance_id"]
        engine.run_due_jobs(50)
        took = time.monotonic() - began
        assert ProcessInstance.objects.get(id=small).status == "COMPLETED"
        assert took < 2, f"a small instance took {took:.1f} s beside a big one"
    assert ProcessInstance.objects.get(id=big).status == "RUNNING"
    assert Job.objects.filter(instance=big, status="COMPLETED").count() >= turns
