"""A form that is sent as it was shown changes nothing, whatever browsers make of line breaks, spaces and moments."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.conf import LazySettings

from bpm import engine
from bpm.models import UserTask
from tests.api.definitions import END, START, bpmn, line
from tests.tasklist.definitions import FREE
from tests.tasklist.person import Person
from tests.tasklist.test_completing import values

_COMPONENTS: list[dict[str, Any]] = [
    {"type": "textfield", "key": "text"},
    {"type": "textarea", "key": "many"},
    {"type": "number", "key": "number"},
    {"type": "number", "key": "digits", "serializeToString": True},
    {"type": "checkbox", "key": "box"},
    {"type": "datetime", "subtype": "datetime", "key": "at", "timeSerializingFormat": "utc_normalized"},
    {"type": "datetime", "subtype": "date", "key": "day"},
    {"type": "datetime", "subtype": "time", "key": "hour"},
    {"type": "select", "key": "one", "values": [{"value": "a"}, {"value": "b"}]},
    {"type": "taglist", "key": "some", "values": [{"value": "a"}, {"value": "b"}]},
]
_DRAWN = bpmn(
    "drawn",
    START
    + '<userTask id="do" camunda:assignee="ann" camunda:formRef="f" camunda:formRefBinding="latest"/>'
    + END
    + line("start", "do", "end"),
)
VALUES: dict[str, Any] = {
    "text": " pad ",
    "many": "\n\nx\r\ny\n\rz\n ",
    "number": 1.5,
    "digits": "12",
    "box": True,
    "at": "2026-03-01T10:00:59.123+05:00",
    "day": "2026-03-01T23:00:00Z",
    "hour": "10:00:00.5",
    "one": "c",
    "some": ["z", "b", "a"],
}


def started(process: str, variables: dict[str, Any]) -> tuple[str, str]:
    """Return task and instance of a process that has just begun."""
    form = json.dumps({"id": "f", "components": _COMPONENTS}).encode()
    engine.deploy([("free.bpmn", FREE), ("drawn.bpmn", _DRAWN), ("f.form", form)])
    instance = str(engine.start(process, variables=variables)["instance_id"])
    return str(UserTask.objects.get(status="OPEN").id), instance


@pytest.mark.parametrize("process", ["free", "drawn"])
@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"text": "a\r\nb", "many": "\r\n", "box": False, "one": "a", "some": []},
        {"text": "a\rb", "many": "  ", "at": "soon", "day": "never", "hour": "late", "number": 10**30},
        {"text": "", "many": "", "at": "2026-03-01T10:00", "some": ["z"]},
    ],
)
def test_what_is_sent_as_it_was_shown_changes_nothing(
    ann: Person, db: None, process: str, changed: dict[str, Any]
) -> None:
    before = VALUES | changed
    task, instance = started(process, before)
    page = ann.open(task)
    assert ann.post(f"/tasks/{task}/complete/", page.as_rendered()).status == 302
    assert values(instance) == before


@pytest.mark.parametrize("process", ["free", "drawn"])
def test_what_is_typed_counts_with_its_spaces(ann: Person, db: None, process: str) -> None:
    task, instance = started(process, VALUES)
    typed = {"v-text": "  other ", "v-many": "\r\nmore\r\n", "v-number": " 2.5 ", "v-one": "b"}
    sent = {**ann.open(task).as_rendered(), **typed}
    assert ann.post(f"/tasks/{task}/complete/", sent).status == 302
    found = {"text": "  other ", "many": "\nmore\n", "one": "b"}
    assert values(instance) == VALUES | found | {"number": 2.5}


def test_a_text_that_is_made_empty_is_empty(ann: Person, db: None) -> None:
    task, instance = started("free", {"text": " pad ", "many": "a\nb"})
    sent = {**ann.open(task).as_rendered(), "v-text": "", "v-many": ""}
    assert ann.post(f"/tasks/{task}/complete/", sent).status == 302
    assert values(instance) == {"text": "", "many": ""}


def test_a_task_with_the_largest_values_can_be_completed(ann: Person, db: None) -> None:
    before = {"big": "x" * 3_900_000, "items": ["y" * 200_000], "note": "a", "wide": "\u4e00" * 99_000}
    task, instance = started("free", before)
    page = ann.open(task)
    assert len(page.text) < 400_000, "what cannot be changed here is not sent to and fro"
    assert page.tree.xpath("//input[@name='kept']/@value") == ["big", "items"]
    assert ann.post(f"/tasks/{task}/complete/", {**page.as_rendered(), "v-note": "b"}).status == 302
    assert values(instance) == before | {"note": "b"}


def test_many_values_that_fit_alone_but_not_together_do_not_stop_a_task(ann: Person, db: None) -> None:
    before = {f"v{number:02}": chr(0x4E00 + number) * 90_000 for number in range(12)}
    task, instance = started("free", before)
    assert ann.post(f"/tasks/{task}/complete/", ann.open(task).as_rendered()).status == 302
    assert values(instance) == before


@pytest.mark.parametrize("limit", [2_000, None])
def test_what_is_shown_follows_from_what_the_server_takes(
    ann: Person, db: None, settings: LazySettings, limit: int | None
) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = limit
    task, instance = started("free", {"long": "x" * 1_500, "short": "a"})
    sent = ann.open(task).as_rendered()
    assert ("v-long" in sent) == (limit is None)
    assert ann.post(f"/tasks/{task}/complete/", {**sent, "v-short": "b"}).status == 302
    assert values(instance) == {"long": "x" * 1_500, "short": "b"}


def test_the_page_counts_that_was_shown_when_a_value_has_changed_its_size_since(
    ann: Person, db: None
) -> None:
    task, instance = started("free", {"shrunk": "x" * 200_000, "grown": "a"})
    sent = ann.open(task).as_rendered()
    engine.set_variables(instance, variables={"shrunk": "x", "grown": "y" * 200_000})
    assert ann.post(f"/tasks/{task}/complete/", {**sent, "v-grown": "typed"}).status == 302
    assert values(instance) == {"shrunk": "x", "grown": "typed"}


def test_a_required_text_of_spaces_is_missing(ann: Person, db: None) -> None:
    form = {"id": "f", "components": [{"type": "textfield", "key": "text", "validate": {"required": True}}]}
    engine.deploy([("drawn.bpmn", _DRAWN), ("f.form", json.dumps(form).encode())])
    engine.start("drawn")
    task = str(UserTask.objects.get(status="OPEN").id)
    page = ann.open(task)
    assert ann.send(task, "complete", page, **{"v-text": "   "}).status == 422
    assert ann.send(task, "complete", page, **{"v-text": " a"}).status == 302
