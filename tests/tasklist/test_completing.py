"""Doing tasks by their pages."""

from __future__ import annotations

from uuid import UUID

from bpm import engine
from bpm.models import ProcessInstance, UserTask, Variable
from bpm.queries.exact_json import from_outside
from tests.tasklist.person import Person

GOOD = {"v-amount": "9007199254740993", "v-reason": "none", "v-kind": "a", "v-day": "2026-12-25"}


def values(instance: str) -> dict[str, object]:
    rows = Variable.objects.filter(instance=UUID(instance)).values_list("name", "value")
    return {name: from_outside(text) for name, text in rows}


def test_the_form_shows_labels_defaults_and_values(ann: Person, check: str) -> None:
    page = ann.open(check)
    assert page.texts("//form[@id='work']//label | //form[@id='work']//legend")[0].startswith("Amount")
    assert "Look closely." in page.text
    assert (page.value("v-reason"), page.value("v-day"), page.value("v-number")) == (
        "soon",
        "2026-12-24",
        "7",
    )
    chosen = page.tree.xpath("//input[@name='v-kind' and @checked]")
    assert [one.get("value") for one in chosen] == ["b"]
    assert page.tree.xpath("//input[@name='v-paid' and @checked]")


def test_values_are_stored_by_type_and_the_next_step_is_shown(ann: Person, check: str, started: str) -> None:
    page = ann.open(check)
    answer = ann.send(check, "complete", page, **GOOD)
    assert (answer.status, answer.location.startswith("/tasks/after/")) == (302, True)
    expected = {
        "amount": 9007199254740993,
        "reason": "none",
        "kind": "a",
        "paid": False,
        "day": "2026-12-25",
        "number": 7,
        "wish": "soon",
    }
    assert values(started) == expected
    after = ann.get(answer.location)
    assert "Ship order" in after.text
    assert "waits for a person" in after.text


def test_what_is_wrong_is_said_at_its_field_and_nothing_is_lost(ann: Person, check: str) -> None:
    typed = {**GOOD, "v-amount": "0x", "v-reason": "far more than twenty characters"}
    page = ann.send(check, "complete", ann.open(check), **typed)
    assert page.status == 422
    assert (page.value("v-amount"), page.value("v-reason")) == ("0x", typed["v-reason"])
    wrong = page.tree.xpath("//*[@aria-invalid='true']")
    assert {one.get("name") for one in wrong} == {"v-amount", "v-reason"}
    for one in wrong:
        (described, *_) = one.get("aria-describedby").split()
        assert page.tree.xpath("//*[@id=$id]", id=described)[0].text_content().strip()
    assert len(page.tree.xpath("//*[@role='alert']//li/a")) == 2
    assert UserTask.objects.get(id=check).status == "OPEN"


def test_a_form_that_is_sent_twice_counts_once(ann: Person, check: str) -> None:
    page = ann.open(check)
    first = ann.send(check, "complete", page, **GOOD)
    second = ann.send(check, "complete", page, **GOOD)
    assert (first.status, second.status) == (302, 302)


def test_who_comes_second_is_told_and_keeps_the_text(ann: Person, bob: Person, check: str) -> None:
    page = bob.open(check)
    ann.send(check, "complete", ann.open(check), **GOOD)
    late = bob.send(check, "complete", page, **{**GOOD, "v-reason": "bob's words"})
    assert late.status == 409
    assert "Somebody else was faster" in late.text
    assert late.value("v-reason") == "bob's words"


def test_who_lost_the_task_meanwhile_is_told_and_keeps_the_text(
    ann: Person, bob: Person, olga: Person, check: str
) -> None:
    """P107: who fills in a form of a task that is given to somebody else meanwhile is refused, and keeps the text."""
    ann.send(check, "claim", ann.open(check))
    page = ann.open(check)
    engine.update_task(check, changes={"assignee": "zoe", "candidate_users": []})
    late = ann.send(check, "complete", page, **{**GOOD, "v-reason": "my words"})
    assert (late.status, late.value("v-reason")) == (409, "my words")
    assert UserTask.objects.get(id=check).status == "OPEN"
    assert ann.get(f"/tasks/{check}/").status == 404
    assert ann.post(f"/tasks/{check}/complete/", GOOD).status == 404


def test_only_who_may_completes(ann: Person, person_named, check: str) -> None:  # type: ignore[no-untyped-def]
    other = person_named("otto")
    assert other.get(f"/tasks/{check}/").status == 404
    assert other.post(f"/tasks/{check}/complete/", GOOD).status in (403, 404)
    assert UserTask.objects.get(id=check).status == "OPEN"


def test_an_operator_acts_for_others(olga: Person, check: str, started: str) -> None:
    page = olga.open(check)
    assert "You act as an operator" in page.text
    assert olga.post(f"/tasks/{check}/complete/", GOOD).status == 409
    assert olga.send(check, "complete", page, **GOOD).status == 302
    assert ProcessInstance.objects.get(id=started).status == "RUNNING"
