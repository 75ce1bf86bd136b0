"""Keys, passwords and cookies stand in no log line, whatever happens."""

from __future__ import annotations

import io
import json
import logging
import logging.config
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import structlog
from django.contrib.auth.models import User
from django.test import Client
from knox.models import AuthToken

from bpm.access.permissions import Permission
from bpm.project.log_secrets import HIDDEN, hide_secrets
from bpm.project.logs import logging_config
from tests.access.broken_addresses import SECRET


@pytest.fixture(params=["json", "text"])
def lines(request: pytest.FixtureRequest) -> Iterator[Callable[[], str]]:
    """Log as production does, into memory."""
    stream = io.StringIO()
    config = logging_config("DEBUG", request.param)
    formatter = config["formatters"]["lines"]
    arguments = {name: value for name, value in formatter.items() if name != "()"}
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter["()"](**arguments))
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream.getvalue
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.mark.parametrize(
    "name",
    [
        *("password", "new_password1", "PASSWD", "secret_key", "client_secret", "Authorization", "cookie"),
        *("set-cookie", "sessionid", "session_key", "csrftoken", "api_key", "apikey", "auth_token"),
        *("access_token", "DATABASE_URL", "BPM_METRICS_TOKEN", "dsn", "credentials", "private_key"),
    ],
)
def test_fields_are_hidden_by_their_names(name: str) -> None:
    shown = hide_secrets(None, "info", {"event": "x", name: SECRET, "inner": [{name: SECRET}]})
    assert SECRET not in repr(shown)
    assert shown[name] == HIDDEN


@pytest.mark.parametrize(
    "text",
    [
        f"Authorization: Token {SECRET}",
        f"{{'Authorization': 'Token {SECRET}'}}",
        f"Bearer {SECRET}",
        f"basic {SECRET}==",
        f"postgresql://bpm:{SECRET}@db/bpm",
        f"connection to redis://:{SECRET}@host failed",
        f"Cookie: sessionid={SECRET}; csrftoken={SECRET}",
        f"/login?password={SECRET}&next=/",
        f"{{'password': '{SECRET}', 'a': 1}}",
        f'{{"password": "{SECRET} and more"}}',
        f"SECRET_KEY = '{SECRET}'",
        f"api_key={SECRET}",
    ],
)
def test_texts_are_hidden_by_what_they_look_like(text: str) -> None:
    assert SECRET not in hide_secrets(None, "info", {"event": text})["event"]
    assert SECRET not in repr(hide_secrets(None, "info", {"event": "x", "deep": {"a": [text]}}))


def test_what_is_no_secret_stays() -> None:
    event = {
        "event": "token arrived",
        "token": "0192-1",
        "token_id": "t",
        "key": "approval",
        "hash": "a" * 64,
        "count": 3,
        "ok": True,
        "none": None,
        "text": "Token 7 of 9 waits; see http://host/path and the process 'pass'",
    }
    assert hide_secrets(None, "info", event) == event


def test_every_line_goes_through_it(lines: Callable[[], str]) -> None:
    log = logging.getLogger("somewhere")
    log.warning("got %s", f"Token {SECRET}")
    log.error("failed", extra={"password": SECRET, "headers": {"Authorization": f"Token {SECRET}"}})
    structlog.get_logger("bpm").warning("call", cookie=SECRET, nested={"csrftoken": SECRET})
    found = lines()
    assert found.count(HIDDEN) >= 4
    assert SECRET not in found


def test_tracebacks_show_no_local_variables(lines: Callable[[], str]) -> None:
    def fail(argument: str) -> None:
        local = [argument]
        raise ValueError(f"broken by password={argument}, {len(local)}")

    try:
        fail(SECRET)
    except ValueError:
        logging.getLogger("somewhere").exception("unexpected")
    assert "ValueError" in lines()
    assert "fail" in lines()
    assert SECRET not in lines()


def test_calls_leave_nothing_of_theirs(
    person: Callable[..., User], lines: Callable[[], str], settings: Any
) -> None:
    user = person("ann", *Permission)
    token, key = AuthToken.objects.create(user)
    user.set_password(SECRET)
    user.save()
    client = Client(raise_request_exception=False)
    for credentials in (f"Token {key}", f"Token {key[:-1]}x", f"Bearer {key}", f"Token {key} {key}"):
        headers = {"authorization": credentials}
        for path in (
            "/api/v1/tasks",
            f"/api/v1/tasks?password={SECRET}",
            "/nothing",
            "/api/v1/tasks/1/complete",
        ):
            client.get(path, headers=headers)
            client.post(path, {"password": SECRET}, content_type="application/json", headers=headers)
    for password in (SECRET + "wrong", SECRET):
        client.post("/accounts/login/", {"username": "ann", "password": password})
    session = client.cookies["sessionid"].value
    client.get("/cockpit/")
    client.get("/cockpit/instances/nothing/")
    found = lines()
    assert found
    for secret in (SECRET, key[:40], session, token.digest, settings.SECRET_KEY, user.password):
        assert secret not in found.replace(HIDDEN, "")


@pytest.mark.urls("tests.access.broken_addresses")
@pytest.mark.parametrize("path", ["/api/v1/broken", "/cockpit/broken/"])
def test_error_pages_tell_nothing(person: Callable[..., User], path: str, lines: Callable[[], str]) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(person("ann", *Permission))
    answer = client.get(path, headers={"host": "localhost"})
    assert answer.status_code == 500
    for word in (b"RuntimeError", SECRET.encode(), b"Traceback", b"/bpm/", b"Django"):
        assert word not in answer.content
    assert "RuntimeError" in lines()
    assert SECRET not in lines()
    if path.startswith("/api"):
        assert json.loads(answer.content)["code"] == "InternalError"
