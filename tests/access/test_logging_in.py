"""Logging in: guessing is slowed down, sessions are not taken over, nobody is led elsewhere."""

from __future__ import annotations

from typing import Any

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

LOGIN = "/accounts/login/"


@pytest.fixture
def ann(db: None) -> User:
    """Somebody with a password."""
    return User.objects.create_user("ann", password="right horse")


def _try(client: Client, password: str, *, address: str = "10.0.0.1", **more: Any) -> Any:
    body = {"username": "ann", "password": password, **more}
    return client.post(LOGIN, body, REMOTE_ADDR=address, headers={"host": "localhost"})


class TestGuessing:
    """Counted in the database, per name and address."""

    def test_after_some_failures_nobody_may_try(self, ann: User, settings: Settings) -> None:
        settings.AXES_FAILURE_LIMIT = 3
        client = Client()
        assert [_try(client, "wrong").status_code for _ in range(3)] == [200, 200, 429]
        answer = _try(client, "right horse")
        assert answer.status_code == 429
        assert answer.headers["Retry-After"] == "300"
        assert b"Too many attempts" in answer.content
        assert "_auth_user_id" not in client.session

    def test_others_are_not_shut_out(self, ann: User, settings: Settings) -> None:
        settings.AXES_FAILURE_LIMIT = 3
        for _ in range(4):
            _try(Client(), "wrong")
        assert _try(Client(), "right horse", address="10.0.0.2").status_code == 302
        User.objects.create_user("bob", password="other horse")
        body = {"username": "bob", "password": "other horse"}
        assert Client().post(LOGIN, body, REMOTE_ADDR="10.0.0.1").status_code == 302

    def test_it_ends(self, ann: User, settings: Settings) -> None:
        settings.AXES_FAILURE_LIMIT = 2
        for _ in range(3):
            _try(Client(), "wrong")
        for attempt in AccessAttempt.objects.all():
            AccessAttempt.objects.filter(pk=attempt.pk).update(
                attempt_time=attempt.attempt_time - settings.AXES_COOLOFF_TIME * 2
            )
        assert _try(Client(), "right horse").status_code == 302

    def test_success_clears_what_was_counted(self, ann: User, settings: Settings) -> None:
        settings.AXES_FAILURE_LIMIT = 3
        for _ in range(3):
            assert [_try(Client(), password).status_code for password in ("wrong", "right horse")] == [
                200,
                302,
            ]

    def test_the_administrations_door_counts_too(self, ann: User, settings: Settings) -> None:
        settings.AXES_FAILURE_LIMIT = 2
        body = {"username": "ann", "password": "wrong"}
        answers = [Client().post("/admin/login/", body, REMOTE_ADDR="10.0.0.1").status_code for _ in range(3)]
        assert answers[-1] == 429
        assert _try(Client(), "right horse").status_code == 429

    def test_what_a_client_says_of_itself_does_not_count(self, ann: User, settings: Settings) -> None:
        settings.AXES_FAILURE_LIMIT = 3
        answers = [
            Client().post(
                LOGIN,
                {"username": "ann", "password": "wrong"},
                headers={"x-forwarded-for": f"10.9.9.{number}"},
            )
            for number in range(4)
        ]
        assert answers[-1].status_code == 429

    def test_behind_a_trusted_proxy_its_word_counts(self, ann: User, settings: Settings) -> None:
        settings.AXES_FAILURE_LIMIT = 2
        settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
        for number in range(3):
            # What stands before the proxy's own entry is the client's invention.
            headers = {"x-forwarded-for": f"1.1.1.{number}, 10.0.0.5", "x-forwarded-proto": "https"}
            last = Client().post(LOGIN, {"username": "ann", "password": "wrong"}, headers=headers)
        assert last.status_code == 429
        headers = {"x-forwarded-for": "10.0.0.6", "x-forwarded-proto": "https"}
        body = {"username": "ann", "password": "right horse"}
        assert Client().post(LOGIN, body, headers=headers).status_code == 302

    def test_passwords_are_not_kept(self, ann: User) -> None:
        _try(Client(), "my secret guess")
        (attempt,) = AccessAttempt.objects.all()
        assert "my secret guess" not in repr(vars(attempt))

    def test_unknown_names_look_like_wrong_passwords(self, ann: User) -> None:
        known = _try(Client(), "wrong").content
        unknown = Client().post(LOGIN, {"username": "zed", "password": "wrong"}).content
        assert _without_token(known.replace(b"ann", b"")) == _without_token(unknown.replace(b"zed", b""))


def _without_token(page: bytes) -> bytes:
    import re

    return re.sub(rb'name="csrfmiddlewaretoken" value="\w+"', b"", page)


class TestSessions:
    """What a session is before and after."""

    def test_a_session_from_before_is_not_the_one_after(self, ann: User) -> None:
        client = Client()
        session = client.session
        session["planted"] = "x"
        session.save()
        planted = str(session.session_key)
        client.cookies["sessionid"] = planted
        assert _try(client, "right horse").status_code == 302
        assert client.cookies["sessionid"].value != planted
        thief = Client()
        thief.cookies["sessionid"] = planted
        assert thief.get("/cockpit/").status_code == 302

    def test_logging_out_ends_it_on_the_server(self, ann: User) -> None:
        client = Client()
        _try(client, "right horse")
        kept = client.cookies["sessionid"].value
        client.post("/accounts/logout/")
        thief = Client()
        thief.cookies["sessionid"] = kept
        assert thief.get("/cockpit/").headers["Location"].startswith(LOGIN)

    def test_a_link_does_not_log_out(self, ann: User) -> None:
        client = Client()
        _try(client, "right horse")
        assert client.get("/accounts/logout/").status_code == 405
        assert "_auth_user_id" in client.session

    def test_a_new_password_ends_all_sessions(self, ann: User) -> None:
        client = Client()
        _try(client, "right horse")
        ann.set_password("new horse")
        ann.save()
        assert client.get("/cockpit/").status_code == 302

    def test_cookies_are_not_for_scripts(self, ann: User) -> None:
        client = Client()
        _try(client, "right horse")
        cookie = client.cookies["sessionid"]
        assert cookie["httponly"]
        assert cookie["samesite"] == "Lax"


class TestRedirects:
    """`next` leads inside only."""

    @pytest.mark.parametrize(
        "place",
        [
            "https://evil.example/",
            "//evil.example/",
            "///evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "javascript:alert(1)",
            "http:evil.example",
            "/%09/evil.example",
            " //evil.example",
            "data:text/html,x",
        ],
    )
    def test_nobody_is_led_elsewhere(self, ann: User, place: str) -> None:
        found = []
        answer = _try(Client(), "right horse", next=place)
        found.append(answer.headers["Location"])
        client = Client()
        client.force_login(ann)
        found.append(client.get(LOGIN, {"next": place}).headers["Location"])
        found.append(client.get("/cockpit/zone/", {"zone": "UTC", "next": place}).headers["Location"])
        for target in found:
            assert target.startswith("/")
            assert not target.startswith(("//", "/\\", "/\t"))
            assert "evil" not in target or target.startswith("/%09")

    def test_inside_it_leads_on(self, ann: User) -> None:
        answer = _try(Client(), "right horse", next="/cockpit/instances/")
        assert answer.headers["Location"] == "/cockpit/instances/"

    def test_the_way_to_the_door_keeps_the_place(self, db: None) -> None:
        answer = Client().get("/cockpit/instances/?status=FAILED", headers={"host": "localhost"})
        assert answer.headers["Location"] == "/accounts/login/?next=/cockpit/instances/%3Fstatus%3DFAILED"
