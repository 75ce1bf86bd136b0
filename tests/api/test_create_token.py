"""`manage.py create_token`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from knox.models import AuthToken

from tests.api.caller import Api


def _create(*arguments: str) -> str:
    out = StringIO()
    call_command("create_token", *arguments, stdout=out)
    return out.getvalue().strip()


def test_the_printed_key_opens_the_api(db: None) -> None:
    User.objects.create_user("worker")
    key = _create("worker", "--group", "BPM workers")
    Api(Client(), authorization=f"Token {key}").get("/tasks").ok()


def test_the_expiry_is_counted_in_days(db: None) -> None:
    User.objects.create_user("worker")
    _create("worker", "--expiry", "7")
    left = AuthToken.objects.get().expiry - datetime.now(UTC)
    assert timedelta(days=6, hours=23) < left <= timedelta(days=7)


def test_it_may_never_end(db: None) -> None:
    User.objects.create_user("worker")
    _create("worker", "--expiry", "never")
    assert AuthToken.objects.get().expiry is None


def test_the_user_can_be_made_on_the_way(db: None) -> None:
    key = _create("worker", "--create", "--group", "BPM workers")
    assert not User.objects.get(username="worker").has_usable_password()
    Api(Client(), authorization=f"Token {key}").get("/tasks").ok()


@pytest.mark.parametrize(
    "arguments",
    [("nobody",), ("worker", "--expiry", "0"), ("worker", "--expiry", "x"), ("worker", "--expiry", "9999")],
)
def test_what_cannot_be_is_refused(db: None, arguments: tuple[str, ...]) -> None:
    User.objects.create_user("worker")
    with pytest.raises(CommandError):
        _create(*arguments)
    assert AuthToken.objects.count() == 0
