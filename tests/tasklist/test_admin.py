"""The administration: every table of the engine, to be read; tokens, shown once."""

from __future__ import annotations

import uuid

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken

from bpm import engine
from tests.support.statements import executed

_SEVERAL_COLUMNS = {"historyevent": "events", "variable": "variables"}
"""Models whose keys have several columns, to their page below an instance's."""
MODELS = [model._meta.model_name for model in apps.get_app_config("bpm").get_models()]


@pytest.fixture
def root(db: None) -> Client:
    client = Client(headers={"host": "localhost"})
    client.force_login(User.objects.create_superuser("root", password="-"))
    return client


def test_every_table_has_a_page() -> None:
    assert len(MODELS) > 20
    for name in MODELS:
        model = apps.get_model("bpm", name)
        assert (model in admin.site._registry) != (name in _SEVERAL_COLUMNS), name


@pytest.mark.parametrize("name", [name for name in MODELS if name not in _SEVERAL_COLUMNS])
def test_a_table_is_read_and_never_written(root: Client, name: str, started: str) -> None:
    page = root.get(reverse(f"admin:bpm_{name}_changelist"), {"q": str(uuid.uuid4())})
    assert page.status_code == 200
    assert root.get(reverse(f"admin:bpm_{name}_changelist"), {"q": "no such thing"}).status_code == 200
    assert root.get(reverse(f"admin:bpm_{name}_add")).status_code == 403
    model = apps.get_model("bpm", name)
    row = model._default_manager.first()
    if row is not None:
        address = reverse(f"admin:bpm_{name}_change", args=[row.pk])
        shown = root.get(address)
        assert shown.status_code == 200
        assert b'type="submit"' not in shown.content.split(b'id="content"')[1]
        assert root.post(address, {}).status_code == 403
        assert (
            root.post(reverse(f"admin:bpm_{name}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
        )


def test_an_instance_leads_to_all_it_has(root: Client, started: str) -> None:
    page = root.get(reverse("admin:bpm_processinstance_change", args=[started])).content.decode()
    links = [part.split('"')[0] for part in page.split('href="')[1:] if started in part.split('"')[0]]
    assert len(links) > 12
    for link in links:
        answer = root.get(link.replace("&amp;", "&"))
        assert answer.status_code == 200, link
    events = root.get(f"/admin/bpm/processinstance/{started}/events/", {"category": "task"}).content.decode()
    assert "UserTaskCreated" in events
    assert "TokenCreated" not in events
    assert "wish" in root.get(f"/admin/bpm/processinstance/{started}/variables/").content.decode()
    assert root.get(f"/admin/bpm/processinstance/{uuid.uuid4()}/events/").status_code == 404


@pytest.mark.parametrize("name", ["processinstance", "token", "usertask", "timer", "definition"])
def test_lists_take_the_same_statements_however_long_they_are(root: Client, name: str, started: str) -> None:
    address = reverse(f"admin:bpm_{name}_changelist")
    root.get(address)
    with executed() as before:
        root.get(address)
    for number in range(5):
        engine.start("order", business_key=str(number), variables={"wish": "x", "number": 1})
    with executed() as after:
        root.get(address)
    assert len(after.statements) == len(before.statements) <= 8


def test_who_may_not_administer_sees_no_tables(client: Client, started: str) -> None:
    client.force_login(User.objects.create_user("sam", password="-", is_staff=True))
    answer = client.get("/admin/bpm/processinstance/", headers={"host": "localhost"})
    assert answer.status_code == 403


def test_a_token_is_shown_once_and_can_be_revoked(root: Client) -> None:
    user = User.objects.create_user("worker", password="-")
    body = {"user": user.pk, "expiry_0": "2030-01-01", "expiry_1": "00:00:00"}
    page = root.post("/admin/knox/authtoken/add/", body)
    token = AuthToken.objects.get()
    text = page.content.decode()
    key = text.split('readonly value="')[1].split('"')[0]
    api = Client(headers={"host": "localhost", "authorization": f"Token {key}"})
    assert api.get("/api/v1/tasks").status_code in (200, 403)
    listed = root.get("/admin/knox/authtoken/").content.decode()
    assert token.token_key in listed
    assert key not in listed
    root.post("/admin/knox/authtoken/", {"action": "revoke", "_selected_action": token.pk})
    assert not AuthToken.objects.exists()
    assert api.get("/api/v1/tasks").status_code == 401


def test_a_token_that_is_good_for_nothing_is_refused(root: Client) -> None:
    user = User.objects.create_user("worker", password="-")
    body = {"user": user.pk, "expiry_0": "2020-01-01", "expiry_1": "00:00:00"}
    assert "in the future" in root.post("/admin/knox/authtoken/add/", body).content.decode()
    assert not AuthToken.objects.exists()
