"""What is read as a request body, and what is not."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from bpm.models import HistoryEvent, ProcessInstance
from bpm.shell.configuration import setting
from tests.api.caller import Api

pytestmark = pytest.mark.usefixtures("deployed")
START = "/process-instances"


@pytest.fixture(autouse=True)
def _nothing_is_written(db: None) -> object:
    yield
    assert HistoryEvent.objects.count() == 0
    assert ProcessInstance.objects.count() == 0


@pytest.mark.parametrize(
    ("content", "place", "rule"),
    [
        (b"", "/process_def_id", "required"),
        (b" ", "", "json"),
        (b"{", "", "json"),
        (b"{}{}", "", "json"),
        (b"{'process_def_id': 'minimal'}", "", "json"),
        (b'{"process_def_id": "minimal",}', "", "json"),
        (b'{"process_def_id": "minimal", "process_def_id": "fork"}', "", "json"),
        (b'{"process_def_id": "minimal", "variables": {"a": 1, "a": 2}}', "", "json"),
        (b'{"process_def_id": "minimal", "variables": {"a": NaN}}', "", "json"),
        (b'{"process_def_id": "minimal", "variables": {"a": -Infinity}}', "", "json"),
        (b'{"process_def_id": "minimal", "variables": {"a": ' + b"9" * 5_000 + b"}}", "", "json"),
        (b'{"process_def_id": "minimal", "variables": {"a": 1e99999999999999999999}}', "", "number"),
        (b'{"process_def_id": "minimal", "variables": {"a": ' + b"[" * 100_000, "", "depth"),
        (b'{"process_def_id": "mini\xff"}', "", "utf-8"),
        ('{"process_def_id": "minimal"}'.encode("utf-16"), "", "utf-8"),
        (b'\xef\xbb\xbf{"process_def_id": "minimal"}', "", "json"),
        (b'{"process_def_id": "mini\\u0000mal"}', "/process_def_id", "nul"),
        (b'{"process_def_id": "minimal", "variables": {"a": ["\\u0000"]}}', "/variables/a/0", "nul"),
        (b'{"process_def_id": "minimal", "variables": {"a\\u0000": 1}}', "/variables", "nul"),
        (b'{"process_def_id": "minimal", "variables": {"a": "\\ud800"}}', "/variables/a", "surrogate"),
        (b'{"process_def_id": "minimal", "business_key": "\\udfff"}', "/business_key", "surrogate"),
    ],
)
def test_text_that_is_not_exact_json_is_refused(api: Api, content: bytes, place: str, rule: str) -> None:
    answer = api.send(START, content, "application/json").problem(400, "RequestInvalid")
    assert answer.places == {(place, rule)}


def test_a_value_nested_deeper_than_it_can_be_stored_is_refused(api: Api) -> None:
    content = b'{"process_def_id": "minimal", "variables": {"deep": ' + b"[" * 70 + b"]" * 70 + b"}}"
    answer = api.send(START, content, "application/json").problem(400, "VariableInvalid")
    assert answer.places == {("/variables/deep", "variable")}


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "", "application/xml"]
)
def test_a_body_that_does_not_say_it_is_json_is_refused(api: Api, content_type: str) -> None:
    api.send(START, b'{"process_def_id": "minimal"}', content_type).problem(415, "MediaTypeUnsupported")


DEPLOY = "/process-definitions/deploy"


@pytest.mark.parametrize("coding", ["gzip", "GZIP", "br", "identity, gzip", "deflate", "x"])
@pytest.mark.parametrize("path", [START, DEPLOY, "/external-tasks/fetch-and-lock"])
def test_a_compressed_body_is_refused(api: Api, path: str, coding: str) -> None:
    sent = api.but(**{"content-encoding": coding})
    answer = sent.post(path, {"process_def_id": "minimal"}).problem(415, "MediaTypeUnsupported")
    assert answer.body["details"] == {"found": coding, "expected": "identity"}


@pytest.mark.parametrize("charset", ["iso-8859-1", "utf-16", '"latin-1"', "nonsense", "utf-8x"])
@pytest.mark.parametrize(
    ("path", "kind"),
    [(START, "application/json"), (DEPLOY, "application/xml"), (DEPLOY, "multipart/form-data; boundary=x")],
)
def test_a_body_in_another_character_set_is_refused(api: Api, path: str, kind: str, charset: str) -> None:
    answer = api.send(path, b"{}", f"{kind}; charset={charset}").problem(415, "MediaTypeUnsupported")
    assert answer.body["details"] == {"found": charset.strip('"'), "expected": "utf-8"}


def test_the_name_of_the_parameter_may_be_written_large(api: Api) -> None:
    api.send(START, b"{}", "application/json; Charset=UTF-16").problem(415, "MediaTypeUnsupported")


def test_the_character_set_of_a_body_does_not_change_the_query(api: Api) -> None:
    sent = api.but(**{"content-type": "text/plain; charset=iso-8859-1"})
    sent.get("/tasks", node="é").problem(415, "MediaTypeUnsupported")


@pytest.mark.parametrize("charset", ["utf-8", "UTF-8", '"utf-8"', "utf8"])
def test_a_body_may_say_that_it_is_what_it_is(api: Api, charset: str) -> None:
    sent = api.but(**{"content-encoding": "identity"})
    answer = sent.send(START, b"{}", f"application/json; charset={charset}").problem(400, "RequestInvalid")
    assert answer.places == {("/process_def_id", "required")}


def test_a_body_above_the_limit_is_refused_unread(api: Api, settings: Settings) -> None:
    settings.BPM = settings.BPM | {"MAX_BODY_BYTES": 1_000}
    for path in (START, "/external-tasks/fetch-and-lock", "/process-definitions/deploy"):
        content_type = "application/xml" if path.endswith("deploy") else "application/json"
        answer = api.send(path, b" " * 1_001, content_type).problem(413, "BodyTooLarge")
        assert answer.body["details"] == {"limit_bytes": 1_000}


def test_a_body_that_claims_an_absurd_length_is_refused(api: Api) -> None:
    answer = api.client.generic(
        "POST",
        f"/api/v1{START}",
        b"{}",
        content_type="application/json",
        headers=api.headers,
        CONTENT_LENGTH="9" * 4_000,
    )
    assert answer.status_code == 413


def test_a_value_above_the_limit_of_one_variable_is_refused(api: Api) -> None:
    limit: int = setting("MAX_VARIABLE_BYTES")
    body = {"process_def_id": "minimal", "variables": {"small": 1, "large": "x" * limit}}
    answer = api.post(START, body).problem(400, "VariableInvalid")
    assert answer.places == {("/variables/large", "variable")}


@pytest.mark.parametrize("tenant", ["x" * 101, "a\tb", "a\x00b", "ä"])
def test_a_tenant_that_breaks_the_rule_is_refused(api: Api, tenant: str) -> None:
    answer = api.post(START, {"process_def_id": "minimal"}, tenant=tenant).problem(400, "RequestInvalid")
    assert answer.places == {("x-tenant-id", "header")}
    answer = api.but(**{"x-tenant-id": tenant}).get("/tasks").problem(400, "RequestInvalid")
    assert answer.places == {("x-tenant-id", "header")}


@pytest.mark.parametrize("key", ["x" * 256, "a\x01b", "ö"])
def test_a_key_that_breaks_the_rule_is_refused(api: Api, key: str) -> None:
    answer = api.post(START, {"process_def_id": "minimal"}, key=key).problem(400, "RequestInvalid")
    assert answer.places == {("Idempotency-Key", "header")}
