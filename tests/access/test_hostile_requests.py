"""Bodies, headers, names and files that try to be more than they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from bpm import engine
from bpm.models import Definition, HistoryEvent, ProcessInstance, Resource
from tests.access.conftest import token_of
from tests.access.routes import routes
from tests.api.caller import Api
from tests.api.definitions import END, EVERY, MINIMAL, START, bpmn, flow, line

pytestmark = pytest.mark.usefixtures("deployed")


@pytest.fixture
def api(db: None) -> Api:
    """Somebody who may do everything: what is refused is refused for what it is."""
    return token_of(User.objects.create_superuser("root"))


class TestMassAssignment:
    """Fields that a call has not are refused, not taken over."""

    PLANTED: ClassVar[dict[str, Any]] = {
        "actor": "somebody else",
        "tenant": "acme",
        "id": "00000000-0000-7000-8000-000000000001",
        "is_superuser": True,
        "status": "COMPLETED",
        "last_sequence": 9,
        "__class__": "x",
    }

    def test_in_every_body(self, api: Api) -> None:
        wrong, asked = [], 0
        for route in routes():
            if not route.of_api or route.template.endswith(("/deploy", "external-tasks/complete")):
                continue
            for method in (
                {"POST", "PUT", "PATCH"} & set(route.methods) if "rest" not in route.template else ()
            ):
                asked += 1
                answer = api.send_as(method, route.address().removeprefix("/api/v1"), self.PLANTED)
                places = answer.places if answer.status == 400 else set()
                # A body may have a field of that name by right; all the others are unknown.
                unknown = {place for place, rule in places if rule == "unknown"}
                if not {"/actor", "/tenant", "/is_superuser", "/last_sequence", "/__class__"} <= unknown:
                    wrong.append(f"{method} {route.template}: {answer.status} {places}")
        assert not wrong
        assert asked > 40

    def test_in_every_query(self, api: Api) -> None:
        for route in routes():
            if (
                not route.of_api
                or "GET" not in route.methods
                or (rule := route.rule("GET")) is None
                or rule.public
            ):
                continue
            path = route.address().removeprefix("/api/v1")
            answer = api.get(path, tenant="acme", actor="x", instance__tenant="acme")
            assert answer.status in (400, 404), route.template
            if answer.status == 400:
                assert {place for place, _ in answer.places} >= {"?actor", "?tenant", "?instance__tenant"}

    def test_the_actor_is_who_calls(self, api: Api) -> None:
        api.but(**{"x-actor": "eve", "remote-user": "eve", "x-forwarded-user": "eve"}).start("approval")
        assert set(HistoryEvent.objects.values_list("actor", flat=True)) == {"root"}


class TestHeaders:
    """Headers in, headers out."""

    @pytest.mark.parametrize("name", ["x-tenant-id", "idempotency-key"])
    @pytest.mark.parametrize("value", ["a\r\nset-cookie: x=1", "a\nb", "\x00", "é", "x" * 300])
    def test_what_is_no_plain_text_is_refused(self, api: Api, name: str, value: str) -> None:
        answer = api.but(**{name: value}).post("/process-instances", {"process_def_id": "minimal"})
        assert answer.problem(400, "RequestInvalid").places
        assert not ProcessInstance.objects.exists()

    def test_names_do_not_split_an_answer(self, api: Api) -> None:
        nasty = 'a"; filename=evil.exe\r\nSet-Cookie: stolen=1'
        api.send(f"/process-definitions/deploy?{_query(resource=nasty)}", MINIMAL, "application/xml").problem(
            400, "RequestInvalid"
        )
        for definition in Definition.objects.all():
            answer = api.get(f"/process-definitions/{definition.pk}/xml")
            assert answer.headers["Content-Disposition"].startswith("attachment")
            assert "Set-Cookie" not in answer.headers

    def test_the_host_is_one_of_ours(self, api: Api) -> None:
        answer = api.but(host="evil.example").post("/process-instances", {"process_def_id": "minimal"})
        assert answer.status == 400
        assert b"evil.example" not in answer.content
        location = api.but(**{"x-forwarded-host": "evil.example"}).post(
            "/process-instances", {"process_def_id": "minimal"}
        )
        assert location.headers["Location"].startswith("http://localhost/")

    def test_every_answer_forbids_to_guess_its_type_and_to_frame_it(self, api: Api) -> None:
        for path in ("/process-instances", "/nothing", "/docs", "/openapi.json", "/tasks/1"):
            headers = api.get(path).headers
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["X-Frame-Options"] == "DENY"
            assert "default-src 'none'" in headers["Content-Security-Policy"]
            assert "unsafe" not in headers["Content-Security-Policy"]


def _query(**values: str) -> str:
    from urllib.parse import urlencode

    return urlencode(values)


class TestUploads:
    """Files with names that lead elsewhere, and files that are none of ours."""

    @staticmethod
    def _form(api: Api, name: str, content: bytes) -> Any:
        body = b'--b\r\nContent-Disposition: form-data; name="file"; filename="%b"\r\n\r\n%b\r\n--b--\r\n' % (
            name.encode(),
            content,
        )
        return api.send("/process-definitions/deploy", body, "multipart/form-data; boundary=b")

    @pytest.mark.parametrize(
        "name",
        [
            "../../../../tmp/evil.bpmn",
            "/etc/evil.bpmn",
            "..\\\\..\\\\evil.bpmn",
            "C:\\\\evil.bpmn",
            "a/../../evil.bpmn",
            "....//evil.bpmn",
            "%2e%2e%2fevil.bpmn",
            "~/evil.bpmn",
        ],
    )
    def test_a_name_is_a_name_only(self, api: Api, name: str) -> None:
        before = _files()
        answer = self._form(api, name, MINIMAL.replace(b'name="minimal"', b'name="other"'))
        assert answer.status in (201, 400)
        for stored in Resource.objects.values_list("name", flat=True):
            assert not {"/", "\\"} & set(stored), stored
        assert _files() == before

    @pytest.mark.parametrize("name", ["../evil.bpmn", "/etc/passwd", "a\\b.bpmn", "..", "."])
    def test_a_body_of_its_own_has_such_a_name_too(self, api: Api, name: str) -> None:
        api.deploy(MINIMAL, resource=name).problem(400, "RequestInvalid")
        assert Resource.objects.count() == len(EVERY)

    def test_archives_are_not_opened(self, api: Api) -> None:
        import io
        import zipfile

        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("../../evil.bpmn", MINIMAL)
        assert self._form(api, "a.zip", packed.getvalue()).problem(422, "DefinitionInvalid")
        api.send("/process-definitions/deploy", packed.getvalue(), "application/zip").problem(
            422, "DefinitionInvalid"
        )

    @pytest.mark.parametrize(
        "content_type",
        ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\xe9"],
    )
    def test_broken_forms_are_refused(self, api: Api, content_type: str) -> None:
        answer = api.send("/process-definitions/deploy", b"--b\r\nnothing", content_type)
        assert answer.status in (400, 415)


def _files() -> set[Path]:
    roots = (Path(settings.VAR_DIR), Path("/etc"), Path(settings.BASE_DIR))
    return {path for root in roots for path in root.glob("*evil*")} | set(Path("/tmp").glob("evil*"))


_DOCTYPE = (
    '<?xml version="1.0"?><!DOCTYPE d [{entities}]>'
    '<definitions xmlns="{ns}" id="d" targetNamespace="t">{body}</definitions>'
)
_NS = "http://www.omg.org/spec/BPMN/20100524/MODEL"
_LAUGHS = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
_BOMBS = {
    "billion laughs": (_LAUGHS, "<process id='p' isExecutable='true' name='&a11;'/>"),
    "quadratic": (
        f'<!ENTITY q "{"x" * 100_000}">',
        f"<process id='p'><documentation>{'&q;' * 5_000}</documentation></process>",
    ),
    "a file": (
        '<!ENTITY f SYSTEM "file:///etc/passwd">',
        "<process id='p'><documentation>&f;</documentation></process>",
    ),
    "a network address": (
        '<!ENTITY f SYSTEM "http://127.0.0.1:9/x">',
        "<process id='p'><documentation>&f;</documentation></process>",
    ),
    "a parameter entity": ('<!ENTITY % f SYSTEM "file:///etc/passwd"> %f;', "<process id='p'/>"),
}


@pytest.mark.parametrize("bomb", _BOMBS)
def test_xml_bombs_do_not_go_off(api: Api, bomb: str) -> None:
    entities, body = _BOMBS[bomb]
    content = _DOCTYPE.format(entities=entities, body=body, ns=_NS).encode()
    answer = api.deploy(content).problem(422, "DefinitionInvalid")
    assert b"root:" not in answer.content
    assert len(answer.content) < 100_000


def test_deep_and_wide_files_are_refused_or_read(api: Api) -> None:
    deep = "<subProcess id='s'>" * 20_000 + "</subProcess>" * 20_000
    assert api.deploy(bpmn("deep", START + deep + END + line("start", "end"))).status == 422
    include = (
        '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd" parse="text"/>'
    )
    answer = api.deploy(
        bpmn("included", f"<documentation>{include}</documentation>" + START + END + line("start", "end"))
    )
    assert b"root:" not in answer.content
    assert not any(
        b"root:" in bytes(content) for content in Resource.objects.values_list("content", flat=True)
    )


_INJECTIONS = (
    "' OR '1'='1",
    "'; DROP TABLE bpm_token; --",
    '" OR 1=1 --',
    "%' AND 1=CAST((SELECT 1) AS int) --",
    "%s%s%(x)s",
    "{0}{a.__class__}",
    "$$;SELECT pg_sleep(9)",
    "a\\'; SELECT 1",
    "%",
    "_",
)


@pytest.mark.parametrize("text", _INJECTIONS)
def test_texts_are_not_statements(api: Api, text: str) -> None:
    instance = api.start("approval", business_key="plain", variables={"plain": 1})
    wrong = []
    for route in routes():
        if not route.of_api or "GET" not in route.methods or "<" in route.template:
            continue
        for name in (
            "process_def_id",
            "business_key",
            "node",
            "status",
            "kind",
            "cursor",
            "task_type",
            "assignee",
        ):
            answer = api.get(route.address().removeprefix("/api/v1"), **{name: text})
            if answer.status >= 500 or (
                answer.status == 200 and "items" in (answer.body or {}) and answer.items
            ):
                wrong.append(f"{route.template}?{name}: {answer.status}")
    assert not wrong
    name = text.lstrip("$")
    own = api.start("approval", business_key=text, variables={name: text})
    assert api.instance(own)["variables"] == {name: text}
    assert [one["instance_id"] for one in api.get("/process-instances", business_key=text).items] == [own]
    assert api.instance(instance)["status"] == "RUNNING"


@pytest.mark.parametrize(
    "text", ["{{ 7*191 }}", "{% debug %}", "${7*191}", "#{7*191}", "=7*191", "<%= 7*191 %>"]
)
def test_texts_are_not_templates(api: Api, client: Any, text: str) -> None:
    instance = api.start("approval", business_key=text, variables={"v": text})
    assert api.instance(instance)["variables"] == {"v": text}
    client.force_login(User.objects.get(username="root"))
    for page in ("", "variables/", "history/"):
        answer = client.get(f"/cockpit/instances/{instance}/{page}")
        assert answer.status_code == 200
        assert b"1337" not in answer.content


_EVIL_PATTERNS = ("(a+)+$", "([a-z]+)*!", "(a|aa)+$", "(.*a){20}$", "(a*)*b", "^(([a-z])+.)+[A-Z]([a-z])+$")


@pytest.mark.parametrize("pattern", _EVIL_PATTERNS)
def test_patterns_do_not_hang(api: Api, pattern: str) -> None:
    import time

    conditions = (
        f"${{text.matches('{pattern}')}}",
        f'=matches(text, "{pattern}")',
        f'=replace(text, "{pattern}", "") = ""',
        f'=count(split(text, "{pattern}")) = 1',
    )
    for number, condition in enumerate(conditions):
        escaped = condition.replace('"', "&quot;")
        body = START + '<exclusiveGateway id="g" default="g-end"/><userTask id="t"/>' + END
        body += flow("start", "g") + flow("g", "t", escaped) + flow("g", "end") + flow("t", "end")
        deployed = api.deploy(bpmn(f"evil{number}", body))
        if deployed.status != 201:
            deployed.problem(422, "DefinitionInvalid")
            continue
        before = time.process_time()
        answer = api.post(
            "/process-instances",
            {"process_def_id": f"evil{number}", "variables": {"text": "a" * 5_000 + "!"}},
        )
        assert answer.status == 201
        assert time.process_time() - before < 20


@pytest.mark.parametrize(
    "text", ["-" * 100_000, "0" * 100_000, "=" * 100_000, "00000000-" * 10_000, "A" * 100_000]
)
def test_long_ids_and_cursors_do_not_hang(api: Api, text: str) -> None:
    short = text[:6_000]
    assert api.get(f"/process-instances/{short}").status == 404
    assert api.get("/process-instances", cursor=short).status == 400
    assert api.post("/process-instances", {"process_def_id": text}).status in (400, 404)
    assert (
        api.post(
            f"/tasks/{engine.start('approval')['instance_id']}/complete", {"variables": {"x": text}}
        ).status
        == 404
    )
