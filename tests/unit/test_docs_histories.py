"""The histories that the pages tell, played again: number, event and node of each line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core.errors import LeaseConflict
from bpm.core.ids import Id
from bpm.core.rows import ExternalTask
from tests.support.core_host import CoreHost
from tests.support.pages import DOCS, ROOT, rows, text_of

PAYMENT = (ROOT / "bpm/examples/payment-flow.bpmn").read_bytes()
FORK = b"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="urn:test">
  <process id="fork" isExecutable="true">
    <startEvent id="s"/><sequenceFlow id="f0" sourceRef="s" targetRef="fork-it"/><parallelGateway id="fork-it"/>
    <sequenceFlow id="f1" sourceRef="fork-it" targetRef="check"/><userTask id="check"/>
    <sequenceFlow id="f2" sourceRef="fork-it" targetRef="rate"/><exclusiveGateway id="rate"/>
    <sequenceFlow id="f3" sourceRef="check" targetRef="join"/>
    <sequenceFlow id="f4" sourceRef="rate" targetRef="join">
      <conditionExpression>${score &gt; 50}</conditionExpression>
    </sequenceFlow>
    <parallelGateway id="join"/><sequenceFlow id="f5" sourceRef="join" targetRef="e"/><endEvent id="e"/>
  </process>
</definitions>"""
THREE = b"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="urn:test">
  <process id="three" isExecutable="true">
    <startEvent id="start"/><sequenceFlow id="f0" sourceRef="start" targetRef="fork"/><parallelGateway id="fork"/>
    <sequenceFlow id="f1" sourceRef="fork" targetRef="A"/><userTask id="A"/>
    <sequenceFlow id="f2" sourceRef="fork" targetRef="B"/><userTask id="B"/>
    <sequenceFlow id="f3" sourceRef="fork" targetRef="C"/><userTask id="C"/>
    <sequenceFlow id="f4" sourceRef="A" targetRef="join"/><sequenceFlow id="f5" sourceRef="B" targetRef="join"/>
    <parallelGateway id="join"/><sequenceFlow id="f6" sourceRef="join" targetRef="D"/><userTask id="D"/>
  </process>
</definitions>"""
TRIP = b"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="urn:test"
             xmlns:camunda="http://camunda.org/schema/1.0/bpmn" xmlns:own="urn:bpm-engine:1">
  <process id="trip" isExecutable="true" own:saga="local">
    <startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="flight"/>
    <serviceTask id="flight" camunda:type="external" camunda:topic="book"/>
    <boundaryEvent id="undo-flight" attachedToRef="flight"><compensateEventDefinition/></boundaryEvent>
    <serviceTask id="cancel-flight" isForCompensation="true" camunda:type="external" camunda:topic="cancel"/>
    <association id="a1" sourceRef="undo-flight" targetRef="cancel-flight" associationDirection="One"/>
    <sequenceFlow id="f2" sourceRef="flight" targetRef="hotel"/>
    <serviceTask id="hotel" camunda:type="external" camunda:topic="book"/>
  </process>
</definitions>"""


@pytest.fixture
def host() -> CoreHost:
    return CoreHost()


def _told(page: Path, columns: int) -> Iterator[tuple[int, list[str]]]:
    for cells in rows(page, columns):
        if re.fullmatch(r"[\d, ]+", cells[0]):
            yield from ((int(number), cells[1:]) for number in cells[0].split(","))


def _scenario(number: int, tmp_path: Path) -> list[tuple[int, str]]:
    """Return what one story of accident-scenarios.md tells."""
    text = text_of(DOCS / "how-to/accident-scenarios.md")
    page = tmp_path / "story.md"
    page.write_text(text.partition(f"\n## {number}. ")[2].partition("\n## ")[0])
    return [(sequence, cells[0]) for sequence, cells in _told(page, 3)]


def _happened(host: CoreHost, instance: Id) -> dict[int, str]:
    return {recorded.sequence: type(recorded.event).__name__ for recorded in host.history(instance)}


def _finish(host: CoreHost, instance: Id, node: str) -> None:
    tasks = host.state(instance).user_tasks.values()
    task = next(task.id for task in tasks if task.node == node and task.status == "OPEN")
    host.execute(instance, c.CompleteUserTask(task=task))


def _leased(host: CoreHost, worker: str, topic: str = "payment") -> ExternalTask:
    ((_, task),) = host.fetch(worker, [topic], lease_ms=30_000)
    return task


def test_the_worker_dies_before_it_reports(host: CoreHost, tmp_path: Path) -> None:
    host.deploy(PAYMENT)
    instance = host.start("payment-flow", {"amount": "100"})
    first = _leased(host, "A")
    host.clock.advance(timedelta(seconds=31))
    second = _leased(host, "B")
    late = c.CompleteExternalTask(task=first.id, worker="A", lease=first.lease, variables={"status": "PAID"})
    with pytest.raises(LeaseConflict):
        host.execute(instance, late)
    done = c.CompleteExternalTask(task=first.id, worker="B", lease=second.lease, variables={"status": "PAID"})
    host.execute(instance, done)
    host.execute(instance, done)
    told = _scenario(1, tmp_path)
    assert len(told) == 8
    assert told == [(number, _happened(host, instance)[number]) for number, _ in told]
    assert max(_happened(host, instance)) == 19


def test_the_bank_is_down(host: CoreHost, tmp_path: Path) -> None:
    host.deploy(PAYMENT)
    instance = host.start("payment-flow")
    for _ in range(3):
        task = _leased(host, "A")
        host.execute(
            instance, c.FailExternalTask(task=task.id, worker="A", lease=task.lease, error="no route")
        )
    assert host.state(instance).instance.status == "FAILED"
    host.execute(instance, c.RetryToken(token=task.token))
    assert _leased(host, "A").lease == 4
    told = _scenario(3, tmp_path)
    assert len(told) == 10
    assert told == [(number, _happened(host, instance)[number]) for number, _ in told]


def test_one_branch_of_a_fork_fails(host: CoreHost, tmp_path: Path) -> None:
    host.deploy(FORK)
    instance = host.start("fork")
    _finish(host, instance, "check")
    assert host.state(instance).instance.status == "FAILED"
    host.execute(instance, c.SetVariables(scope=instance, variables={"score": 70}))
    (incident,) = host.state(instance).incidents.values()
    assert incident.token is not None
    host.execute(instance, c.RetryToken(token=incident.token))
    told = _scenario(4, tmp_path)
    assert len(told) == 11
    assert told == [(number, _happened(host, instance)[number]) for number, _ in told]
    assert max(_happened(host, instance)) == 40


def test_a_fork_of_three_of_which_two_meet(host: CoreHost) -> None:
    host.deploy(THREE)
    instance = host.start("three")
    for node in ("A", "B"):
        _finish(host, instance, node)
    history = {recorded.sequence: recorded.event for recorded in host.history(instance)}
    told = list(_told(DOCS / "explanation/joins-and-forks.md", 4))
    assert len(told) == 12
    for number, (event, node, says) in told:
        assert (type(history[number]).__name__, getattr(history[number], "node", "")) == (event, node), number
        for flow in re.findall(r"flow (\w+)", says):
            assert getattr(history[number], "flow", None) == flow
        for arrived in re.findall(r"(\d) of 2", says):
            assert getattr(history[number], "arrived", None) == int(arrived)
    _finish(host, instance, "D")
    _finish(host, instance, "C")
    assert isinstance(host.history(instance)[-1].event, e.InstanceCompleted)


def test_a_trip_is_undone(host: CoreHost) -> None:
    host.deploy(TRIP)
    instance = host.start("trip")
    flight = _leased(host, "w", "book")
    host.execute(instance, c.CompleteExternalTask(task=flight.id, worker="w", lease=flight.lease))
    hotel = _leased(host, "w", "book")
    full = c.FailExternalTask(task=hotel.id, worker="w", lease=hotel.lease, error="full", retries=0)
    host.execute(instance, full)
    undone = _leased(host, "w", "cancel")
    host.execute(instance, c.CompleteExternalTask(task=undone.id, worker="w", lease=undone.lease))
    history = {recorded.sequence: recorded.event for recorded in host.history(instance)}
    told = list(_told(DOCS / "explanation/saga.md", 3))
    assert len(told) == 13
    for number, (event, node) in told:
        assert (type(history[number]).__name__, getattr(history[number], "node", "")) == (event, node), number
    assert max(history) == 39
