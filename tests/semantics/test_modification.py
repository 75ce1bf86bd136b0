"""Modification: ending and starting at places of a running instance (semantics §12)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from bpm.core import events as e
from bpm.core import instructions as i
from bpm.core import operations as o
from bpm.core.errors import Conflict, Invalid, Suspended, TokenNotFound
from bpm.core.rows import ScopeStatus
from tests.support.bpmn_text import bpmn, flows, one_task, subprocess
from tests.support.play import Case, Play

LINE = "start s -> a\n user a -> b\n user b -> e\n end e"
FORKED = """
    start s -> f
    par f -> a, b
    user a -> j
    user b -> j
    par j -> c
    user c -> e
    end e
"""
NESTED = bpmn(
    '<startEvent id="s"/><userTask id="first"/>',
    subprocess(
        "outer",
        subprocess("inner", one_task("deep")),
        '<startEvent id="os"/><endEvent id="oe"/>',
        flows("os inner", "inner oe"),
    ),
    '<userTask id="last"/>',
    flows("s first", "first outer", "outer last"),
)


def _modify(case: Case, *instructions: i.Instruction) -> Any:
    return case.do(o.ModifyInstance(instructions=instructions))


def _cancel(case: Case, node: str) -> i.CancelToken:
    return i.CancelToken(token=case.live(node)[0].id)


def _open(case: Case) -> list[str]:
    return [task.node for task in case.tasks()]


def _active(case: Case) -> Counter[tuple[str, str]]:
    """Return the active scopes inside the process's own, counted by node and kind."""
    rows = case.state.scopes.values()
    return Counter(
        (row.node, row.kind) for row in rows if row.status is ScopeStatus.ACTIVE and row.parent is not None
    )


# the process's own scope


def test_a_token_is_moved_by_ending_it_and_starting_elsewhere(play: Play) -> None:
    case = play.begin(LINE)
    answer = _modify(case, _cancel(case, "a"), i.StartBefore(node="b"))
    assert (_open(case), [token.id for token in case.live()]) == (["b"], answer["started"])
    (event,) = case.of(e.InstanceModified)
    assert [told["instruction"] for told in event.instructions] == ["CancelToken", "StartBefore"]
    case.complete("b")
    assert case.status == "COMPLETED"


def test_an_instance_in_which_nothing_is_left_is_cancelled(play: Play) -> None:
    case = play.begin(LINE)
    _modify(case, _cancel(case, "a"))
    assert case.status == "CANCELLED"


def test_a_path_that_ends_at_once_completes_the_instance(play: Play) -> None:
    case = play.begin("start s -> a\n user a -> e\n end e")
    _modify(case, i.CancelAll(node="a"), i.StartAfter(node="a"))
    assert case.status == "COMPLETED"


def test_instructions_are_carried_out_in_order(play: Play) -> None:
    case = play.begin(LINE)
    _modify(case, i.StartBefore(node="b"), i.CancelAll(node="b"))
    assert _open(case) == ["a"]
    _modify(case, i.CancelAll(node="b"), i.StartBefore(node="b"))
    assert _open(case) == ["a", "b"]


def test_naming_a_cancelled_token_twice_is_refused_and_changes_nothing(play: Play) -> None:
    case = play.begin(FORKED)
    length = len(case.events)
    with pytest.raises(Conflict):
        _modify(case, _cancel(case, "a"), i.StartBefore(node="c"), _cancel(case, "a"))
    assert (_open(case), len(case.events)) == (["a", "b"], length)
    with pytest.raises(TokenNotFound):
        _modify(case, i.CancelToken(token=case.id))


@pytest.mark.parametrize(
    "instruction",
    [
        i.StartBefore(node="nowhere"),
        i.StartBefore(node="a#multiInstanceBody"),
        i.StartAfter(node="e"),
        i.StartAfter(node="f"),
        i.StartAfter(node="nowhere"),
        i.StartAtFlow(flow="nowhere"),
        i.CancelAll(node="nowhere"),
        i.CancelScope(scope="00000000-0000-7000-8000-000000000000"),
        i.StartBefore(node="a", ancestor="00000000-0000-7000-8000-000000000000"),
        i.StartBefore(node="j", local_variables={"x": 1}),
    ],
)
def test_what_cannot_be_carried_out_is_refused(play: Play, instruction: i.Instruction) -> None:
    case = play.begin(FORKED)
    with pytest.raises(Invalid):
        _modify(case, instruction)
    with pytest.raises(Invalid):
        _modify(case)


def test_a_suspended_instance_is_not_modified(play: Play) -> None:
    case = play.begin(LINE)
    case.do(o.SuspendInstance())
    with pytest.raises(Suspended):
        _modify(case, i.StartBefore(node="b"))


def test_starting_at_a_flow_takes_that_flow(play: Play) -> None:
    case = play.begin(
        "start s -> x\n xor x -> yes:a [false], no:b [else]\n user a -> e\n user b -> e\n end e"
    )
    _modify(case, i.StartAtFlow(flow="yes"))
    assert _open(case) == ["b", "a"]


def test_variables_are_set_before_the_start_and_local_ones_in_the_activity(play: Play) -> None:
    case = play.begin("start s -> a\n user a -> b\n user b assignee=${who} -> e\n end e", x=0)
    _modify(case, i.StartBefore(node="b", variables={"who": "kim", "x": 1}, local_variables={"own": 2}))
    (task,) = case.tasks("b")
    assert (task.assignee, case.variables()) == ("kim", {"who": "kim", "x": 1})
    assert case.state.variable(case.token_of(task).scope, "own") is not None
    case.complete("b", own=3)
    assert case.variables() == {"who": "kim", "x": 1}


def test_an_asynchronous_node_gets_its_job(play: Play) -> None:
    case = play.begin("start s -> a\n user a -> b\n user b before -> e\n end e")
    _modify(case, i.CancelAll(node="a"), i.StartBefore(node="b"))
    assert (case.job("b").kind, case.tokens()) == ("before", {"b": "Ready"})
    _modify(case, i.CancelAll(node="b"), i.StartBefore(node="b"))
    assert [job.status for job in case.state.jobs.values()] == ["CANCELLED", "READY"]


# joins


def test_cancelling_a_token_at_a_join_takes_its_flow_back(play: Play) -> None:
    case = play.begin(FORKED)
    case.complete("a")
    _modify(case, _cancel(case, "j"))
    assert (case.joins(), _open(case)) == ([], ["b"])
    case.complete("b")
    assert (case.at(), case.joins("j")[0].arrived) == (["j"], 1)


def test_what_starts_before_a_join_counts_as_one_of_its_flows(play: Play) -> None:
    case = play.begin(FORKED)
    _modify(
        case, i.CancelAll(node="a"), i.CancelAll(node="b"), i.StartBefore(node="j"), i.StartBefore(node="j")
    )
    assert _open(case) == ["c"]


def test_a_token_started_in_a_branch_meets_the_one_of_the_fork(play: Play) -> None:
    case = play.begin(FORKED)
    _modify(case, i.CancelAll(node="a"), i.StartBefore(node="a"))
    case.complete("a")
    case.complete("b")
    assert _open(case) == ["c"]


def test_an_inclusive_join_fires_when_the_last_token_that_could_come_is_cancelled(play: Play) -> None:
    case = play.begin(
        "start s -> f\n or f -> a [true], b [true]\n user a -> j\n user b -> j\n or j -> c\n user c -> e\n end e"
    )
    case.complete("a")
    _modify(case, i.CancelAll(node="b"))
    assert _open(case) == ["c"]


# scopes


def _nested(play: Play) -> Case:
    play.host.deploy(NESTED)
    return play.start()


def test_missing_scopes_are_entered_without_their_start_events(play: Play) -> None:
    case = _nested(play)
    _modify(case, i.StartBefore(node="deep"))
    assert (_open(case), _active(case)) == (
        ["first", "deep"],
        {("outer", "subprocess"): 1, ("inner", "subprocess"): 1},
    )
    assert not {"os", "deep_start"} & {event.node for event in case.of(e.TokenCreated)}
    case.complete("deep")
    assert _open(case) == ["first", "last"]


def test_a_scope_that_is_there_is_used(play: Play) -> None:
    case = _nested(play)
    case.complete("first")
    _modify(case, i.StartBefore(node="deep"))
    assert (_open(case), _active(case)["inner", "subprocess"]) == (["deep", "deep"], 1)


def test_a_scope_that_the_instructions_emptied_is_removed_at_the_end_only(play: Play) -> None:
    case = _nested(play)
    case.complete("first")
    scopes = _active(case)
    _modify(case, _cancel(case, "deep"), i.StartBefore(node="deep"))
    assert (_open(case), _active(case), len(case.of(e.ScopeEntered))) == (["deep"], scopes, 3)
    _modify(case, _cancel(case, "deep"), i.StartBefore(node="last"))
    assert (_open(case), _active(case)) == (["last"], {})
    assert {event.reason for event in case.of(e.ScopeTerminated)} == {"modification"}


def test_a_scope_is_cancelled_with_the_activity_that_it_belongs_to(play: Play) -> None:
    case = _nested(play)
    case.complete("first")
    inner = next(row.id for row in case.state.scopes.values() if row.node == "inner")
    _modify(case, i.CancelScope(scope=inner), i.StartBefore(node="first"))
    assert (_open(case), _active(case)) == (["first"], {})
    _modify(case, i.CancelScope(scope=case.id), i.StartBefore(node="last"))
    assert _open(case) == ["last"]
    _modify(case, i.CancelScope(scope=case.id))
    assert case.status == "CANCELLED"


def test_with_several_scopes_the_ancestor_names_one(play: Play) -> None:
    case = _nested(play)
    _modify(case, i.StartBefore(node="deep"))
    _modify(case, i.StartBefore(node="deep", ancestor=case.id))
    assert _active(case) == {("outer", "subprocess"): 2, ("inner", "subprocess"): 2}
    with pytest.raises(Invalid, match="ancestor"):
        _modify(case, i.StartBefore(node="deep"))
    inner = [row.id for row in case.state.scopes.values() if row.node == "inner"]
    _modify(case, i.StartBefore(node="deep", ancestor=inner[1]))
    tokens = [token.scope for token in case.live("deep")]
    assert Counter(tokens) == {inner[0]: 1, inner[1]: 2}


EQUIPPED = bpmn(
    '<startEvent id="s"/><userTask id="first"/>',
    subprocess(
        "sub",
        '<extensionElements><camunda:inputOutput><camunda:inputParameter name="seen">${x}</camunda:inputParameter>'
        "</camunda:inputOutput></extensionElements>",
        one_task("deep"),
        '<subProcess id="handler" triggeredByEvent="true"><startEvent id="hs" isInterrupting="false">'
        '<messageEventDefinition messageRef="m"/></startEvent><userTask id="handled"/>',
        flows("hs handled"),
        "</subProcess>",
    ),
    '<boundaryEvent id="late" attachedToRef="sub"><timerEventDefinition><timeDuration>PT1H</timeDuration>'
    '</timerEventDefinition></boundaryEvent><userTask id="after"/><userTask id="tooLate"/>',
    flows("s first", "first sub", "sub after", "late tooLate"),
    roots='<message id="m" name="m"/>',
)


def test_mappings_and_subscriptions_of_entered_scopes_are_there(play: Play) -> None:
    play.host.deploy(EQUIPPED)
    case = play.start(x=7)
    _modify(case, i.CancelAll(node="first"), i.StartBefore(node="deep", local_variables={"own": 1}))
    assert _active(case) == {("sub", "activity"): 1, ("sub", "subprocess"): 1}
    activity = next(row.id for row in case.state.scopes.values() if row.kind == "activity")
    own = {name: row.value for (scope, name), row in case.state.variables.items() if scope == activity}
    assert own == {"own": "1", "seen": "7"}
    assert [row.name for row in case.state.subscriptions.values() if row.status == "OPEN"] == ["m"]
    case.fire("late")
    assert _open(case) == ["tooLate"]


def test_a_mapping_that_cannot_be_evaluated_refuses_the_modification(play: Play) -> None:
    play.host.deploy(EQUIPPED)
    case = play.start()
    with pytest.raises(Invalid, match="sub cannot be entered"):
        _modify(case, i.StartBefore(node="deep"))


@pytest.mark.parametrize("which", [0, 1])
def test_cancelling_any_token_of_an_activity_cancels_all_of_it(play: Play, which: int) -> None:
    play.host.deploy(EQUIPPED)
    case = play.start(x=1)
    case.complete("first")
    _modify(case, i.CancelToken(token=case.live("sub")[which].id), i.StartBefore(node="first"))
    assert (_open(case), _active(case)) == (["first"], {})


def test_event_subprocesses_are_entered_beside_and_ended_with_what_they_do(play: Play) -> None:
    play.host.deploy(EQUIPPED)
    case = play.start(x=1)
    case.complete("first")
    _modify(case, i.StartBefore(node="handled"))
    assert (_open(case), _active(case)["handler", "eventSubprocess"]) == (["deep", "handled"], 1)
    _modify(case, i.StartBefore(node="handler"))
    assert _open(case) == ["deep", "handled", "handled"]
    _modify(case, i.CancelAll(node="handler"))
    assert _open(case) == ["deep"]


def test_an_event_subprocess_in_which_the_last_token_is_cancelled_is_removed(play: Play) -> None:
    play.host.deploy(EQUIPPED)
    case = play.start(x=1)
    case.complete("first")
    _modify(case, i.StartBefore(node="handled"))
    _modify(case, i.CancelAll(node="handled"))
    assert (_open(case), _active(case)["handler", "eventSubprocess"]) == (["deep"], 0)
    case.complete("deep")
    assert _open(case) == ["after"]


BOUNDARIES = bpmn(
    '<startEvent id="s"/><userTask id="a"/><endEvent id="e"/>',
    '<boundaryEvent id="stops" attachedToRef="a"><messageEventDefinition messageRef="m"/></boundaryEvent>',
    '<boundaryEvent id="beside" attachedToRef="a" cancelActivity="false">'
    '<messageEventDefinition messageRef="n"/></boundaryEvent>',
    '<userTask id="stopped"/><userTask id="noted"/>',
    flows("s a", "a e", "stops stopped", "beside noted"),
    roots='<message id="m" name="m"/><message id="n" name="n"/>',
)


def test_starting_before_a_boundary_event_interrupts_as_it_does(play: Play) -> None:
    play.host.deploy(BOUNDARIES)
    case = play.start()
    _modify(case, i.StartBefore(node="beside"))
    assert _open(case) == ["a", "noted"]
    _modify(case, i.StartBefore(node="stops"))
    assert (_open(case), _active(case)) == (["noted", "stopped"], {})
    _modify(case, i.StartBefore(node="stops"))
    assert _open(case) == ["noted", "stopped", "stopped"]


# multi-instance


def _multi(attributes: str, inside: str = "") -> bytes:
    loop = f"<multiInstanceLoopCharacteristics {attributes}>{inside}</multiInstanceLoopCharacteristics>"
    return bpmn(
        f'<startEvent id="s"/><userTask id="first"/><userTask id="m">{loop}</userTask><userTask id="last"/>',
        flows("s first", "first m", "m last"),
    )


THREE = "<loopCardinality>3</loopCardinality>"


def _counts(case: Case, body: int = 0) -> tuple[Any, ...]:
    rows = [row.id for row in case.state.scopes.values() if row.kind == "multiInstance"]
    names = ("nrOfInstances", "nrOfActiveInstances", "nrOfCompletedInstances")
    return tuple(int(case.state.variables[rows[body], name].value) for name in names)


def test_an_instance_is_added_to_the_body_and_taken_away(play: Play) -> None:
    play.host.deploy(_multi("", THREE))
    case = play.start()
    case.complete("first")
    _modify(case, i.StartBefore(node="m"))
    assert (_counts(case), len(case.tasks())) == ((4, 4, 0), 4)
    _modify(case, i.CancelToken(token=case.token_of(case.tasks()[0]).id))
    assert (_counts(case), len(case.tasks())) == ((4, 3, 0), 3)
    for _ in range(3):
        case.complete("m")
    assert _open(case) == ["last"]


def test_before_the_body_a_new_body_begins(play: Play) -> None:
    play.host.deploy(_multi("", THREE))
    case = play.start()
    case.complete("first")
    _modify(case, i.StartBefore(node="m#multiInstanceBody"))
    assert (len(case.tasks()), _active(case)["m", "multiInstance"]) == (6, 2)
    with pytest.raises(Invalid):
        _modify(case, i.StartBefore(node="m"))
    _modify(case, i.CancelAll(node="m#multiInstanceBody"), i.StartBefore(node="last"))
    assert (_open(case), _active(case)) == (["last"], {})


def test_without_a_body_one_with_a_single_instance_begins(play: Play) -> None:
    play.host.deploy(_multi("", THREE))
    case = play.start()
    _modify(case, i.CancelAll(node="first"), i.StartBefore(node="m", local_variables={"item": "x"}))
    assert (_open(case), _counts(case)) == (["m"], (1, 1, 0))
    case.complete("m")
    assert _open(case) == ["last"]


def test_cancelling_all_instances_removes_the_body(play: Play) -> None:
    play.host.deploy(_multi("", THREE))
    case = play.start()
    case.complete("first")
    _modify(case, i.CancelAll(node="m"))
    assert case.status == "CANCELLED"


def test_a_sequential_body_gets_another_instance_only_in_place_of_the_one_that_ran(play: Play) -> None:
    play.host.deploy(_multi('isSequential="true" camunda:collection="items" camunda:elementVariable="item"'))
    case = play.start(items=["x", "y", "z"])
    case.complete("first")
    case.complete("m")
    with pytest.raises(Conflict):
        _modify(case, i.StartBefore(node="m"))
    _modify(case, i.CancelAll(node="m"), i.StartBefore(node="m"))
    token = case.token_of(case.tasks("m")[0])
    assert (_counts(case), case.state.variables[token.scope, "item"].value) == ((3, 1, 1), '"y"')
    case.complete("m")
    case.complete("m")
    assert _open(case) == ["last"]
    assert len(case.of(e.UserTaskCompleted)) == 4


MULTI_SUB = bpmn(
    '<startEvent id="s"/>',
    subprocess(
        "sub",
        "<multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality>"
        "</multiInstanceLoopCharacteristics>",
        one_task("deep"),
    ),
    '<userTask id="last"/>',
    flows("s sub", "sub last"),
)


def test_inside_a_multi_instance_subprocess_the_instance_has_to_be_named(play: Play) -> None:
    play.host.deploy(MULTI_SUB)
    case = play.start()
    with pytest.raises(Invalid):
        _modify(case, i.StartBefore(node="deep"))
    body = next(row.id for row in case.state.scopes.values() if row.kind == "multiInstance")
    _modify(case, i.StartBefore(node="deep", ancestor=body))
    assert (len(case.tasks()), _counts(case), _active(case)["sub", "subprocess"]) == (3, (3, 3, 0), 3)
    inside = next(row.id for row in case.state.scopes.values() if row.kind == "subprocess")
    _modify(case, i.StartBefore(node="deep", ancestor=inside))
    assert (len(case.tasks()), _counts(case)) == (4, (3, 3, 0))
    _modify(case, i.CancelScope(scope=inside))
    assert (len(case.tasks()), _counts(case)) == (2, (3, 2, 0))
    for _ in range(2):
        case.complete("deep")
    assert _open(case) == ["last"]


# starting by instructions


def test_an_instance_starts_where_the_instructions_say(play: Play) -> None:
    play.host.deploy(NESTED)
    start = [i.StartBefore(node="deep", variables={"x": 1}), i.StartBefore(node="last")]
    case = Case(play.host, play.host.start("p", {"y": 2}, instructions=start))
    assert (_open(case), case.variables()) == (["deep", "last"], {"x": 1, "y": 2})
    assert "s" not in {event.node for event in case.of(e.TokenCreated)}
    case.complete("deep")
    case.complete("last")
    case.complete("last")
    assert case.status == "COMPLETED"


def test_an_instance_is_not_started_by_what_cannot_be_carried_out(play: Play) -> None:
    play.host.deploy(NESTED)
    for wrong in (i.StartBefore(node="nowhere"), i.CancelAll(node="first")):
        with pytest.raises(Invalid):
            play.host.start("p", instructions=[wrong])
    assert play.host.instances() == []
