"""/process-definitions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from bpm.models import Definition, Deployment
from tests.api.caller import NOBODY, Api
from tests.api.definitions import APPROVAL, DRAFT, MINIMAL, PAYMENT, bpmn

DEPLOY = "/process-definitions/deploy"


@pytest.mark.parametrize(
    "content_type",
    [
        "application/xml",
        "text/xml",
        "application/octet-stream",
        "application/bpmn+xml",
        "text/plain",
        "application/x-www-form-urlencoded",
        "",
    ],
)
def test_the_body_is_the_file_whatever_it_calls_itself(api: Api, content_type: str) -> None:
    body = api.send(DEPLOY, MINIMAL, content_type).ok(201)
    (definition,) = body["definitions"]
    assert (definition["key"], definition["version"], definition["new"]) == ("minimal", 1, True)
    assert body["warnings"] == []


def test_options_stand_in_the_query(api: Api) -> None:
    api.deploy(MINIMAL).ok(201)
    same = api.deploy(MINIMAL).ok(201)
    assert (same["definitions"][0]["version"], same["definitions"][0]["new"]) == (1, False)
    forced = api.deploy(MINIMAL, duplicate_filtering="false", name="second", resource="m.bpmn").ok(201)
    assert (forced["definitions"][0]["version"], forced["definitions"][0]["resource"]) == (2, "m.bpmn")
    assert Deployment.objects.get(id=forced["deployment_id"]).name == "second"
    assert Deployment.objects.get(id=forced["deployment_id"]).actor == "olga"
    assert not api.deploy(DRAFT).ok(201)["definitions"][0]["executable"]
    assert api.deploy(DRAFT, force_executable="true").ok(201)["definitions"][0]["executable"]


def _upload(api: Api, *files: tuple[str, bytes], **fields: str) -> Any:
    uploads = [SimpleUploadedFile(name, content) for name, content in files]
    return api.client.post(f"/api/v1{DEPLOY}", {"file": uploads, **fields}, headers=api.headers)


def test_several_files_are_one_deployment(api: Api) -> None:
    answer = _upload(api, ("a.bpmn", MINIMAL), ("b.bpmn", PAYMENT))
    assert answer.status_code == 201
    rows = api.get("/process-definitions").items
    assert [(row["process_def_id"], row["resource"]) for row in rows] == [
        ("minimal", "a.bpmn"),
        ("payment-flow", "b.bpmn"),
    ]
    assert len({row["deployment_id"] for row in rows}) == 1


def test_one_bad_file_refuses_all_of_them(api: Api) -> None:
    bad = bpmn("bad", '<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="nowhere"/>')
    answer = _upload(api, ("good.bpmn", MINIMAL), ("bad.bpmn", bad))
    assert answer.status_code == 422
    problems = answer.json()["problems"]
    assert {problem["resource"] for problem in problems} == {"bad.bpmn"}
    assert all(problem["rule"] and problem["message"] and problem["line"] > 0 for problem in problems)
    assert Definition.objects.count() == 0
    assert Deployment.objects.count() == 0


def test_a_form_without_file_or_with_other_fields_is_refused(api: Api) -> None:
    assert _upload(api).json()["errors"][0]["rule"] == "required"
    answer = _upload(api, ("a.bpmn", MINIMAL), name="x")
    assert answer.status_code == 400
    assert [(e["place"], e["rule"]) for e in answer.json()["errors"]] == [("/name", "unknown")]
    assert _upload(api, ("a.bpmn", MINIMAL), ("a.bpmn", PAYMENT)).status_code == 400
    api.send(DEPLOY, b"--x\r\nrubbish", "multipart/form-data; boundary=x").problem(400, "RequestInvalid")
    for kind in ("", "; boundary=", "; boundary=é", f"; boundary={'x' * 300}"):
        answer = api.send(DEPLOY, b"--x\r\n", f"multipart/form-data{kind}").problem(400, "RequestInvalid")
        assert answer.places == {("", "body")}
    assert Deployment.objects.count() == 0


SECRET = Path(__file__).resolve()
LAUGHS = "".join(
    f'<!ENTITY l{n} "{"&l" + str(n - 1) + ";" if n else "lol"}{"&l" + str(n - 1) + ";" if n else ""}">'
    for n in range(20)
)
HOSTILE = {
    "not XML": b"hello",
    "cut off": MINIMAL[:200],
    "nothing but a declaration": b'<?xml version="1.0"?>',
    "a bare process": b'<process id="p"/>',
    "another vocabulary": b"<html><body/></html>",
    "a DOCTYPE": MINIMAL.replace(b"<definitions", b"<!DOCTYPE definitions><definitions", 1),
    "an external entity": MINIMAL.replace(
        b"<definitions", f'<!DOCTYPE d [<!ENTITY x SYSTEM "file://{SECRET}">]><definitions'.encode(), 1
    ).replace(b'name="minimal">', b'name="minimal"><documentation>&x;</documentation>'),
    "a billion laughs": MINIMAL.replace(
        b"<definitions", f"<!DOCTYPE d [{LAUGHS}]><definitions".encode(), 1
    ).replace(b'name="minimal">', b'name="minimal"><documentation>&l19;</documentation>'),
    "depth": MINIMAL.replace(b"</process>", b"<a>" * 10_000 + b"</a>" * 10_000 + b"</process>"),
    "NUL": MINIMAL.replace(b'name="minimal"', b'name="mini\x00mal"'),
    "a wrong encoding": MINIMAL.replace(b"UTF-8", b"UTF-99"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_malformed_and_hostile_files_are_refused_with_place_and_rule(api: Api, kind: str) -> None:
    answer = api.deploy(HOSTILE[kind]).problem(422, "DefinitionInvalid")
    assert answer.body["problems"]
    assert all(problem["rule"] and problem["message"] for problem in answer.body["problems"])
    assert b"SECRET" not in answer.content
    assert Deployment.objects.count() == 0


def test_every_problem_of_a_file_is_named_at_once(api: Api) -> None:
    bad = bpmn("bad", '<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="a"/><task id="s"/>')
    problems = api.deploy(bad).problem(422, "DefinitionInvalid").body["problems"]
    assert len(problems) >= 2
    assert {problem["resource"] for problem in problems} == {"process.bpmn"}


def test_nothing_and_json_are_no_files(api: Api) -> None:
    assert api.send(DEPLOY, b"", "application/xml").problem(400, "RequestInvalid").places == {
        ("", "required")
    }
    api.send(DEPLOY, b"{}", "application/json").problem(415, "MediaTypeUnsupported")
    assert api.deploy(MINIMAL, colour="red").problem(400, "RequestInvalid").places == {("?colour", "unknown")}
    assert api.deploy(MINIMAL, force_executable="yes").places == {("?force_executable", "type")}


def test_a_version_is_shown_with_its_warnings_and_its_file(api: Api) -> None:
    (deployed,) = api.deploy(APPROVAL, resource="approval.bpmn").ok(201)["definitions"]
    shown = api.get(f"/process-definitions/{deployed['id']}").ok()
    assert shown["definition_id"] == deployed["id"]
    assert (shown["process_def_id"], shown["version"], shown["resource"]) == ("approval", 1, "approval.bpmn")
    assert shown["warnings"] == []
    file = api.get(f"/process-definitions/{deployed['id']}/xml")
    assert (file.status, file.content) == (200, APPROVAL)
    assert file.headers["Content-Type"] == "application/xml"
    assert file.headers["Content-Disposition"] == "attachment"


def test_the_file_comes_back_byte_for_byte(api: Api) -> None:
    odd = MINIMAL.decode().replace("UTF-8", "ISO-8859-1").replace('name="minimal"', 'name="Bestätigung"')
    content = odd.replace("\n", "\r\n").encode("latin-1") + b"\n<!-- tail -->"
    (deployed,) = api.deploy(content).ok(201)["definitions"]
    assert deployed["name"] == "Bestätigung"
    assert api.get(f"/process-definitions/{deployed['id']}/xml").content == content


def test_versions_are_listed_by_key_and_number_in_pages(api: Api) -> None:
    for content in (MINIMAL, PAYMENT, APPROVAL):
        for _ in range(2):
            api.deploy(content, duplicate_filtering="false").ok(201)
    expected = [(key, version) for key in ("approval", "minimal", "payment-flow") for version in (1, 2)]

    def pages(**query: object) -> list[tuple[str, int]]:
        seen: list[tuple[str, int]] = []
        cursor = None
        while True:
            page = api.get("/process-definitions", **query, **({"cursor": cursor} if cursor else {})).ok()
            seen += [(row["process_def_id"], row["version"]) for row in page["items"]]
            cursor = page["next"]
            if cursor is None:
                return seen

    assert pages(limit=1) == pages(limit=4) == pages() == expected
    assert pages(latest="true", limit=2) == [pair for pair in expected if pair[1] == 2]
    assert pages(process_def_id="minimal") == [("minimal", 1), ("minimal", 2)]


@pytest.mark.parametrize("path", ["", "/xml"])
@pytest.mark.parametrize("definition", [NOBODY, "1", "minimal", "%00"])
def test_a_version_that_is_not_there(api: Api, definition: str, path: str) -> None:
    api.get(f"/process-definitions/{definition}{path}").problem(404, "DefinitionNotFound")


def test_versions_are_of_their_tenant(api: Api) -> None:
    other = api.but(**{"x-tenant-id": "acme"})
    (deployed,) = other.deploy(MINIMAL).ok(201)["definitions"]
    assert api.get("/process-definitions").items == []
    api.get(f"/process-definitions/{deployed['id']}").problem(404, "DefinitionNotFound")
    api.get(f"/process-definitions/{deployed['id']}/xml").problem(404, "DefinitionNotFound")
    assert [row["tenant"] for row in other.get("/process-definitions").items] == ["acme"]
