"""What the pure core sends to other instances, and what it does with what comes from them."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest

from bpm.bpmn import read_file
from bpm.core import between as b
from bpm.core import commands as c
from bpm.core import events as e
from bpm.core.context import Context
from bpm.core.decide import Decision, decide
from bpm.core.errors import InstanceEnded, Invalid
from bpm.core.failure import NodeFailed
from bpm.core.graph import Graph
from bpm.core.ids import Id, IdSource
from bpm.core.starts import StartTimer, StartWait, start_timers, start_waits, starts_on
from bpm.core.state import Instance, State

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CALLER, CALLER_TOKEN = "00000000-0000-7000-8000-00000000000a", "00000000-0000-7000-8000-00000000000b"


def graph_of(body: str) -> Graph:
    text = (
        '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="d" '
        'xmlns:camunda="http://camunda.org/schema/1.0/bpmn"><message id="m" name="pay"/>'
        '<signal id="x" name="alert"/><error id="err" name="E" errorCode="E"/>'
        f'<process id="p" isExecutable="true">{body}</process></definitions>'
    )
    (model,) = read_file(text.encode()).processes
    assert model.graph is not None, model.problems
    return model.graph


def flow(*nodes: str) -> str:
    return "".join(
        f'<sequenceFlow id="{a}_{z}" sourceRef="{a}" targetRef="{z}"/>' for a, z in pairwise(nodes)
    )


class Played:
    """One instance of a graph."""

    def __init__(self, body: str, *, called: bool = False, node: str | None = None, **variables: Any) -> None:
        self.graph = graph_of(body)
        self._seed = 0
        self.state = State(Instance(id=IdSource(NOW, 0).next()), everything=True)
        parents: dict[str, Any] = {}
        if called:
            parents = {"parent_instance": CALLER, "parent_token": CALLER_TOKEN, "root": CALLER}
        self.first = self.do(
            c.StartInstance(definition="d", tenant="t", variables=variables, node=node, **parents)
        )

    def do(self, command: c.Command) -> Decision:
        self._seed += 1
        ids = IdSource(NOW, self._seed, self.state.instance.sequence + 1)
        return decide(self.graph, self.state, command, Context(now=NOW, ids=ids))

    def token(self) -> Id:
        (token,) = [token for token in self.state.tokens.values() if not token.final]
        return token.id

    @property
    def called(self) -> Id:
        return self.state.tokens[self.token()].called or ""


START, END = '<startEvent id="s"/>', '<endEvent id="e"/>'
CALLS = START + '<callActivity id="c" calledElement="child"/>' + END + flow("s", "c", "e")


def contents(decision: Decision) -> list[Any]:
    return [sent.content for sent in decision.outgoing if isinstance(sent, b.Outgoing)]


# calls


def test_a_call_names_the_instance_that_will_be_called() -> None:
    played = Played(CALLS, x=1)
    (sent,) = played.first.outgoing
    assert isinstance(sent, b.Outgoing)
    assert sent.target == played.called != ""
    assert isinstance(sent.content, b.CallProcess)
    assert (sent.content.process, sent.content.binding, sent.content.variables) == ("child", "latest", {})
    assert sent.content.parent_instance == played.state.instance.id
    assert sent.content.parent_token == played.token()


def test_the_end_of_the_called_instance_lets_the_token_go_on() -> None:
    played = Played(CALLS)
    played.do(b.CompleteCall(token=played.token(), called=played.called, variables={}))
    assert played.state.instance.status == "COMPLETED"


def test_word_of_a_call_that_is_over_changes_nothing() -> None:
    played = Played(CALLS)
    other = "00000000-0000-7000-8000-00000000000c"
    for stale in (
        b.CompleteCall(token=played.token(), called=other),
        b.FailCall(token=played.token(), called=other, kind="k", message="m"),
        b.OfferFault(
            token=other, called=played.called, fault="error", code="E", message="", path=((other, other),)
        ),
        b.FinishFault(token=played.token(), called=other, fault="error", code="E", message=""),
        b.EndByFault(token=other, fault="error", code="E", message="", path=(), back=((other, other),)),
        b.AnswerFault(token=played.token(), fault="error", code="E", message="", caught=False),
    ):
        decision = played.do(stale)
        assert (decision.events, decision.outgoing) == ([], []), stale


def test_a_token_that_ends_takes_its_called_instance_along() -> None:
    played = Played(CALLS)
    called = played.called
    decision = played.do(c.CancelInstance())
    (sent,) = decision.outgoing
    assert isinstance(sent, b.Outgoing)
    assert isinstance(sent.content, c.CancelInstance)
    assert (sent.target, sent.content.by_caller) == (called, True)
    kinds = [type(event) for event in decision.events]
    assert kinds.index(e.CallEnded) < kinds.index(e.TokenTerminated)


def test_a_called_instance_tells_its_caller_how_it_ended() -> None:
    quick = Played(START + END + flow("s", "e"), called=True)
    assert contents(quick.first) == [b.CompleteCall(token=CALLER_TOKEN, called=quick.state.instance.id)]
    cancelled = Played(START + '<userTask id="u"/>' + flow("s", "u"), called=True)
    (content,) = contents(cancelled.do(c.CancelInstance(reason="r")))
    assert isinstance(content, b.FailCall)
    assert content.kind == "CallCancelled"
    again = Played(START + '<userTask id="u"/>' + flow("s", "u"), called=True)
    assert contents(again.do(c.CancelInstance(by_caller=True))) == []


# errors across calls


def test_an_error_without_handler_is_offered_and_ends_as_the_answer_says() -> None:
    body = START + '<endEvent id="t"><errorEventDefinition errorRef="err"/></endEvent>' + flow("s", "t")
    played = Played(body, called=True)
    (offer,) = contents(played.first)
    here = (played.state.instance.id, played.token())
    assert isinstance(offer, b.OfferFault)
    assert (offer.token, offer.fault, offer.code, offer.path) == (CALLER_TOKEN, "error", "E", (here,))
    assert played.state.tokens[played.token()].wait == "propagation"
    played.do(b.AnswerFault(token=played.token(), fault="error", code="E", message="", caught=False))
    assert played.state.instance.status == "FAILED"
    caught = Played(body, called=True)
    decision = caught.do(
        b.EndByFault(
            token=caught.token(), fault="error", code="E", message="", path=(), back=((CALLER, CALLER_TOKEN),)
        )
    )
    assert caught.state.instance.status == "CANCELLED"
    (finish,) = contents(decision)
    assert isinstance(finish, b.FinishFault)
    assert (finish.token, finish.called, finish.back) == (CALLER_TOKEN, caught.state.instance.id, ())


def test_a_caller_with_a_handler_first_ends_what_it_has_called() -> None:
    body = (
        CALLS
        + '<boundaryEvent id="b" attachedToRef="c"><errorEventDefinition errorRef="err"/></boundaryEvent>'
        + '<userTask id="h"/>'
        + flow("b", "h")
    )
    played = Played(body)
    (token,) = [row for row in played.state.tokens.values() if row.called]
    inner = (token.called or "", CALLER_TOKEN)
    asked: dict[str, Any] = {
        "token": token.id,
        "called": token.called or "",
        "fault": "error",
        "code": "E",
        "message": "",
    }
    (end,) = contents(played.do(b.OfferFault(**asked, path=(inner,))))
    assert isinstance(end, b.EndByFault)
    assert (end.token, end.path, end.back) == (CALLER_TOKEN, (), ((played.state.instance.id, token.id),))
    assert [row.node for row in played.state.tokens.values() if not row.final] == ["c", "c"]
    decision = played.do(b.FinishFault(**asked))
    assert [row.node for row in played.state.tokens.values() if not row.final] == ["h"]
    assert decision.outgoing == []


def test_an_ended_instance_refuses_what_comes_late_but_notes_what_it_sent() -> None:
    played = Played(CALLS)
    token, called = played.token(), played.called
    played.do(c.CancelInstance())
    with pytest.raises(InstanceEnded):
        played.do(b.CompleteCall(token=token, called=called))
    (event,) = played.do(b.NoteDropped(command="CancelInstance", target=called, reason="r")).events
    assert isinstance(event, e.DeliveryDropped)


# messages and signals


def test_messages_and_signals_go_out_in_order() -> None:
    throws = "".join(
        f'<intermediateThrowEvent id="{name}">{inside}</intermediateThrowEvent>'
        for name, inside in (
            ("t1", '<messageEventDefinition messageRef="m"/>'),
            ("t2", '<signalEventDefinition signalRef="x"/>'),
        )
    )
    played = Played(START + throws + END + flow("s", "t1", "t2", "e"))
    assert played.first.outgoing == [
        b.Outgoing(None, b.SendMessage(name="pay", key="null")),
        b.Broadcast("alert"),
    ]


def test_what_a_failed_node_has_sent_is_taken_back() -> None:
    body = (
        START
        + '<sendTask id="t" messageRef="m"/><userTask id="u"/>'
        + '<sequenceFlow id="f1" sourceRef="s" targetRef="t"/><sequenceFlow id="f2" sourceRef="t" targetRef="u">'
        + "<conditionExpression>${missing}</conditionExpression></sequenceFlow>"
    )
    played = Played(body)
    assert (played.first.outgoing, played.state.instance.status) == ([], "FAILED")


# starts


WAITS = (
    '<startEvent id="by_message"><messageEventDefinition messageRef="m"/></startEvent>'
    '<startEvent id="by_time"><timerEventDefinition><timeCycle>R2/PT1H</timeCycle></timerEventDefinition></startEvent>'
    '<startEvent id="by_condition"><conditionalEventDefinition><condition>${x &gt; 1}</condition>'
    "</conditionalEventDefinition></startEvent>"
    '<userTask id="u"/>' + flow("by_message", "u") + flow("by_time", "u") + flow("by_condition", "u")
)


def test_a_graph_tells_what_its_definition_waits_for() -> None:
    graph = graph_of(WAITS)
    assert start_waits(graph) == [
        StartWait("by_message", "message", "pay"),
        StartWait("by_condition", "condition", "0"),
    ]
    assert start_timers(graph, NOW, UTC) == [StartTimer("by_time", "cycle", NOW.replace(hour=1), "R2/PT1H")]
    assert [
        starts_on(graph, "by_condition", 0, variables, NOW) for variables in ({"x": 2}, {"x": 1}, {})
    ] == [
        True,
        False,
        False,
    ]


def test_a_computed_time_that_is_none_fails() -> None:
    text = WAITS.replace("R2/PT1H", "${1 + 1}")
    with pytest.raises(NodeFailed):
        start_timers(graph_of(text), NOW, UTC)


def test_an_instance_begins_only_where_something_starts_it() -> None:
    played = Played(WAITS, node="by_message")
    assert [token.node for token in played.state.tokens.values()] == ["u"]
    for wrong in ("u", "nowhere"):
        with pytest.raises(Invalid):
            Played(WAITS, node=wrong)
