"""Other sites cannot let a logged-in browser act."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from bpm.access.permissions import Permission
from bpm.models import HistoryEvent
from tests.access.routes import routes

# What a page answers does not depend on the database.
pytestmark = pytest.mark.sqlite
KINDS = ("application/json", "application/x-www-form-urlencoded", "text/plain", "multipart/form-data")


@pytest.fixture
def browser(person: Callable[..., User]) -> Client:
    """A logged-in browser that is not excused from anything."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(person("ann", *Permission, staff=True))
    return client


def test_no_writing_address_acts_without_the_pages_token(browser: Client) -> None:
    asked = 0
    for route in routes():
        for method in route.methods:
            rule = route.rule(method)
            if method == "GET" or rule is None or (rule.public and route.of_api):
                continue
            asked += 1
            kind = KINDS[asked % len(KINDS)]
            answer = browser.generic(method, route.address(), b"{}", content_type=kind)
            assert answer.status_code == 403, f"{method} {route.template} {kind}: {answer.status_code}"
    assert asked > 50
    assert not HistoryEvent.objects.exists()


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_of_body_helps(browser: Client, kind: str) -> None:
    for path in ("/api/v1/process-instances", "/api/v1/process-definitions/deploy", "/accounts/logout/"):
        assert browser.generic("POST", path, b"{}", content_type=kind).status_code == 403


def test_a_token_of_another_session_does_not_help(browser: Client) -> None:
    answer = browser.post("/accounts/logout/", headers={"x-csrftoken": "a" * 64})
    assert answer.status_code == 403
    assert "_auth_user_id" in browser.session
