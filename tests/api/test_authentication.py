"""Who may call, and who it was."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from knox.models import AuthToken
from pytest_django import Settings

from tests.api.caller import Answer, Api

START = {"process_def_id": "minimal"}


def anonymous(**headers: str) -> Api:
    """A caller without credentials."""
    return Api(Client(), **headers)


@pytest.mark.parametrize(
    "path",
    [
        "/process-instances",
        "/process-instances/1",
        "/process-definitions",
        "/tasks",
        "/external-tasks/1",
        "/dead-letters",
        "/incidents",
    ],
)
def test_nothing_is_read_without_credentials(db: None, path: str) -> None:
    answer = anonymous().get(path).problem(401, "NotAuthenticated")
    assert answer.headers["WWW-Authenticate"] == "Token"


@pytest.mark.parametrize(
    "path",
    [
        "/process-instances",
        "/process-definitions/deploy",
        "/external-tasks/fetch-and-lock",
        "/external-tasks/complete",
        "/tasks/1/complete",
        "/tokens/1/retry",
    ],
)
def test_nothing_is_written_without_credentials(db: None, path: str) -> None:
    anonymous().post(path, {}).problem(401, "NotAuthenticated")


@pytest.mark.parametrize(
    "credentials",
    ["Token", "Token a b", "Token wrong", "Token \x7f", "Token t\xf6ken", "Token " + "x" * 5_000],
)
def test_a_wrong_token_is_refused(db: None, credentials: str) -> None:
    anonymous(authorization=credentials).get("/tasks").problem(401, "NotAuthenticated")


def test_other_schemes_count_as_none(db: None) -> None:
    anonymous(authorization="Basic b2xnYTot").get("/tasks").problem(401, "NotAuthenticated")


def test_a_token_ends(db: None) -> None:
    user = User.objects.create_superuser("olga")
    _, expired = AuthToken.objects.create(user, expiry=timedelta(seconds=-1))
    anonymous(authorization=f"Token {expired}").get("/tasks").problem(401, "NotAuthenticated")
    _, key = AuthToken.objects.create(user)
    anonymous(authorization=f"Token {key}").get("/tasks").ok()
    user.is_active = False
    user.save()
    anonymous(authorization=f"Token {key}").get("/tasks").problem(401, "NotAuthenticated")


def test_the_token_itself_is_not_stored(db: None) -> None:
    token, key = AuthToken.objects.create(User.objects.create_user("olga"))
    assert key not in (token.digest, token.token_key)
    assert len(token.digest) == 128


class TestSession:
    """A person's browser."""

    @pytest.fixture
    def browser(self, db: None) -> Client:
        """A logged-in browser that is not excused from anything."""
        browser = Client(enforce_csrf_checks=True)
        browser.force_login(User.objects.create_superuser("olga"))
        return browser

    def test_reading_needs_the_session_alone(self, browser: Client) -> None:
        Api(browser).get("/tasks").ok()

    @pytest.mark.usefixtures("deployed")
    def test_writing_needs_the_page_that_it_comes_from(self, browser: Client) -> None:
        Api(browser).post("/process-instances", START).problem(403, "NotAllowed")
        Api(browser).get("/docs", script="")
        token = browser.cookies["csrftoken"].value
        started = Api(browser, **{"x-csrftoken": token}).post("/process-instances", START)
        assert started.ok(201)["status"] == "COMPLETED"

    def test_a_form_of_a_page_elsewhere_does_not_deploy(self, browser: Client) -> None:
        content_type = "application/x-www-form-urlencoded"
        Api(browser).send("/process-definitions/deploy", b"a=b", content_type).problem(403, "NotAllowed")


class TestRights:
    """What a permission is for."""

    def test_the_permission_makes_an_operator(self, db: None) -> None:
        user = User.objects.create_user("olga")
        _, key = AuthToken.objects.create(user)
        caller = anonymous(authorization=f"Token {key}")
        path = "/tokens/00000000-0000-7000-8000-000000000000/retry"
        caller.post(path).problem(403, "NotAllowed")
        content_type = ContentType.objects.get(app_label="bpm", model="processinstance")
        permission, _ = Permission.objects.get_or_create(codename="operate", content_type=content_type)
        user.user_permissions.add(permission)
        caller.post(path).problem(404, "TokenNotFound")


@pytest.mark.usefixtures("deployed")
class TestOpenLoopback:
    """The demo's door, for programs on this machine only."""

    @pytest.fixture(autouse=True)
    def _open(self, settings: Settings) -> None:
        settings.BPM = settings.BPM | {"OPEN_ON_LOOPBACK": True}

    @staticmethod
    def _start(address: str = "127.0.0.1", **headers: str) -> Answer:
        return Api(Client(REMOTE_ADDR=address), **headers).post("/process-instances", START)

    @pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
    @pytest.mark.parametrize("host", ["localhost:3000", "127.0.0.1:3000", "[::1]:3000"])
    def test_this_machine_needs_no_credentials(self, address: str, host: str) -> None:
        started = self._start(address, host=host).ok(201)
        api = Api(Client(REMOTE_ADDR=address))
        assert {event["actor"] for event in api.events(started["instance_id"])} == {"anonymous demo"}

    @pytest.mark.parametrize("address", ["10.0.0.7", "127.0.0.2", "::ffff:10.0.0.7", ""])
    def test_other_machines_do(self, address: str) -> None:
        self._start(address).problem(401, "NotAuthenticated")

    @pytest.mark.parametrize(
        "headers",
        [
            {"x-forwarded-for": "127.0.0.1"},
            {"forwarded": "for=127.0.0.1"},
            {"origin": "https://evil.example"},
            {"origin": "null"},
            {"origin": "http://localhost:9999"},
            {"sec-fetch-site": "cross-site"},
            {"sec-fetch-site": "same-site"},
        ],
    )
    def test_what_a_proxy_or_a_foreign_page_sends_does(self, headers: dict[str, str]) -> None:
        self._start(**headers).problem(401, "NotAuthenticated")

    def test_a_name_that_points_here_is_not_enough(self, settings: Settings) -> None:
        settings.ALLOWED_HOSTS = ["rebound.example"]
        self._start(host="rebound.example").problem(401, "NotAuthenticated")

    def test_the_own_page_may(self) -> None:
        self._start(origin="http://localhost", **{"sec-fetch-site": "same-origin"}).ok(201)

    def test_it_may_do_an_operators_acts_and_peoples_tasks(self) -> None:
        api = Api(Client())
        api.start("approval")
        task = api.get("/tasks").items[0]["task_id"]
        api.post(f"/tasks/{task}/assign", {"assignee": "ann"}).ok()
        api.post(f"/tasks/{task}/complete").ok()

    def test_who_says_a_name_is_that_one(self, user: Api) -> None:
        instance = user.start("minimal")
        assert {event["actor"] for event in user.events(instance)} == {"ulf"}

    def test_it_is_shut_unless_opened(self, settings: Settings) -> None:
        settings.BPM = {name: value for name, value in settings.BPM.items() if name != "OPEN_ON_LOOPBACK"}
        self._start().problem(401, "NotAuthenticated")
