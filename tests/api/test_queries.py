"""What stands in a query: known parameters, each once, in UTF-8."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from api.openapi import document
from bpm.models import Deployment, HistoryEvent
from tests.api.caller import NOBODY, Api
from tests.api.definitions import MINIMAL

NOT_UTF8 = ["%ff", "%ED%A0%80", "a%c3", "%c0%af", "%f5%80%80%80"]
CALLS = [
    (method.upper(), re.sub(r"\{\w+\}", NOBODY, path.removeprefix("/api/v1")), call)
    for path, methods in document()["paths"].items()
    for method, call in methods.items()
]


def _send(api: Api, method: str, path: str) -> Any:
    return api.get(path) if method == "GET" else api.send_as(method, path, {})


def test_every_call_refuses_parameters_that_it_does_not_know(api: Api) -> None:
    for method, path, _ in CALLS:
        answer = _send(api, method, f"{path}?zork=1").problem(400, "RequestInvalid")
        assert answer.places == {("?zork", "unknown")}, (method, path)
    assert len(CALLS) > 80
    assert HistoryEvent.objects.count() == 0


def test_what_is_not_in_the_document_has_no_parameters_either(api: Api) -> None:
    assert api.get("/openapi.json", zork=1).problem(400, "RequestInvalid").places == {("?zork", "unknown")}
    api.send_as("PUT", "/tasks?zork=1").problem(405, "MethodNotAllowed")
    api.send_as("OPTIONS", "/tasks?limit=1&zork=1").ok()


def test_every_text_of_every_call_is_utf_8(api: Api) -> None:
    texts = {
        (method, path, parameter["name"])
        for method, path, call in CALLS
        for parameter in call.get("parameters", ())
        if parameter["in"] == "query"
    }
    assert len(texts) > 40
    for method, path, name in texts:
        answer = _send(api, method, f"{path}?{name}=%ff").problem(400, "RequestInvalid")
        assert answer.places == {(f"?{name}", "utf-8")}, (method, path)


@pytest.mark.parametrize("text", NOT_UTF8)
def test_bytes_that_are_no_text_are_refused_and_not_stored(api: Api, text: str) -> None:
    answer = api.get(f"/process-instances?business_key={text}&limit=1").problem(400, "RequestInvalid")
    assert answer.places == {("?business_key", "utf-8")}
    path = f"/process-definitions/deploy?resource=a.bpmn&name={text}"
    answer = api.send(path, MINIMAL, "application/xml").problem(400, "RequestInvalid")
    assert answer.places == {("?name", "utf-8")}
    assert Deployment.objects.count() == 0


def test_the_name_of_a_parameter_and_each_of_several_are_looked_at(api: Api) -> None:
    answer = api.get("/tasks?%ff=1&node=%ff&process_def_id=%fe").problem(400, "RequestInvalid")
    assert answer.places == {("?�", "utf-8"), ("?node", "utf-8"), ("?process_def_id", "utf-8")}


@pytest.mark.parametrize("text", ["%C3%A9", "é", "%F0%90%90%80", "a+b%2B", "%EF%BF%BD", "%zz", "%"])
def test_every_utf_8_is_text(api: Api, text: str) -> None:
    assert api.get(f"/process-instances?business_key={text}").items == []


def test_bytes_that_are_not_even_escaped_are_looked_at(api: Api) -> None:
    for text, status in (("\xff", 400), ("é".encode().decode("latin-1"), 200)):
        answer = api.client.get("/api/v1/tasks", headers=api.headers, QUERY_STRING=f"node={text}")
        assert answer.status_code == status


@pytest.mark.parametrize(
    ("name", "rule"),
    [(b'filename="a\xff.bpmn"', "required"), (b"filename*=UTF-8''a%ff.bpmn", "file-name")],
)
def test_the_name_of_a_file_in_a_form_is_utf_8(api: Api, name: bytes, rule: str) -> None:
    head = b'--x\r\nContent-Disposition: form-data; name="file"; ' + name
    body = head + b"\r\n\r\n" + MINIMAL + b"\r\n--x--\r\n"
    answer = api.send("/process-definitions/deploy", body, "multipart/form-data; boundary=x")
    assert answer.problem(400, "RequestInvalid").places == {("", rule)}
    assert Deployment.objects.count() == 0
    form = {"file": SimpleUploadedFile("é.bpmn", MINIMAL)}
    sent = api.client.post("/api/v1/process-definitions/deploy", form, headers=api.headers)
    assert sent.status_code == 201
