"""User tasks: errors, escalations, changes, delegation, local variables (semantics §5, §9, §12)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core import operations as o
from bpm.core.errors import Conflict, EscalationUncaught, Invalid, TaskClosed, TaskDelegated, TaskNotYours
from tests.support.bpmn_text import bpmn, flows
from tests.support.play import Case, Play

ROOTS = (
    '<error id="err" errorCode="300"/><escalation id="esc" escalationCode="301"/>'
    '<escalation id="urgent" escalationCode="432"/>'
)
CATCHING = bpmn(
    '<startEvent id="s"/><userTask id="a" camunda:assignee="kim"/><endEvent id="e"/>',
    '<boundaryEvent id="onError" attachedToRef="a"><errorEventDefinition errorRef="err"/></boundaryEvent>',
    '<boundaryEvent id="told" attachedToRef="a" cancelActivity="false">'
    '<escalationEventDefinition escalationRef="esc"/></boundaryEvent>',
    '<boundaryEvent id="urged" attachedToRef="a">'
    '<escalationEventDefinition escalationRef="urgent"/></boundaryEvent>',
    '<userTask id="repair"/><userTask id="note"/><userTask id="hurry"/>',
    flows("s a", "a e", "onError repair", "told note", "urged hurry"),
    roots=ROOTS,
)
ONE = "start s -> a\n user a assignee=kim -> e\n end e"


def _catching(play: Play) -> tuple[Case, str]:
    play.host.deploy(CATCHING)
    case = play.start()
    return case, case.tasks("a")[0].id


def test_a_task_ends_by_an_error_that_is_caught(play: Play) -> None:
    case, task = _catching(play)
    case.do(o.ThrowUserTaskError(task=task, error_code="300", variables={"foo": "bar"}))
    assert (case.at(), case.variables()) == (["repair"], {"foo": "bar"})
    assert case.state.user_tasks[task].status == "CANCELLED"


def test_an_error_that_nobody_catches_fails_the_token_and_a_retry_makes_a_new_task(play: Play) -> None:
    case = play.begin(ONE)
    task = case.tasks()[0].id
    case.do(o.ThrowUserTaskError(task=task, error_code="300", message="no"))
    assert (case.status, [row.kind for row in case.incidents()]) == ("FAILED", ["UncaughtError"])
    with pytest.raises(TaskClosed):
        case.do(c.CompleteUserTask(task=task))
    case.retry("a")
    assert [row.id for row in case.tasks()] != [task]
    case.complete("a")
    assert case.status == "COMPLETED"


def test_an_escalation_that_does_not_interrupt_leaves_the_task_open(play: Play) -> None:
    case, task = _catching(play)
    case.do(o.ThrowUserTaskEscalation(task=task, escalation_code="301", variables={"foo": 1}))
    assert [row.node for row in case.tasks()] == ["a", "note"]
    assert case.variables() == {"foo": 1}


def test_an_escalation_that_interrupts_ends_the_task(play: Play) -> None:
    case, task = _catching(play)
    case.do(o.ThrowUserTaskEscalation(task=task, escalation_code="432"))
    assert [row.node for row in case.tasks()] == ["hurry"]


def test_an_escalation_that_nobody_catches_and_empty_codes_are_refused(play: Play) -> None:
    case, task = _catching(play)
    with pytest.raises(EscalationUncaught):
        case.do(o.ThrowUserTaskEscalation(task=task, escalation_code="999"))
    for command in (
        o.ThrowUserTaskEscalation(task=task, escalation_code=""),
        o.ThrowUserTaskError(task=task, error_code=""),
    ):
        with pytest.raises(Invalid):
            case.do(command)


def test_only_who_may_complete_a_task_ends_it_otherwise(play: Play) -> None:
    case, task = _catching(play)
    for command in (
        o.ThrowUserTaskError(task=task, error_code="300", user="lee"),
        o.ThrowUserTaskEscalation(task=task, escalation_code="301", user="lee"),
    ):
        with pytest.raises(TaskNotYours):
            case.do(command)
    case.do(o.ThrowUserTaskError(task=task, error_code="300", user="kim"))
    assert case.at() == ["repair"]


# changes


def _update(case: Case, **changes: Any) -> None:
    case.do(o.UpdateUserTask(task=case.tasks()[0].id, changes=changes))


def test_what_a_task_says_can_be_changed(play: Play) -> None:
    case = play.begin(ONE)
    due = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
    _update(
        case,
        name="Look",
        assignee=" lee ",
        owner="kim",
        due_at=due,
        follow_up_at=due,
        priority=3,
        candidate_users=["kim", " lee", "kim"],
        candidate_groups=["ops"],
    )
    (task,) = case.tasks()
    assert (task.name, task.assignee, task.owner, task.priority) == ("Look", "lee", "kim", 3)
    assert (task.due_at, task.follow_up_at) == (due, due)
    assert (task.candidate_users, task.candidate_groups) == (("kim", "lee"), ("ops",))
    _update(case, due_at=None, candidate_users=["kim"], assignee=" ")
    (task,) = case.tasks()
    assert (task.due_at, task.candidate_users, task.assignee, task.name) == (None, ("kim",), None, "Look")


def test_a_change_that_changes_nothing_is_no_event(play: Play) -> None:
    case = play.begin(ONE)
    _update(case, assignee="kim", priority=50)
    assert case.of(e.UserTaskUpdated) == []
    _update(case, assignee="kim", priority=51)
    assert [event.changes for event in case.of(e.UserTaskUpdated)] == [{"priority": 51}]


@pytest.mark.parametrize(
    "changes", [{"name": " "}, {"name": None}, {"priority": "high"}, {"status": "COMPLETED"}]
)
def test_a_change_that_cannot_be_is_refused(play: Play, changes: dict[str, Any]) -> None:
    case = play.begin(ONE)
    with pytest.raises(Invalid):
        _update(case, **changes)


# delegation


def test_a_delegated_task_comes_back_to_its_owner_before_it_is_completed(play: Play) -> None:
    case = play.begin(ONE)
    task = case.tasks()[0].id
    case.do(o.DelegateUserTask(task=task, assignee="lee", by="kim"))
    row = case.tasks()[0]
    assert (row.assignee, row.owner, row.delegation) == ("lee", "kim", "PENDING")
    with pytest.raises(TaskDelegated):
        case.do(c.CompleteUserTask(task=task, user="lee"))
    case.do(o.ResolveUserTask(task=task, by="lee", variables={"answer": 42}))
    row = case.tasks()[0]
    assert (row.assignee, row.owner, row.delegation) == ("kim", "kim", "RESOLVED")
    assert case.variables() == {"answer": 42}
    case.do(c.CompleteUserTask(task=task, user="kim"))
    assert case.status == "COMPLETED"


def test_only_the_assignee_delegates_and_resolves(play: Play) -> None:
    case = play.begin(ONE)
    task = case.tasks()[0].id
    with pytest.raises(TaskNotYours):
        case.do(o.DelegateUserTask(task=task, assignee="lee", by="lee"))
    with pytest.raises(Invalid):
        case.do(o.DelegateUserTask(task=task, assignee=" "))
    with pytest.raises(Conflict):
        case.do(o.ResolveUserTask(task=task))
    case.do(o.DelegateUserTask(task=task, assignee="lee"))
    with pytest.raises(TaskNotYours):
        case.do(o.ResolveUserTask(task=task, by="kim"))


# local variables


def test_local_variables_of_a_task_vanish_with_it(play: Play) -> None:
    case = play.begin(ONE, seen="outside")
    task = case.tasks()[0].id
    scope = case.do(o.SetTaskVariables(task=task, variables={"seen": "inside", "own": 1}, local=True))[
        "scope"
    ]
    assert scope != case.id
    assert case.variables() == {"seen": "outside"}
    assert case.do(o.SetTaskVariables(task=task, variables={"own": 2}, local=True)) == {"scope": scope}
    assert case.do(o.RemoveTaskVariables(task=task, names=("seen", "absent"))) == {"removed": ["seen"]}
    case.do(o.SetTaskVariables(task=task, variables={"seen": "changed", "more": True}))
    case.complete("a")
    assert (case.status, case.variables()) == ("COMPLETED", {"seen": "changed", "more": True})


@pytest.mark.parametrize("way", ["error", "boundary", "cancel"])
def test_local_variables_vanish_however_their_task_ends(play: Play, way: str) -> None:
    case, task = _catching(play)
    case.do(o.SetTaskVariables(task=task, variables={"own": 1}, local=True))
    if way == "error":
        case.do(o.ThrowUserTaskError(task=task, error_code="300"))
    elif way == "boundary":
        case.do(o.ThrowUserTaskEscalation(task=task, escalation_code="432"))
    else:
        case.do(c.CancelInstance())
    live = {scope for scope, row in case.state.scopes.items() if row.status == "ACTIVE"}
    assert not [name for scope, name in case.state.variables if scope in live]
    assert "own" not in case.variables()


def test_a_completion_that_writes_to_the_task_triggers_nothing_either(play: Play) -> None:
    handler = (
        '<subProcess id="h" triggeredByEvent="true"><startEvent id="hs"><conditionalEventDefinition>'
        "<condition>${x == 2}</condition></conditionalEventDefinition></startEvent>"
        '<userTask id="told"/></subProcess>'
    )
    nodes = '<startEvent id="s"/><userTask id="a"/><userTask id="b"/><endEvent id="e"/>'
    play.host.deploy(bpmn(nodes, handler, flows("s a", "a b", "b e", "hs told")))
    case = play.start(x=1)
    case.do(o.SetTaskVariables(task=case.tasks()[0].id, variables={"x": 3}, local=True))
    case.complete("a", x=2)
    assert (case.at(), case.variables()["x"]) == (["b"], 1)
    case.complete("b", x=2)
    assert [row.node for row in case.tasks()] == ["told"]


def test_a_completion_writes_to_the_task_where_it_has_the_variable(play: Play) -> None:
    case = play.begin(ONE)
    case.do(o.SetTaskVariables(task=case.tasks()[0].id, variables={"x": 1}, local=True))
    case.complete("a", x=2, y=3)
    assert case.variables() == {"y": 3}


def test_local_variables_of_a_task_trigger_no_condition_those_of_the_activity_do(play: Play) -> None:
    play.host.deploy(
        bpmn(
            '<startEvent id="s"/><userTask id="a"/><endEvent id="e"/><endEvent id="be"/>',
            '<boundaryEvent id="b" attachedToRef="a"><conditionalEventDefinition>'
            "<condition>${x == 1}</condition></conditionalEventDefinition></boundaryEvent>",
            flows("s a", "a e", "b be"),
        )
    )
    case = play.start()
    case.do(o.SetTaskVariables(task=case.tasks()[0].id, variables={"x": 1}, local=True))
    assert len(case.tasks()) == 1
    case.do(o.SetActivityVariables(token=case.token_of(case.tasks()[0]).id, variables={"x": 1}))
    assert case.status == "COMPLETED"


def test_two_branches_keep_their_local_variables_apart(play: Play) -> None:
    case = play.begin(
        "start s -> f\n par f -> a, b\n user a -> j\n user b -> j\n par j -> c\n user c -> e\n end e"
    )
    for node in ("a", "b"):
        case.do(o.SetActivityVariables(token=case.token(node).id, variables={"var": node}))
    for node in ("a", "b"):
        case.complete(node)
    assert (case.at(), case.state.variables.keys() & {(case.id, "var")}) == (["c"], set())


def test_what_has_no_scope_of_its_own_takes_no_local_variables(play: Play) -> None:
    case = play.begin("start s -> t\n timer t duration=PT1M -> e\n end e")
    with pytest.raises(Invalid):
        case.do(o.SetActivityVariables(token=case.token("t").id, variables={"x": 1}))


# comments


def test_a_comment_is_an_event_and_its_words_are_another(play: Play) -> None:
    case = play.begin(ONE)
    task = case.tasks()[0].id
    case.do(o.CommentUserTask(task=task, message=" why? ", actor="kim"))
    (comment,) = case.state.comments.values()
    assert (comment.task, comment.author, comment.message) == (task, "kim", "why?")
    assert [type(event).__name__ for event in case.events[-2:]] == ["UserTaskCommented", "CommentWritten"]
    assert e.CommentWritten.erasable
    assert not e.UserTaskCommented.erasable


@pytest.mark.parametrize("message", ["", " \n", "x" * 4001])
def test_a_comment_that_says_nothing_or_too_much_is_refused(play: Play, message: str) -> None:
    case = play.begin(ONE)
    with pytest.raises(Invalid):
        case.do(o.CommentUserTask(task=case.tasks()[0].id, message=message))


def test_a_suspended_instance_takes_comments_a_closed_task_none(play: Play) -> None:
    case = play.begin(ONE)
    task = case.tasks()[0].id
    case.do(o.SuspendInstance())
    case.do(o.CommentUserTask(task=task, message="later"))
    case.do(o.ActivateInstance())
    case.complete("a")
    with pytest.raises(TaskClosed):
        case.do(o.CommentUserTask(task=task, message="late"))
