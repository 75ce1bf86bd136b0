"""One instance with a thousand tokens and fifty thousand events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bpm import engine
from bpm.models import ProcessInstance

TOKENS: Final = 1_000
_TASKS: Final = 4
_AT_ONCE: Final = 200
_LEFT: Final = 20


def _process(branches: int) -> bytes:
    nodes = '<startEvent id="b-start"/>'
    names = [f"step-{number}" for number in range(_TASKS)]
    for name in names:
        nodes += (
            f'<serviceTask id="{name}" name="{name}" camunda:type="external" camunda:topic="seed-large"/>'
        )
    nodes += '<endEvent id="b-end"/>'
    ends = zip(["b-start", *names], [*names, "b-end"], strict=True)
    nodes += "".join(f'<sequenceFlow id="{a}-{b}" sourceRef="{a}" targetRef="{b}"/>' for a, b in ends)
    times = f"<loopCardinality>{branches}</loopCardinality>"
    loop = f"<multiInstanceLoopCharacteristics>{times}</multiInstanceLoopCharacteristics>"
    return (
        '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" '
        'xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="urn:bpm-seed">'
        '<process id="seed-large" name="Large (seeded)" isExecutable="true"><startEvent id="start"/>'
        f'<subProcess id="many" name="Many at once">{loop}{nodes}</subProcess><endEvent id="end"/>'
        '<sequenceFlow id="start-many" sourceRef="start" targetRef="many"/>'
        '<sequenceFlow id="many-end" sourceRef="many" targetRef="end"/></process></definitions>'
    ).encode()


def run_large(note: Callable[[str], None], *, branches: int = TOKENS) -> tuple[str, int]:
    """Run the instance until few tasks are left; return its id and the number of its events."""
    engine.deploy([("large.bpmn", _process(branches))], name="seed", actor="seed")
    instance = str(engine.start("seed-large", actor="seed")["instance_id"])
    for done in range(0, branches * _TASKS - _LEFT, _AT_ONCE):
        tasks = engine.fetch_and_lock(
            "seed",
            topics=["seed-large"],
            max_tasks=min(_AT_ONCE, branches * _TASKS - _LEFT - done),
            lock_ms=60_000,
        )
        engine.complete_external_tasks([{"task_id": task["task_id"], "worker": "seed"} for task in tasks])
        note(f"{done + len(tasks):,} of {branches * _TASKS:,} tasks done")
    last = ProcessInstance.objects.values_list("last_sequence", flat=True).get(id=instance)
    return instance, last + 1
