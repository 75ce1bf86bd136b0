"""Every text that a model, a variable, a person or a worker can bring in, on every page there is: it stays text."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import quoteattr

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, User
from django.test import Client
from lxml import html

from bpm import engine
from bpm.models import ExternalTask, HistoryEvent, Incident, ProcessInstance, UserTask
from tests.access.routes import Route, routes
from tests.api.definitions import END, START, bpmn, flow

# What a page answers does not depend on the database.
pytestmark = pytest.mark.sqlite

MARK = "\"'><xss onload=alert(1)></script><script>alert(2)</script>&lt;xss&gt;{{ 7*191 }}"
LINK = "javascript:alert(3)"
_M = quoteattr(MARK)
FORM = (
    "<extensionElements><camunda:formData>"
    f'<camunda:formField id="f1" label={_M} type="string" defaultValue={_M}>'
    f"<camunda:properties><camunda:property id={_M} value={_M}/></camunda:properties></camunda:formField>"
    f'<camunda:formField id="f2" label={_M} type="enum"><camunda:value id={_M} name={_M}/></camunda:formField>'
    "</camunda:formData></extensionElements>"
)
DOCUMENTED = f"<documentation>{_M[1:-1].replace('<', '&lt;')}</documentation>"
MODEL = bpmn(
    "marked",
    DOCUMENTED
    + f'<laneSet id="ls"><lane id="la" name={_M}><flowNodeRef>person</flowNodeRef></lane></laneSet>'
    + START.replace("/>", f" name={_M}>{FORM}</startEvent>")
    + f'<parallelGateway id="split" name={_M}/>'
    + f'<userTask id="person" name={_M} camunda:candidateUsers={_M} camunda:candidateGroups={_M} '
    + f"camunda:formKey={_M}>{DOCUMENTED}{FORM}</userTask>"
    + f'<serviceTask id="machine" name={_M} camunda:type="external" camunda:topic={_M}/>'
    + f'<serviceTask id="dead" name={_M} camunda:type="external" camunda:topic="dead"/>'
    + f'<exclusiveGateway id="broken" name={_M}/>'
    + f'<intermediateCatchEvent id="wait" name={_M}><timerEventDefinition><timeDuration>PT1H</timeDuration>'
    + "</timerEventDefinition></intermediateCatchEvent>"
    + END
    + flow("start", "split")
    + "".join(flow("split", node) for node in ("person", "machine", "dead", "broken", "wait"))
    + flow("broken", "end", "${nothing}")
    + "".join(flow(node, "end") for node in ("person", "machine", "dead", "wait")),
).replace(b'name="marked"', f"name={_M}".encode())


@pytest.fixture
def marked(db: None) -> dict[str, str]:
    """One instance full of marks: name of a route's argument to id."""
    User.objects.create_superuser("root", first_name=MARK[:100], last_name=LINK)
    Group.objects.create(name=MARK[:100])
    engine.deploy([("marked.bpmn", MODEL)], name=MARK, actor=MARK)
    values = {"text": MARK, "link": LINK, "list": [MARK, {MARK: MARK}], "markup": f"<b>{MARK}</b>"}
    started = engine.start("marked", variables=values | {MARK: MARK}, business_key=MARK, actor=MARK)
    (task,) = engine.fetch_and_lock(MARK, topics=["dead"], max_tasks=1, lock_ms=60_000)
    engine.fail_external_task(task["task_id"], worker=MARK, error=MARK, details=MARK, retries=0, actor=MARK)
    engine.fetch_and_lock(MARK, topics=[MARK], max_tasks=1, lock_ms=60_000)
    instance = ProcessInstance.objects.get(pk=started["instance_id"])
    user_task = UserTask.objects.get()
    engine.set_task_variables(str(user_task.pk), variables={"own": MARK}, local=True, actor=MARK)
    engine.assign_task(str(user_task.pk), assignee=MARK, actor=MARK)
    assert Incident.objects.count() == 2
    assert ExternalTask.objects.count() == 2
    return {
        "instance_id": str(instance.pk),
        "definition_id": str(instance.definition_id),
        "task_id": str(user_task.pk),
        "process": "marked",
        "cursor": "9",
        "incident_id": str(Incident.objects.earliest("id").pk),
    }


@pytest.fixture
def browser(marked: dict[str, str]) -> Client:
    """A browser of somebody who sees everything."""
    client = Client()
    client.force_login(User.objects.get(username="root"))
    return client


def _pages(known: dict[str, str]) -> list[tuple[Route, str]]:
    found = []
    for route in routes():
        if route.of_api or "GET" not in route.methods:
            continue
        model = re.fullmatch(r"admin/(\w+)/(\w+)/<path:object_id>/(\w+)/", route.template)
        row = apps.get_model(model[1], model[2])._default_manager.first() if model else None
        arguments = known | ({"object_id": quote(str(row.pk), safe="")} if row is not None else {})
        found.append((route, route.address(**arguments)))
    return found


def _complaints(address: str, content: bytes) -> list[str]:
    found = []
    for element in html.document_fromstring(content).iter():
        tag = str(element.tag)
        if tag == "xss":
            found.append("an element that came in as text")
        if tag == "script" and not element.get("src") and element.get("type") != "application/json":
            found.append(f"a script in the page: {(element.text or '')[:80]}")
        for name, value in ((str(name), str(value)) for name, value in element.attrib.items()):
            if name.startswith("on") or name == "style":
                found.append(f"the attribute {name}={value[:80]}")
            if name in ("href", "src", "action", "formaction") and value.strip().lower().startswith(
                "javascript"
            ):
                found.append(f"a link to {value}")
    if b"1337" in content:
        found.append("a template was evaluated")
    return [f"{address}: {one}" for one in found]


def _misnamed(answer: Any, content: bytes) -> list[str]:
    """Return what is wrong with how an answer calls itself."""
    kind = answer.headers.get("Content-Type", "")
    if kind.startswith("application/json"):
        json.loads(content)
    found = [] if answer.headers["X-Content-Type-Options"] == "nosniff" else ["its type may be guessed"]
    if b"<xss" in content and kind.startswith(("text/html", "image/svg", "application/xhtml")):
        found.append("text as markup")
    return found


def test_no_page_takes_text_for_markup(marked: dict[str, str], browser: Client) -> None:
    complaints: list[str] = []
    shown, events = 0, HistoryEvent.objects.count()
    for route, address in _pages(marked):
        for query in (
            "",
            f"?q={quote(MARK)}&status={quote(MARK)}&next={quote(LINK)}&key={quote(MARK)}&business_key={quote(MARK)}",
        ):
            answer = browser.get(address + query, headers={"host": "localhost"})
            content = b"".join(answer) if answer.streaming else answer.content
            if answer.status_code >= 500 and route.template != "ready":
                complaints.append(f"{address}: {answer.status_code}")
            complaints += [f"{address}: {one}" for one in _misnamed(answer, content)]
            if answer.headers.get("Content-Type", "").startswith("text/html") and content:
                found = _complaints(route.template + query[:3], content)
                # The administration's own pages carry a few, which the policy of the answer keeps from running.
                complaints += [
                    one
                    for one in found
                    if not route.template.startswith("admin/") or "xss" in one or "came in" in one
                ]
                assert "unsafe-inline" not in answer.headers["Content-Security-Policy"]
                shown += b"&lt;xss" in content
    assert not complaints
    assert shown > 10
    assert HistoryEvent.objects.count() == events, "looking changes nothing"


def test_the_api_answers_json_whatever_is_in_it(marked: dict[str, str], browser: Client) -> None:
    for route in routes():
        if not route.of_api or "GET" not in route.methods:
            continue
        answer = browser.get(route.address(**marked), headers={"host": "localhost", "accept": "text/html"})
        content = b"".join(answer) if answer.streaming else answer.content
        kind = answer.headers.get("Content-Type", "")
        if b"<xss" in content:
            assert not kind.startswith("text/html"), route.template
        if kind.startswith("application/xml"):
            assert answer.headers["Content-Disposition"].startswith("attachment")


def test_errors_repeat_nothing_as_markup(browser: Client) -> None:
    for place in (
        f"/{quote(MARK)}",
        f"/cockpit/instances/{quote(MARK, safe='')}/",
        f"/cockpit/?{quote(MARK)}",
        f"/tasks/start/{quote(MARK, safe='')}/",
    ):
        answer = browser.get(place, headers={"host": "localhost"})
        assert _complaints(place, answer.content) == []


def test_what_a_person_types_comes_back_as_text(marked: dict[str, str], browser: Client) -> None:
    task = marked["task_id"]
    posts: list[tuple[str, dict[str, Any]]] = [
        (f"/tasks/{task}/complete/", {"f1": MARK, "f2": MARK, "once": MARK}),
        (f"/tasks/{task}/delegate/", {"assignee": MARK, "user": MARK}),
        (f"/tasks/{task}/comment/", {"text": MARK, "message": MARK}),
        (f"/tasks/{task}/", {}),
        ("/tasks/start/marked/", {"f1": MARK, "f2": MARK, "business_key": MARK}),
        ("/accounts/login/", {"username": MARK, "password": MARK, "next": LINK}),
    ]
    for address, body in posts:
        answer = browser.post(address, body, headers={"host": "localhost"}, follow=True)
        if answer.content and answer.headers["Content-Type"].startswith("text/html"):
            assert _complaints(address, answer.content) == [], address
    answer = browser.get(f"/tasks/{task}/", headers={"host": "localhost"})
    assert _complaints("task", answer.content) == []
