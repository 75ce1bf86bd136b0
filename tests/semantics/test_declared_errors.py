"""Errors that an external task declares with a condition (semantics §5)."""

from __future__ import annotations

from typing import Any

import pytest

from bpm.core import commands as c
from tests.support.bpmn_text import bpmn, flows
from tests.support.play import Case, Play


def begin(play: Play, condition: str, *, caught: bool = True) -> Case:
    """Start a process with an external task `x` that declares one error, caught by a boundary event before `h`."""
    declared = f'<camunda:errorEventDefinition errorRef="err" expression="{condition}"/>'
    task = (
        '<serviceTask id="x" camunda:type="external" camunda:topic="x">'
        f"<extensionElements>{declared}</extensionElements></serviceTask>"
    )
    event = '<boundaryEvent id="b" attachedToRef="x"><errorEventDefinition errorRef="err"/></boundaryEvent>'
    handler = event + '<userTask id="h"/>' + flows("b h") if caught else ""
    line = '<startEvent id="s"/><userTask id="after"/>' + flows("s x", "x after")
    play.host.deploy(bpmn(task, handler, line, roots='<error id="err" name="err" errorCode="E1"/>'))
    return play.start()


def leased(case: Case) -> dict[str, Any]:
    """Lock the task; return what the worker's next command names."""
    task = case.external("x").id
    case.do(c.LockExternalTasks(tasks=(task,), worker="w", lock_ms=60_000))
    return {"task": task, "worker": "w"}


@pytest.mark.parametrize(("status", "node"), [("bad", "h"), ("good", "after")])
def test_a_completion_throws_it_where_its_condition_is_true(play: Play, status: str, node: str) -> None:
    case = begin(play, "${status == 'bad'}")
    held = leased(case)
    for _ in range(2):
        case.do(c.CompleteExternalTask(**held, variables={"status": status}))
    assert (case.at(), case.variables()) == ([node], {"status": status})


def test_a_failure_throws_it_instead_of_taking_a_retry(play: Play) -> None:
    case = begin(play, "${externalTask.errorMessage == 'no stock'}")
    held = leased(case)
    for _ in range(2):
        case.do(c.FailExternalTask(**held, error="no stock", details="", retry_after_ms=0))
    assert (case.at(), case.external("x").status, case.incidents()) == (["h"], "COMPLETED", [])


def test_another_failure_takes_a_retry(play: Play) -> None:
    case = begin(play, "${externalTask.errorMessage == 'no stock'}")
    case.do(c.FailExternalTask(**leased(case), error="network", details="", retry_after_ms=0))
    assert (case.at(), case.external("x").retries) == (["x", "x"], 2)


def test_uncaught_it_fails_the_token_with_its_code(play: Play) -> None:
    case = begin(play, "${true}", caught=False)
    case.do(c.CompleteExternalTask(**leased(case), variables={}))
    (incident,) = case.incidents()
    assert (case.status, incident.kind, "E1" in incident.message) == ("FAILED", "UncaughtError", True)


def test_a_condition_that_cannot_be_evaluated_is_an_incident(play: Play) -> None:
    case = begin(play, "${nothing == 1}")
    case.do(c.CompleteExternalTask(**leased(case), variables={}))
    assert [row.kind for row in case.incidents()] == ["ExpressionFailed"]
