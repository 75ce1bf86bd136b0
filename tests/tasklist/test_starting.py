"""Starting processes by their forms."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bpm import engine
from bpm.models import ProcessInstance
from tests.api.definitions import END, START, WAITING, bpmn, line
from tests.tasklist.person import Person
from tests.tasklist.test_completing import values


def test_a_process_is_started_by_its_form(ann: Person, order: None) -> None:
    assert "order" in ann.get("/tasks/start/").texts("//a[contains(@class, 'name')]")
    page = ann.get("/tasks/start/order/")
    wrong = ann.post("/tasks/start/order/", {**page.hidden(), "v-order": "", "v-wish": "kept"})
    assert (wrong.status, wrong.value("v-wish")) == (422, "kept")
    assert not ProcessInstance.objects.exists()
    typed = {**page.hidden(), "v-order": "O-1", "v-wish": "soon"}
    answer = ann.post("/tasks/start/order/", typed)
    assert ann.post("/tasks/start/order/", typed).location.startswith("/tasks/after/")
    row = ProcessInstance.objects.get()
    assert row.business_key == "O-1"
    assert values(str(row.id)) == {"order": "O-1", "wish": "soon"}
    after = ann.get(answer.location)
    assert "order was started" in after.text
    assert after.texts("//*[@aria-labelledby='next-title']//a") == ["Check order"]


def test_what_comes_after_is_for_who_did_it(ann: Person, bob: Person, order: None) -> None:
    answer = ann.post("/tasks/start/order/", {"v-order": "O-1"})
    assert ann.get(answer.location).status == 200
    assert bob.get(answer.location).status == 404
    assert ann.get("/tasks/after/forged/").status == 404


def test_without_a_form_variables_are_given_as_json(ann: Person, db: None) -> None:
    engine.deploy(
        [("free.bpmn", bpmn("free", START + '<userTask id="do"/>' + END + line("start", "do", "end")))]
    )
    page = ann.post("/tasks/start/free/", {"more": '{"a": 1,', "business_key": "B"})
    assert (page.status, page.value("more"), page.value("business_key")) == (422, '{"a": 1,', "B")
    assert (
        ann.post("/tasks/start/free/", {"more": '{"a": 9007199254740993}', "business_key": "B"}).status == 302
    )
    row = ProcessInstance.objects.get()
    assert (row.business_key, values(str(row.id))) == ("B", {"a": 9007199254740993})


def test_what_cannot_be_started_is_not_offered(ann: Person, db: None) -> None:
    message = '<startEvent id="s"><messageEventDefinition messageRef="m"/></startEvent><userTask id="u"/>'
    file = bpmn("by-message", message + line("s", "u")).replace(
        b"<process ", b'<message id="m" name="go"/><process '
    )
    engine.deploy([("m.bpmn", file), ("w.bpmn", WAITING)])
    assert ann.get("/tasks/start/").texts("//a[contains(@class, 'name')]") == ["waiting"]
    assert ann.get("/tasks/start/by-message/").status == 404
    engine.suspend_definition(str(_definition("waiting")))
    page = ann.post("/tasks/start/waiting/", {"business_key": "kept"})
    assert (page.status, page.value("business_key")) == (409, "kept")


def _definition(key: str) -> object:
    from bpm.models import Definition

    return Definition.objects.get(key=key).id


@pytest.mark.parametrize(("name", "may"), [("ann", True), ("bob", True), ("zoe", False)])
def test_candidate_starters_start(person_named: Callable[..., Person], name: str, may: bool) -> None:
    file = bpmn("closed", START + '<userTask id="do"/>' + line("start", "do"))
    narrowed = b'camunda:candidateStarterUsers="ann" camunda:candidateStarterGroups="shippers" isExecutable'
    engine.deploy([("closed.bpmn", file.replace(b"isExecutable", narrowed))])
    person = person_named(name, *(["shippers"] if name == "bob" else []))
    assert (person.get("/tasks/start/closed/").status == 200) is may
    assert (person.post("/tasks/start/closed/", {}).status == 302) is may
    assert ProcessInstance.objects.exists() is may


def test_who_may_not_start_does_not(person_named: Callable[..., Person], order: None) -> None:
    person = person_named("cora", may=("complete",))
    assert person.get("/tasks/start/").status == 403
    assert "/tasks/start/" not in person.get("/tasks/").text
    assert person.post("/tasks/start/order/", {"v-order": "1"}).status == 403
