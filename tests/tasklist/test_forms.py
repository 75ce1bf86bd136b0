"""Forms of Camunda JSON, of variables, and as deployed files."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bpm import engine
from bpm.core.errors import DefinitionInvalid
from bpm.models import FormDefinition, UserTask
from bpm.queries.forms import start_form, task_form
from tests.api.definitions import END, START, bpmn, line
from tests.tasklist.definitions import FORM_JSON, FREE, INVOICE, INVOICE_FORM
from tests.tasklist.person import Person
from tests.tasklist.test_completing import values

START_VARIABLES = {"known_tags": ["new", {"value": 2, "label": "Two"}], "order": {"kept": 1, "total": 1.5}}


@pytest.fixture
def decide(db: None) -> str:
    """A task with a form file."""
    engine.deploy([("invoice.bpmn", INVOICE), ("invoice.form", INVOICE_FORM)])
    engine.start("invoice", variables=START_VARIABLES)
    return str(UserTask.objects.get().id)


def _task_with(attributes: str, inside: str = "", process: str = "") -> str:
    task = f'<userTask id="do" camunda:assignee="ann" {attributes}>{inside}</userTask>'
    file = bpmn("p", process + START + task + END + line("start", "do", "end"))
    file = file.replace(b"<definitions ", b'<definitions xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" ')
    engine.deploy([("p.bpmn", file), ("other.form", INVOICE_FORM)])
    engine.start("p")
    return str(UserTask.objects.get(status="OPEN").id)


def test_components_become_fields(decide: str) -> None:
    form = task_form(decide, tenant="")
    found = {field.name: field for field in form.fields}
    assert [field.name for field in form.fields] == [
        "",
        "decision",
        "why",
        "order.total",
        "order.mail",
        "tags",
        "at",
        "code",
    ]
    assert (form.source, form.key, found["order.total"].value) == ("form", "invoice", 1.5)
    assert [(one.value, one.label) for one in found["tags"].options] == [("new", "new"), (2, "Two")]
    assert found["why"].conditional
    assert form.unsupported == ("component file: type filepicker",)
    assert (found["order.mail"].group, found["order.mail"].format) == ("Contact", "email")


def test_a_form_is_filled_in(ann: Person, decide: str) -> None:
    typed: dict[str, Any] = {
        "v-decision": "no",
        "v-why": "too dear\r\nfor us",
        "v-order.total": "12.50",
        "v-order.mail": "a@b.example",
        "v-tags": ["2", "new"],
        "v-at": "2026-03-01T10:00",
        "v-code": "ABC",
    }
    page = ann.send(decide, "complete", ann.open(decide), **typed)
    assert page.status == 302, page.texts("//*[@role='alert']")
    instance = str(UserTask.objects.get(id=decide).instance_id)
    found = values(instance)
    assert found["order"] == {"kept": 1, "total": pytest.approx(12.5), "mail": "a@b.example"}
    assert (found["tags"], found["why"]) == ([2, "new"], "too dear\nfor us")
    assert (found["at"], found["decision"], found["code"]) == ("2026-03-01T10:00:00+00:00", "no", "ABC")


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("v-decision", ""),
        ("v-decision", "maybe"),
        ("v-order.total", "-1"),
        ("v-order.total", "NaN"),
        ("v-order.mail", "nobody"),
        ("v-tags", "unknown"),
        ("v-at", "tomorrow"),
        ("v-code", "abc"),
        ("v-code", "A\x00C"),
    ],
)
def test_wrong_values_are_refused_at_their_fields(ann: Person, decide: str, name: str, typed: str) -> None:
    page = ann.send(
        decide, "complete", ann.open(decide), **({"v-decision": "yes", "v-code": "ABC"} | {name: typed})
    )
    assert page.status == 422
    assert len(page.tree.xpath("//*[contains(@class, 'wrong')]")) == 1
    link, *_ = page.tree.xpath("//*[@role='alert']//a/@href")
    assert page.tree.xpath("//*[@id=$id]", id=link.removeprefix("#")), "the summary leads to the field"
    assert UserTask.objects.get(id=decide).status == "OPEN"


def test_a_hidden_field_asks_for_nothing_and_gives_nothing(ann: Person, decide: str) -> None:
    page = ann.open(decide)
    assert not page.tree.xpath("//*[@name='v-why']")
    assert ann.send(decide, "fields", page, **{"v-decision": "no"}).tree.xpath("//*[@name='v-why']")
    assert ann.send(decide, "complete", page, **{"v-decision": "no", "v-code": "ABC"}).status == 422
    part = ann.send(decide, "fields", page, **{"v-decision": "yes", "v-code": "kept"})
    assert not part.tree.xpath("//*[@name='v-why']")
    assert part.value("v-code") == "kept"
    assert not part.tree.xpath("//*[@aria-invalid='true']")
    answer = ann.send(decide, "complete", page, **{"v-decision": "yes", "v-why": "x", "v-code": "ABC"})
    assert answer.status == 302
    assert "why" not in values(str(UserTask.objects.get(id=decide).instance_id))


def test_variables_without_form_are_fields_and_only_changes_are_set(ann: Person, db: None) -> None:
    engine.deploy([("free.bpmn", FREE)])
    before = {"big": 9007199254740993, "yes": True, "text": "a", "list": [1], "none": None, "part": 1.5}
    instance = engine.start("free", variables=before)["instance_id"]
    task = str(UserTask.objects.get().id)
    page = ann.open(task)
    typed = {
        "v-big": page.value("v-big"),
        "v-yes": "on",
        "v-text": "b",
        "v-list": page.value("v-list"),
        "v-none": page.value("v-none"),
        "v-part": page.value("v-part"),
        "more": '{"new": {"deep": [null]}}',
    }
    assert ann.send(task, "complete", page, **typed).status == 302
    assert values(instance) == before | {"text": "b", "new": {"deep": [None]}}
    from bpm.models import HistoryEvent

    sets = HistoryEvent.objects.filter(instance_id=instance, event_type="VariableSet").count()
    assert sets == len(before) + 2


def test_a_text_that_was_typed_for_variables_outlives_the_task(ann: Person, db: None) -> None:
    engine.deploy([("free.bpmn", FREE)])
    engine.start("free", variables={"text": "a"})
    task = str(UserTask.objects.get().id)
    page = ann.open(task)
    engine.complete_task(task)
    late = ann.send(task, "complete", page, **{"v-text": "mine"})
    assert (late.status, late.value("v-text")) == (409, "mine")


@pytest.mark.parametrize(
    ("attributes", "inside", "names"),
    [
        ('camunda:formKey="camunda-forms:deployment:other.form"', "", 8),
        ('camunda:formKey="invoice"', "", 8),
        ('camunda:formRef="invoice" camunda:formRefBinding="deployment"', "", 8),
        ('camunda:formRef="invoice" camunda:formRefBinding="version" camunda:formRefVersion="1"', "", 8),
        ("", '<extensionElements><zeebe:formDefinition formId="invoice"/></extensionElements>', 8),
        ('camunda:formRef="missing"', "", None),
        ('camunda:formKey="embedded:app:forms/x.html"', "", None),
        ('camunda:formKey="camunda-forms:deployment:gone.form"', "", None),
    ],
)
def test_forms_are_found_where_the_model_says(
    db: None, attributes: str, inside: str, names: int | None
) -> None:
    form = task_form(_task_with(attributes, inside), tenant="")
    if names is None:
        assert (form.source, len(form.unsupported)) == ("variables", 1)
    else:
        assert (form.source, len(form.fields)) == ("form", names)


def test_an_embedded_form_is_read(db: None) -> None:
    text = json.dumps({"components": [{"type": "textfield", "key": "x", "label": "X"}]})
    process = (
        f'<extensionElements><zeebe:userTaskForm id="F1">{text}</zeebe:userTaskForm></extensionElements>'
    )
    inside = '<extensionElements><zeebe:formDefinition formKey="camunda-forms:bpmn:F1"/></extensionElements>'
    form = task_form(_task_with("", inside, process), tenant="")
    assert [(field.name, field.label) for field in form.fields] == [("x", "X")]


def test_form_properties_are_fields(db: None) -> None:
    inside = (
        '<extensionElements><camunda:formProperty id="a" name="A" type="long" required="true" default="3"/>'
        '<camunda:formProperty id="b" variable="bee" type="enum"><camunda:value id="x" name="X"/>'
        '</camunda:formProperty><camunda:formProperty id="c" readable="false"/>'
        '<camunda:formProperty id="d" writable="false"/></extensionElements>'
    )
    form = task_form(_task_with("", inside), tenant="")
    assert [(one.name, one.type, one.required, one.read_only, one.value) for one in form.fields] == [
        ("a", "integer", True, False, 3),
        ("bee", "choice", False, False, None),
        ("d", "text", False, True, None),
    ]


def test_forms_have_versions_of_their_own(db: None) -> None:
    first = engine.deploy([("invoice.bpmn", INVOICE), ("invoice.form", INVOICE_FORM)])
    again = engine.deploy([("invoice.bpmn", INVOICE), ("invoice.form", INVOICE_FORM)])
    assert ([one["version"] for one in first["forms"]], again["forms"]) == ([1], [])
    assert not again["definitions"][0]["new"]
    changed = json.dumps(FORM_JSON | {"components": []}).encode()
    second = engine.deploy([("invoice.bpmn", INVOICE), ("invoice.form", changed)])
    assert [one["version"] for one in second["forms"]] == [2]
    assert not second["definitions"][0]["new"], "the process takes the latest form, whichever that is"
    assert FormDefinition.objects.count() == 2
    other = engine.deploy([("only.form", INVOICE_FORM)], tenant="t")
    assert (other["definitions"], other["forms"][0]["key"]) == ([], "invoice")


def test_a_changed_form_of_its_deployment_makes_a_new_version(db: None) -> None:
    bound = INVOICE.replace(b'formRef="invoice"', b'formKey="camunda-forms:deployment:f.form"')
    engine.deploy([("invoice.bpmn", bound), ("f.form", INVOICE_FORM)])
    changed = json.dumps(FORM_JSON | {"components": []}).encode()
    answer = engine.deploy([("invoice.bpmn", bound), ("f.form", changed)])
    assert (answer["definitions"][0]["new"], answer["definitions"][0]["version"]) == (True, 2)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[]", "components"),
        (b'{"components": [1]}', "list of objects"),
        (b'{"components": [{"type": "textfield"}]}', "no key"),
        (
            b'{"components": [{"type": "textfield", "key": "a"}, {"type": "number", "key": "a"}]}',
            "Two components",
        ),
        (b'{"a": 1, "a": 2, "components": []}', "twice"),
    ],
)
def test_a_broken_form_file_is_refused_with_its_name(db: None, content: bytes, words: str) -> None:
    with pytest.raises(DefinitionInvalid) as refused:
        engine.deploy([("invoice.bpmn", INVOICE), ("bad.form", content)])
    (problem,) = refused.value.problems
    assert (problem.resource, problem.rule) == ("bad.form", "form")
    assert words in problem.message


def test_a_start_form_has_its_defaults(order: None) -> None:
    from bpm.models import Definition

    definition, form = start_form(Definition.objects.get().id, tenant="")
    assert definition.process_def_id == "order"
    assert (form.business_key, [field.name for field in form.fields]) == ("order", ["order", "wish"])


def test_declared_data_are_fields_by_their_types(ann: Person, db: None) -> None:
    process = (
        '<dataObject id="d1" name="amount" itemSubjectRef="money"/><property id="note"/>'
        '<dataObject id="d2" isCollection="true"/><dataObjectReference id="r" dataObjectRef="d2" name="rows [new]"/>'
    )
    file = bpmn("p", process + START + '<userTask id="do"/>' + END + line("start", "do", "end"))
    item = b'<itemDefinition id="money" structureRef="xsd:decimal"/><process '
    engine.deploy([("p.bpmn", file.replace(b"<process ", item))])
    page = ann.get("/tasks/start/p/")
    assert page.texts("//form[@id='work']//label")[:3] == ["note", "amount", "rows"]
    wrong = ann.post("/tasks/start/p/", {**page.hidden(), "v-amount": "a lot", "v-note": "x", "v-rows": "[1"})
    assert len(wrong.tree.xpath("//*[@aria-invalid='true']")) == 2
    answer = ann.post("/tasks/start/p/", {**page.hidden(), "v-amount": "1.10", "v-note": "", "v-rows": "[1]"})
    assert answer.status == 302
    from bpm.models import ProcessInstance

    assert set(values(str(ProcessInstance.objects.get().id))) == {"amount", "rows"}


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Auckland", "America/Los_Angeles"])
def test_a_day_stays_that_day_and_a_moment_that_moment_in_every_zone(
    ann: Person, decide: str, zone: str
) -> None:
    ann.client.cookies["time_zone"] = zone
    engine.set_variables(
        str(UserTask.objects.get().instance_id), variables={"at": "2026-06-01T00:30:00+00:00"}
    )
    page = ann.open(decide)
    shown = {"UTC": "06-01T00:30", "Pacific/Auckland": "06-01T12:30", "America/Los_Angeles": "05-31T17:30"}
    assert page.value("v-at") == f"2026-{shown[zone]}"
    typed = {"v-decision": "yes", "v-code": "ABC", "v-at": page.value("v-at")}
    assert ann.send(decide, "complete", page, **typed).status == 302
    assert values(str(UserTask.objects.get(id=decide).instance_id))["at"] == "2026-06-01T00:30:00+00:00"


def test_a_date_is_never_moved(ann: Person, order: None) -> None:
    """P89: a day has no zone."""
    ann.client.cookies["time_zone"] = "America/Los_Angeles"
    variables = {"wish": "x", "number": 1, "day": "2026-03-01"}
    instance = str(engine.start("order", variables=variables)["instance_id"])
    task = str(UserTask.objects.get(status="OPEN").id)
    for _ in range(3):
        page = ann.open(task)
        assert page.value("v-day") == "2026-03-01"
        typed = {"v-amount": "1", "v-kind": "a", "v-day": page.value("v-day")}
        ann.send(task, "claim", page, **typed)
    assert ann.send(task, "complete", ann.open(task), **typed).status == 302
    assert values(instance)["day"] == "2026-03-01"
