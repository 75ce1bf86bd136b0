"""Tasks for people (semantics §5)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core.errors import TaskClosed, TaskNotFound, TaskNotYours
from tests.support.bpmn_text import bpmn, flows
from tests.support.play import Case, Play

ONE = """
    start s -> a
    user a {options} -> e
    end e
"""


def _task(play: Play, options: str = "", **variables: object) -> Case:
    return play.begin(ONE.replace("{options}", options), **variables)


def test_a_task_waits_until_it_is_completed(play: Play) -> None:
    case = _task(play)
    assert case.tokens() == {"a": "Waiting"}
    case.complete("a", done=True)
    assert (case.status, case.variables()) == ("COMPLETED", {"done": True})


def test_everything_about_a_task_is_evaluated_when_the_token_arrives(play: Play) -> None:
    options = (
        'title="Check ${what}" assignee=${who} candidate_users="kim, ${who},kim" candidate_groups=${groups}'
        " due_date=2026-03-01T10:00:00Z follow_up_date=${day} priority=${rank}"
    )
    case = _task(play, options, what="it", who="lee", groups=["x", "y"], day="2026-02-01", rank=7)
    (task,) = case.tasks()
    assert (task.name, task.assignee, task.priority) == ("Check it", "lee", 7)
    assert (task.candidate_users, task.candidate_groups) == (("kim", "lee"), ("x", "y"))
    assert task.due_at == datetime(2026, 3, 1, 10, tzinfo=UTC)
    assert task.follow_up_at == datetime(2026, 2, 1, tzinfo=UTC)


@pytest.mark.parametrize("option", ["assignee=${nobody}", "due_date=${n}", "priority=${text}"])
def test_what_cannot_be_evaluated_fails_the_token(play: Play, option: str) -> None:
    case = _task(play, option, n=5, text="high")
    assert (case.status, len(case.incidents()), case.tasks()) == ("FAILED", 1, [])


def test_only_one_completion_wins(play: Play) -> None:
    case = _task(play)
    task = case.tasks()[0]
    case.finish(task)
    with pytest.raises(TaskClosed):
        case.finish(task)
    assert len(case.of(e.UserTaskCompleted)) == 1


def test_an_unknown_task_is_not_found(play: Play) -> None:
    case = _task(play)
    with pytest.raises(TaskNotFound):
        case.do(c.CompleteUserTask(task="01900000-0000-7000-8000-000000000000"))


def test_completing_is_for_the_assignee(play: Play) -> None:
    case = _task(play, "assignee=kim")
    task = case.tasks()[0].id
    with pytest.raises(TaskNotYours):
        case.do(c.CompleteUserTask(task=task, user="lee"))
    case.do(c.CompleteUserTask(task=task, user="kim"))
    assert case.status == "COMPLETED"


@pytest.mark.parametrize(
    ("user", "groups", "allowed"),
    [("kim", frozenset(), True), ("lee", frozenset({"g"}), True), ("lee", frozenset({"h"}), False)],
)
def test_an_unassigned_task_is_for_its_candidates(
    play: Play, user: str, groups: frozenset[str], allowed: bool
) -> None:
    case = _task(play, "candidate_users=kim candidate_groups=g")
    command = c.CompleteUserTask(task=case.tasks()[0].id, user=user, groups=groups)
    if allowed:
        case.do(command)
    else:
        with pytest.raises(TaskNotYours):
            case.do(command)
    assert case.status == ("COMPLETED" if allowed else "RUNNING")


def test_a_task_without_candidates_is_for_everybody(play: Play) -> None:
    case = _task(play)
    case.do(c.CompleteUserTask(task=case.tasks()[0].id, user="anybody"))
    assert case.status == "COMPLETED"


def test_claiming_makes_a_task_ones_own_until_it_is_given_back(play: Play) -> None:
    case = _task(play, "candidate_users=kim,lee")
    task = case.tasks()[0].id
    with pytest.raises(TaskNotYours):
        case.do(c.ClaimUserTask(task=task, user="mia"))
    case.do(c.ClaimUserTask(task=task, user="kim"))
    case.do(c.ClaimUserTask(task=task, user="kim"))
    assert case.tasks()[0].assignee == "kim"
    assert len(case.of(e.UserTaskClaimed)) == 1
    with pytest.raises(TaskNotYours):
        case.do(c.ClaimUserTask(task=task, user="lee"))
    with pytest.raises(TaskNotYours):
        case.do(c.UnclaimUserTask(task=task, user="lee"))
    case.do(c.UnclaimUserTask(task=task, user="kim"))
    case.do(c.UnclaimUserTask(task=task, user="kim"))
    assert case.tasks()[0].assignee is None
    case.do(c.ClaimUserTask(task=task, user="lee"))
    assert case.tasks()[0].assignee == "lee"


def test_blank_text_assigns_nobody(play: Play) -> None:
    case = _task(play, "assignee=kim")
    task = case.tasks()[0].id
    case.do(c.AssignUserTask(task=task, assignee="  "))
    assert case.tasks()[0].assignee is None
    case.do(c.AssignUserTask(task=task, assignee=""))
    case.do(c.AssignUserTask(task=task, assignee=None))
    assert len(case.of(e.UserTaskAssigned)) == 1
    case.do(c.AssignUserTask(task=task, assignee="lee"))
    assert case.tasks()[0].assignee == "lee"


def test_a_closed_task_is_neither_claimed_nor_assigned(play: Play) -> None:
    case = _task(play)
    task = case.tasks()[0].id
    case.complete("a")
    for command in (
        c.ClaimUserTask(task=task, user="kim"),
        c.UnclaimUserTask(task=task),
        c.AssignUserTask(task=task, assignee="kim"),
    ):
        with pytest.raises(TaskClosed):
            case.do(command)


@pytest.mark.parametrize("kind", ["task", "manual", "throw"])
def test_what_is_nothing_to_the_engine_passes_on(play: Play, kind: str) -> None:
    case = play.begin(f"""
        start s -> t
        {kind} t -> e
        end e
    """)
    assert case.status == "COMPLETED"
    assert case.passed()["t"] == 1


@pytest.mark.parametrize(
    ("roles", "assignee", "users", "groups"),
    [
        ("<humanPerformer>{}</humanPerformer>|${who}", "kim", (), ()),
        ("<performer>{}</performer>|lee", "lee", (), ()),
        (
            "<potentialOwner>{}</potentialOwner>|user(lee), group(sales), board, user(${who})",
            None,
            ("lee", "kim"),
            ("sales", "board"),
        ),
        ("<potentialOwner>{}</potentialOwner>|${teams}", None, (), ("a", "b")),
        ("<potentialOwner><resourceRef>r</resourceRef></potentialOwner>|", None, (), ("Managers",)),
        ("<resourceRole>{}</resourceRole>|user(x)", None, (), ()),
    ],
)
def test_resource_roles_say_who_may_do_a_task(
    play: Play, roles: str, assignee: str | None, users: tuple[str, ...], groups: tuple[str, ...]
) -> None:
    shape, text = roles.split("|")
    formal = f"<resourceAssignmentExpression><formalExpression>{text}</formalExpression></resourceAssignmentExpression>"
    task = f'<userTask id="a">{shape.format(formal)}</userTask>'
    play.host.deploy(
        bpmn('<startEvent id="s"/>', task, flows("s a"), roots='<resource id="r" name="Managers"/>')
    )
    (row,) = play.start(who="kim", teams=["a", "b"]).tasks()
    assert (row.assignee, row.candidate_users, row.candidate_groups) == (assignee, users, groups)
