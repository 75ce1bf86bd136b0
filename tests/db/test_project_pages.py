"""Pages that the project itself serves."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client


@pytest.fixture
def operator(db: None) -> User:
    return User.objects.create_superuser("ada", password="difference-engine")


def test_a_person_logs_in_with_a_password_and_out_again(client: Client, operator: User) -> None:
    wrong = client.post("/accounts/login/", {"username": "ada", "password": "guess"})
    assert (wrong.status_code, client.session.get("_auth_user_id")) == (200, None)
    client.post("/accounts/login/", {"username": "ada", "password": "difference-engine"})
    assert client.session["_auth_user_id"] == str(operator.pk)
    client.post("/accounts/logout/")
    assert client.session.get("_auth_user_id") is None


def test_a_login_never_leads_to_another_host(client: Client, operator: User) -> None:
    answer = client.post(
        "/accounts/login/?next=https://elsewhere.example/",
        {"username": "ada", "password": "difference-engine", "next": "https://elsewhere.example/"},
    )
    assert answer.headers["Location"] == "/"


def test_pages_allow_only_their_own_scripts_and_no_frames(client: Client, db: None) -> None:
    policy = client.get("/accounts/login/").headers["Content-Security-Policy"]
    for part in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
        assert part in policy
    assert "unsafe" not in policy


def test_the_admin_lists_every_registered_table(client: Client, operator: User) -> None:
    client.force_login(operator)
    page = client.get("/admin/")
    assert page.status_code == 200
    paths = {model["admin_url"] for app in page.context["app_list"] for model in app["models"]}
    assert "/admin/auth/user/" in paths
    for path in sorted(paths):
        assert client.get(path).status_code == 200, path


def test_static_files_are_served_without_a_web_server_in_front(client: Client) -> None:
    answer = client.get("/static/admin/css/base.css")
    assert (answer.status_code, b"html" in answer.getvalue()) == (200, True)
