"""The process that most seeded instances run: a fork into two people's tasks and a worker's, and their join."""

from __future__ import annotations

from typing import Final


def _flow(source: str, target: str) -> str:
    return f'<sequenceFlow id="{source}-{target}" sourceRef="{source}" targetRef="{target}"/>'


_FLOWS: Final = (
    ("start", "fork"),
    ("fork", "review"),
    ("fork", "pack"),
    ("fork", "work"),
    ("review", "join"),
    ("pack", "join"),
    ("work", "join"),
    ("join", "end"),
)
ORDER: Final = (
    '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" '
    'xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="urn:bpm-seed">'
    '<process id="seed-order" name="Order (seeded)" isExecutable="true">'
    '<startEvent id="start" name="Order received"/><parallelGateway id="fork"/>'
    '<userTask id="review" name="Review the order" camunda:candidateGroups="sales"/>'
    '<userTask id="pack" name="Pack it" camunda:candidateGroups="stock"/>'
    '<serviceTask id="work" name="Print the labels" camunda:type="external" camunda:topic="seed-work"/>'
    '<parallelGateway id="join"/><endEvent id="end" name="Shipped"/>'
    + "".join(_flow(*ends) for ends in _FLOWS)
    + "</process></definitions>"
).encode()
