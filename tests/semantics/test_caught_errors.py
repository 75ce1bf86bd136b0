"""Which handler an error finds, and what becomes of one that finds none (semantics §4)."""

from __future__ import annotations

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from tests.support.bpmn_text import bpmn, flows, subprocess
from tests.support.play import Case, Play

ROOTS = '<error id="a" errorCode="A"/><error id="b" errorCode="B"/><error id="none"/>'


def catching(name: str, host: str, error: str) -> str:
    reference = f'errorRef="{error}"' if error else ""
    return (
        f'<boundaryEvent id="{name}" attachedToRef="{host}"><errorEventDefinition {reference}/></boundaryEvent>'
        f'<userTask id="after_{name}"/>'
    )


@pytest.mark.parametrize("order", ["exact first", "catch-all first"])
@pytest.mark.parametrize(("code", "caught_by"), [("A", "exact"), ("B", "all"), ("", "all")])
def test_the_exact_code_is_preferred_and_what_has_no_code_catches_the_rest(
    play: Play, order: str, code: str, caught_by: str
) -> None:
    events = [catching("exact", "x", "a"), catching("all", "x", "")]
    inner = f'<endEvent id="t"><errorEventDefinition errorRef="{ {"A": "a", "B": "b", "": "none"}[code] }"/></endEvent>'
    sub = subprocess("x", f'<startEvent id="xs"/>{inner}', flows("xs t"))
    nodes = '<startEvent id="s"/><endEvent id="e"/>' + sub
    nodes += "".join(events if order == "exact first" else events[::-1])
    play.host.deploy(bpmn(nodes, flows("s x", "x e", "exact after_exact", "all after_all"), roots=ROOTS))
    assert play.start().at() == [f"after_{caught_by}"]


def test_an_error_that_is_handled_inside_is_not_handled_again_outside(play: Play) -> None:
    throwing = '<startEvent id="is"/><endEvent id="t"><errorEventDefinition errorRef="a"/></endEvent>'
    inner = subprocess("inner", throwing, flows("is t"))
    outer = subprocess(
        "outer",
        f'<startEvent id="os"/>{inner}{catching("near", "inner", "a")}<endEvent id="oe"/>',
        flows("os inner", "inner oe", "near after_near", "after_near oe"),
    )
    nodes = '<startEvent id="s"/><endEvent id="e"/>' + outer + catching("far", "outer", "a")
    play.host.deploy(bpmn(nodes, flows("s outer", "outer e", "far after_far"), roots=ROOTS))
    case = play.start()
    assert [row.node for row in case.tasks()] == ["after_near"]
    case.complete("after_near")
    assert case.status == "COMPLETED"
    assert "far" not in case.passed()


def _uncaught(play: Play) -> Case:
    nodes = '<startEvent id="s"/><userTask id="u"/><endEvent id="t"><errorEventDefinition errorRef="a"/></endEvent>'
    play.host.deploy(bpmn(nodes, flows("s u", "u t"), roots=ROOTS))
    case = play.start()
    case.complete("u")
    return case


def test_an_error_that_nobody_catches_is_the_same_incident_again_after_a_retry_that_mends_nothing(
    play: Play,
) -> None:
    case = _uncaught(play)
    (first,) = case.incidents()
    case.do(c.RetryToken(token=case.token("t").id))
    (second,) = case.incidents()
    assert (second.kind, second.message) == (first.kind, first.message) == ("UncaughtError", first.message)
    assert second.id != first.id
    assert (case.status, case.tokens()) == ("FAILED", {"t": "Failed"})
    assert len(case.of(e.IncidentOpened)) == 2
