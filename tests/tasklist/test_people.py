"""Claiming, giving back, delegating, commenting by the pages."""

from __future__ import annotations

import json

from bpm import engine
from bpm.models import Comment, ProcessInstance, UserTask
from tests.api.definitions import END, START, bpmn, line
from tests.tasklist.person import Person

TYPED = {"v-amount": "5", "v-reason": "half typed", "v-kind": "b", "v-day": "2026-12-24", "v-paid": "on"}


def test_claiming_keeps_what_is_typed(ann: Person, bob: Person, check: str) -> None:
    page = ann.send(check, "claim", ann.open(check), **TYPED)
    assert (page.status, page.value("v-reason"), page.value("v-amount")) == (200, "half typed", "5")
    assert UserTask.objects.get(id=check).assignee == "ann"
    untouched = {"v-reason": "soon", "v-kind": "b", "v-day": "2026-12-24", "v-paid": "on", "v-amount": ""}
    assert ann.send(check, "release", ann.open(check), **untouched).status == 302
    assert UserTask.objects.get(id=check).assignee is None


def test_one_of_two_claims_wins(ann: Person, bob: Person, check: str) -> None:
    first, second = ann.open(check), bob.open(check)
    assert ann.send(check, "claim", first).status in (200, 302)
    late = bob.send(check, "claim", second, **TYPED)
    assert (late.status, late.value("v-reason")) == (409, "half typed")
    assert UserTask.objects.get(id=check).assignee == "ann"


def test_a_delegated_task_comes_back(ann: Person, bob: Person, check: str) -> None:
    ann.send(check, "claim", ann.open(check))
    page = ann.send(check, "delegate", ann.open(check), person="bob")
    assert page.status == 302
    row = UserTask.objects.get(id=check)
    assert (row.assignee, row.owner, row.delegation) == ("bob", "ann", "PENDING")
    page = bob.open(check)
    assert "Give back to ann" in page.text
    assert bob.send(check, "complete", page, **TYPED).status == 302
    row = UserTask.objects.get(id=check)
    assert (row.status, row.assignee, row.delegation) == ("OPEN", "ann", "RESOLVED")
    page = ann.open(check)
    assert page.value("v-reason") == "half typed"
    assert ann.send(check, "complete", page, **TYPED).status == 302
    assert UserTask.objects.get(id=check).status == "COMPLETED"


def test_a_delegation_names_somebody(ann: Person, check: str) -> None:
    ann.send(check, "claim", ann.open(check))
    page = ann.send(check, "delegate", ann.open(check), person="  ")
    assert page.status == 422
    assert page.texts("//*[@id='person-error']") == ["Enter the name of a user."]


def test_an_operator_assigns(ann: Person, olga: Person, check: str) -> None:
    assert olga.send(check, "delegate", olga.open(check), person="ann", assign="1").status == 302
    assert UserTask.objects.get(id=check).assignee == "ann"
    page = ann.open(check)
    ann.send(check, "delegate", page, person="zoe", assign="1")
    row = UserTask.objects.get(id=check)
    assert (row.assignee, row.owner) == ("zoe", "ann"), "who is no operator delegates"


def test_comments_are_kept_with_their_authors(ann: Person, bob: Person, check: str) -> None:
    assert ann.send(check, "comment", ann.open(check), message=" first\r\nline ").status == 302
    part = bob.post(
        f"/tasks/{check}/comment/", {"message": "second"}, **{"hx-request": "true", "hx-target": "comments"}
    )
    assert "<html" not in part.text
    assert "first<br>line" in part.text
    assert part.texts("//*[@class='said']")[1] == "second"
    assert list(Comment.objects.order_by("id").values_list("author", "message")) == [
        ("ann", "first\nline"),
        ("bob", "second"),
    ]


def test_a_comment_that_says_nothing_is_refused_and_a_long_one_is_kept(ann: Person, check: str) -> None:
    assert ann.send(check, "comment", ann.open(check), message=" ").status == 422
    page = ann.send(check, "comment", ann.open(check), message="x" * 4001)
    assert (page.status, page.value("message")) == (422, "x" * 4001)
    assert not Comment.objects.exists()


def test_looking_changes_nothing(ann: Person, check: str) -> None:
    for what in ("complete", "claim", "release", "delegate", "comment", "fields"):
        assert ann.get(f"/tasks/{check}/{what}/").status == 405


def test_where_the_first_wins_the_other_task_is_gone(ann: Person, bob: Person) -> None:
    """P112: of two tasks of which one is enough, the other is taken off the lists and cannot be done any more."""
    enough = (
        '<multiInstanceLoopCharacteristics camunda:collection="${people}" camunda:elementVariable="who">'
        "<completionCondition>${nrOfCompletedInstances &gt;= 1}</completionCondition>"
        "</multiInstanceLoopCharacteristics>"
    )
    task = f'<userTask id="vote" name="Vote" camunda:candidateUsers="${{who}}">{enough}</userTask>'
    engine.deploy([("ballot.bpmn", bpmn("ballot", START + task + END + line("start", "vote", "end")))])
    started = str(engine.start("ballot", variables={"people": ["ann", "bob"]})["instance_id"])
    tasks = {
        json.loads(users)[0]: str(one) for one, users in UserTask.objects.values_list("id", "candidate_users")
    }
    late = bob.open(tasks["bob"])
    assert not late.tree.xpath("//*[starts-with(@name, 'v-nrOf') or @name='v-loopCounter']")
    sent = ann.send(tasks["ann"], "complete", ann.open(tasks["ann"]))
    assert sent.status == 302
    assert ProcessInstance.objects.get(id=started).status == "COMPLETED"
    assert UserTask.objects.get(id=tasks["bob"]).status == "CANCELLED"
    assert tasks["bob"] not in bob.get("/tasks/?list=all").text + bob.get("/tasks/?list=groups").text
    assert bob.send(tasks["bob"], "claim", late).status in (404, 409)
    assert bob.send(tasks["bob"], "complete", late).status in (404, 409)
    assert UserTask.objects.get(id=tasks["bob"]).assignee is None
