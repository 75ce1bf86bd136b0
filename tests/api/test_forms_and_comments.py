"""/tasks/{id}/form, /tasks/{id}/comments, /process-definitions/{id}/start-form, and forms in deployments."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.api.caller import NOBODY, Api
from tests.tasklist.definitions import INVOICE, INVOICE_FORM, ORDER


@pytest.fixture
def task(api: Api) -> str:
    """A task with a form by formData."""
    api.deploy(ORDER).ok(201)
    instance = api.start("order", variables={"wish": "soon", "number": 7})
    (found,) = api.get("/tasks", instance_id=instance).items
    return str(found["task_id"])


def test_the_form_of_a_task(api: Api, task: str) -> None:
    form = api.get(f"/tasks/{task}/form").ok()
    assert (form["source"], form["documentation"]) == ("form", "Look closely.")
    amount, reason, kind, *_ = form["fields"]
    assert (amount["type"], amount["required"], amount["maximum"]) == ("integer", True, "9007199254740993")
    assert (reason["value"], reason["max_length"]) == ("soon", 20)
    assert kind["options"] == [{"value": "a", "label": "First"}, {"value": "b", "label": "Second"}]
    api.get(f"/tasks/{NOBODY}/form").problem(404, "TaskNotFound")
    api.get(f"/tasks/{task}/form", x=1).problem(400, "RequestInvalid")


def test_the_form_of_a_start(api: Api, task: str) -> None:
    (version,) = api.get("/process-definitions", process_def_id="order").items
    form = api.get(f"/process-definitions/{version['definition_id']}/start-form").ok()
    assert (form["business_key"], [field["name"] for field in form["fields"]]) == ("order", ["order", "wish"])
    api.get(f"/process-definitions/{NOBODY}/start-form").problem(404, "DefinitionNotFound")


def test_comments(api: Api, task: str) -> None:
    made = api.post(f"/tasks/{task}/comments", {"message": "Look at page 2.\nAnd 3."}, key="k").ok(201)
    again = api.post(f"/tasks/{task}/comments", {"message": "Look at page 2.\nAnd 3."}, key="k").ok(201)
    assert made == again
    api.post(f"/tasks/{task}/comments", {"message": "Yes."}).ok(201)
    first = api.get(f"/tasks/{task}/comments", limit=1).ok()
    second = api.get(f"/tasks/{task}/comments", limit=1, cursor=first["next"]).ok()
    found = [*first["items"], *second["items"]]
    assert [(one["author"], one["message"]) for one in found] == [
        ("olga", "Look at page 2.\nAnd 3."),
        ("olga", "Yes."),
    ]
    assert (found[0]["comment_id"], second["next"]) == (made["comment_id"], None)
    assert api.post(f"/tasks/{task}/comments", {"message": ""}).places == {("/message", "length")}
    api.post(f"/tasks/{task}/comments", {"message": " \n "}).problem(400, "Invalid")
    api.get(f"/tasks/{NOBODY}/comments").problem(404, "TaskNotFound")


def test_a_closed_task_takes_no_comment(api: Api, task: str) -> None:
    api.post(f"/tasks/{task}/complete", {}).ok()
    api.post(f"/tasks/{task}/comments", {"message": "late"}).problem(409, "TaskClosed")


def test_forms_are_deployed_as_files(api: Api) -> None:
    files = [SimpleUploadedFile("invoice.bpmn", INVOICE), SimpleUploadedFile("invoice.form", INVOICE_FORM)]
    answer = api.client.post("/api/v1/process-definitions/deploy", {"file": files}, headers=api.headers)
    body = json.loads(answer.content)
    assert (answer.status_code, [(one["key"], one["version"]) for one in body["forms"]]) == (
        201,
        [("invoice", 1)],
    )
