"""Limits of tenants and tokens: what is over them is refused, says when to come again, and changes nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from api import rates
from bpm import engine
from bpm.access.account import Account
from bpm.access.caller import Bounds, Caller
from bpm.access.models import RequestWindow, TenantLimits
from bpm.access.permissions import Permission
from bpm.access.spending import count_request
from bpm.models import ProcessInstance
from tests.access.conftest import token_of
from tests.api.caller import Answer
from tests.api.definitions import EVERY

pytestmark = pytest.mark.usefixtures("deployed")
RIGHTS = (Permission.OPERATE, Permission.WORK, Permission.DEPLOY)


@pytest.fixture
def user(person: Callable[..., User]) -> User:
    """Somebody with rights, and nothing that limits them yet."""
    return person("ann", *RIGHTS)


def _refused(answer: Answer, status: int, code: str) -> Answer:
    answer.problem(status, code)
    if status == 429:
        assert int(answer.headers["Retry-After"]) == answer.body["details"]["retry_after_s"] >= 1
    return answer


class TestBodies:
    """Size of bodies."""

    def test_of_a_token(self, user: User) -> None:
        small, free = token_of(user, max_body_bytes=100), token_of(user)
        body = {"process_def_id": "minimal", "business_key": "x" * 100}
        assert _refused(small.post("/process-instances", body), 413, "BodyTooLarge").body["details"] == {
            "limit_bytes": 100
        }
        assert not ProcessInstance.objects.exists()
        small.start("minimal")
        free.post("/process-instances", body).ok(201)

    def test_of_a_tenant(self, user: User) -> None:
        TenantLimits.objects.create(tenant="", max_body_bytes=100)
        _refused(token_of(user).deploy(EVERY["minimal.bpmn"]), 413, "BodyTooLarge")

    def test_forms_count_too(self, user: User) -> None:
        TenantLimits.objects.create(tenant="", max_body_bytes=100)
        form = b'--b\r\nContent-Disposition: form-data; name="f"; filename="a.bpmn"\r\n\r\n%b\r\n--b--\r\n'
        answer = token_of(user).send(
            "/process-definitions/deploy", form % EVERY["minimal.bpmn"], "multipart/form-data; boundary=b"
        )
        _refused(answer, 413, "BodyTooLarge")

    def test_the_stricter_one_counts(self, user: User) -> None:
        TenantLimits.objects.create(tenant="", max_body_bytes=1_000)
        answer = token_of(user, max_body_bytes=50).post("/process-instances", {"process_def_id": "x" * 60})
        assert _refused(answer, 413, "BodyTooLarge").body["details"] == {"limit_bytes": 50}


class TestVariables:
    """Size of one variable, wherever it stands in a body."""

    def test_at_every_place(self, user: User) -> None:
        api = token_of(user, max_variable_bytes=50)
        big = {"variables": {"ok": 1, "big": "x" * 60}}
        instance = api.start("approval", variables={"ok": "x" * 40})
        api.start("payment-flow")
        (task,) = api.fetch()
        details = {"variable": "big", "bytes": 62, "limit_bytes": 50}
        calls: list[tuple[str, Any]] = [
            ("/process-instances", {"process_def_id": "minimal", **big}),
            (f"/process-instances/{instance}/variables", big),
            (f"/external-tasks/{task['task_id']}/complete", {"worker_id": "w1", **big}),
            ("/external-tasks/complete", [{"task_id": task["task_id"], "worker_id": "w1", **big}]),
            ("/messages", {"name": "m", **big}),
            (
                f"/process-instances/{instance}/modify",
                {"instructions": [{"type": "start_before", "node_id": "end", **big}]},
            ),
        ]
        for path, body in calls:
            assert _refused(api.post(path, body), 413, "VariableTooLarge").body["details"] == details, path
        assert ProcessInstance.objects.count() == 2


class TestRates:
    """Requests in a minute, counted in the database."""

    def test_of_a_token(self, user: User) -> None:
        slow, other = token_of(user, requests_per_minute=3), token_of(user)
        answers = [slow.get("/process-instances").status for _ in range(8)]
        # A whole minute may begin in between.
        assert answers[:3] == [200] * 3
        assert 429 in answers
        last = slow.get("/process-instances")
        if last.status == 429:
            _refused(last, 429, "RateExceeded")
        other.get("/process-instances").ok()

    def test_of_a_tenant_together(self, user: User, person: Callable[..., User]) -> None:
        TenantLimits.objects.create(tenant="", requests_per_minute=4)
        callers = [token_of(user), token_of(person("bob", Permission.VIEW))]
        answers = [callers[number % 2].get("/process-instances").status for number in range(10)]
        assert 429 in answers
        assert RequestWindow.objects.count() == 1

    def test_a_new_minute_begins_anew(self, db: None) -> None:
        caller = Caller(Account("ann"), bounds=(Bounds("token t", requests_per_minute=2),))
        minute = 29_000_000 * 60
        found = [count_request(caller, minute + second) for second in (0, 1, 2, 59)]
        assert [one and one.retry_after_s for one in found] == [None, None, 58, 1]
        assert count_request(caller, minute + 60) is None
        assert RequestWindow.objects.get().requests == 1

    def test_by_default_for_all_tenants(self, user: User, settings: Settings) -> None:
        settings.BPM = settings.BPM | {"REQUESTS_PER_MINUTE": 2}
        api = token_of(user)
        assert 429 in [api.get("/process-instances").status for _ in range(5)]

    def test_nothing_is_counted_where_nothing_is_limited(self, user: User) -> None:
        token_of(user).get("/process-instances").ok()
        assert not RequestWindow.objects.exists()

    def test_a_limit_costs_one_statement(self, user: User) -> None:
        free, slow = token_of(user), token_of(user, requests_per_minute=1_000)
        slow.get("/incidents").ok()
        with CaptureQueriesContext(connection) as usual:
            free.get("/incidents").ok()
        with CaptureQueriesContext(connection) as counted:
            slow.get("/incidents").ok()
        assert len(counted) == len(usual) + 1


class TestRunningInstances:
    """Instances of a tenant that have not ended."""

    def test_no_more_start_than_may(self, user: User) -> None:
        TenantLimits.objects.create(tenant="", running_instances=2)
        api = token_of(user)
        first = api.start("approval")
        api.start("approval")
        for _ in range(2):
            answer = api.post("/process-instances", {"process_def_id": "approval"})
            _refused(answer, 429, "InstancesExhausted")
        for path, body in (("/messages", {"name": "m"}), ("/signals", {"name": "s"}), ("/conditions", {})):
            _refused(api.post(path, body), 429, "InstancesExhausted")
        assert ProcessInstance.objects.count() == 2
        api.post(f"/process-instances/{first}/cancel").ok()
        api.start("approval")

    def test_other_tenants_do_not_count(self, person: Callable[..., User]) -> None:
        TenantLimits.objects.create(tenant="", running_instances=1)
        engine.deploy(list(EVERY.items()), tenant="acme")
        api = token_of(person("bob", *RIGHTS, tenants=("acme",)))
        api.start("approval")
        api.start("approval")

    def test_by_default_for_all_tenants(self, user: User, settings: Settings) -> None:
        settings.BPM = settings.BPM | {"RUNNING_INSTANCES": 1}
        api = token_of(user)
        api.start("approval")
        _refused(api.post("/process-instances", {"process_def_id": "approval"}), 429, "InstancesExhausted")


@pytest.mark.django_db(transaction=True)
def test_open_polls_are_limited(user: User) -> None:
    api, other = token_of(user, open_polls=1), token_of(user)
    ask = {"worker_id": "w", "task_types": ["payment"], "wait_ms": 30_000}
    first: list[Answer] = []

    def wait() -> None:
        first.append(api.post("/external-tasks/fetch-and-lock", ask))
        connection.close()

    waiting = threading.Thread(target=wait)
    waiting.start()
    while waiting.is_alive() and not any(rates._polls._open.values()):
        time.sleep(0.01)
    _refused(api.post("/external-tasks/fetch-and-lock", ask), 429, "PollsExhausted")
    # Those who do not wait, and other tokens, are not concerned.
    assert api.post("/external-tasks/fetch-and-lock", ask | {"wait_ms": 0}).ok() == []
    assert other.post("/external-tasks/fetch-and-lock", ask | {"wait_ms": 1}).ok() == []
    engine.start("payment-flow")
    waiting.join(90)
    assert len(first[0].ok()) == 1
    assert api.post("/external-tasks/fetch-and-lock", ask | {"wait_ms": 1}).ok() == []
