"""A scope that is interrupted while a token waits at its join (semantics §3, §4)."""

from __future__ import annotations

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from tests.support.bpmn_text import bpmn, flows, subprocess
from tests.support.play import Play

INSIDE = (
    '<startEvent id="ss"/><parallelGateway id="f"/><serviceTask id="a" camunda:type="external" camunda:topic="t"/>'
    '<userTask id="b"/><parallelGateway id="j"/><endEvent id="se"/>'
)
INNER_FLOWS = flows("ss f", "f a", "f b", "a j", "b j", "j se")
EVENT = '<messageEventDefinition messageRef="m"/>'
BOUNDARY = f'<boundaryEvent id="stop" attachedToRef="sub">{EVENT}</boundaryEvent><userTask id="c"/><endEvent id="ce"/>'
HANDLER = subprocess(
    "handler",
    f'<startEvent id="stop">{EVENT}</startEvent><userTask id="c"/><endEvent id="ce"/>',
    flows("stop c", "c ce"),
    attributes='triggeredByEvent="true"',
)


@pytest.mark.parametrize("how", ["boundary", "event subprocess"])
def test_the_join_is_closed_and_the_instance_can_end(play: Play, how: str) -> None:
    outer, inner, more = (BOUNDARY, "", "stop c") if how == "boundary" else ("", HANDLER, "")
    nodes = '<startEvent id="s"/><endEvent id="e"/>' + subprocess("sub", INSIDE, INNER_FLOWS, inner) + outer
    pairs = ["s sub", "sub e", *([more, "c ce"] if more else [])]
    play.host.deploy(bpmn(nodes, flows(*pairs), roots='<message id="m" name="stop"/>'))
    case = play.start()
    case.work("a")
    assert [join.node for join in case.joins()] == ["j"]
    (waiting,) = [row for row in case.state.subscriptions.values() if row.status == "OPEN"]
    case.do(c.TriggerMessage(subscription=waiting.id))
    assert (case.joins(), [row.node for row in case.tasks()]) == ([], ["c"])
    assert [event.node for event in case.of(e.JoinClosed)] == ["j"]
    case.complete("c")
    assert (case.status, case.live()) == ("COMPLETED", [])
    assert not case.of(e.JoinFired)
