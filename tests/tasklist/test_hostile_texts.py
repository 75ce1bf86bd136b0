"""Texts of models, variables and people that try to be code: shown as what they are."""

from __future__ import annotations

import json
from html import escape

import pytest
from django.contrib.auth.models import User
from django.test import Client

from bpm import engine
from bpm.models import UserTask
from tests.api.definitions import END, START, bpmn, line
from tests.tasklist.person import Page, Person

EVIL = "\"><script>alert(1)</script><img src=x onerror=alert(2)>'{{ 7|add:7 }}{% now 'Y' %}"


def _model() -> bytes:
    evil = escape(EVIL)
    form = (
        f'<extensionElements><camunda:formData><camunda:formField id="f" label="{evil}" type="enum">'
        f'<camunda:value id="{evil}" name="{evil}"/></camunda:formField>'
        f'<camunda:formField id="g" label="g" type="string" defaultValue="{evil}"><camunda:validation>'
        f'<camunda:constraint name="{evil}"/></camunda:validation></camunda:formField>'
        "</camunda:formData></extensionElements>"
    )
    words = f"<documentation>{evil}</documentation>"
    task = f'<userTask id="do" name="{evil}" camunda:assignee="ann">{words}{form}</userTask>'
    return bpmn("evil", START + task + END + line("start", "do", "end"))


@pytest.fixture
def pages(ann: Person, db: None) -> list[Page]:
    """Every page that shows the texts."""
    note = {"components": [{"type": "text", "text": EVIL}, {"type": "textfield", "key": EVIL, "label": EVIL}]}
    other = bpmn(
        "other",
        START + '<userTask id="o" name="o" camunda:assignee="ann" camunda:formKey="n"/>' + line("start", "o"),
    )
    engine.deploy([("evil.bpmn", _model()), ("other.bpmn", other), ("n.form", json.dumps(note).encode())])
    engine.start("evil", business_key=EVIL, variables={"g": EVIL})
    engine.start("other", variables={"x": EVIL})
    tasks = [str(UserTask.objects.get(node=node).id) for node in ("do", "o")]
    engine.comment_task(tasks[0], message=EVIL, actor=EVIL)
    root = Client(headers={"host": "localhost"})
    root.force_login(User.objects.create_superuser("root", password="-"))
    admin = Person("root", root)
    found = [ann.open(task) for task in tasks]
    found += [
        ann.get("/tasks/?list=all&text=" + EVIL),
        ann.get("/tasks/?business_key=" + EVIL),
        ann.get("/tasks/"),
    ]
    found += [ann.send(tasks[0], "complete", found[0], **{"v-f": EVIL + "?", "v-g": EVIL})]
    found += [ann.get("/tasks/start/"), ann.get("/tasks/start/evil/")]
    found += [admin.get(f"/admin/bpm/{name}/") for name in ("usertask", "processinstance", "comment")]
    done = ann.send(tasks[0], "complete", found[0], **{"v-f": EVIL, "v-g": EVIL})
    assert done.status == 302
    return [*found, ann.get(done.location)]


def test_no_page_runs_them(pages: list[Page]) -> None:
    assert sum(escape(EVIL)[:20] in page.text for page in pages) >= 8
    for page in pages:
        assert not page.tree.xpath("//script[contains(., 'alert')] | //img[@src='x'] | //*[@onerror]")
        assert "<script>alert" not in page.text
        assert "{{ 7|add:7 }}" in page.text or "7|add" not in page.text
        assert not page.tree.xpath("//*[@style] | //script[not(@src)][normalize-space()]"), (
            "the policy forbids it"
        )


def test_forms_need_their_token(person_named, check: str) -> None:  # type: ignore[no-untyped-def]
    person_named("ann")
    client = Client(headers={"host": "localhost"}, enforce_csrf_checks=True)
    client.force_login(User.objects.get(username="ann"))
    for what in ("complete", "claim", "release", "delegate", "comment", "fields"):
        assert client.post(f"/tasks/{check}/{what}/", {}).status_code == 403


def test_strangers_are_sent_to_the_log_in(client: Client, check: str) -> None:
    for address in ("/tasks/", f"/tasks/{check}/", "/tasks/start/", "/tasks/news/"):
        answer = client.get(address, headers={"host": "localhost"})
        assert (answer.status_code, answer.headers["Location"].split("?")[0]) == (302, "/accounts/login/")
