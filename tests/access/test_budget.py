"""What knowing the caller costs: at most two statements a request, whatever the rights are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from bpm import engine
from bpm.access.models import Grant, Membership, TenantLimits
from bpm.access.permissions import Permission
from tests.access.conftest import token_of
from tests.api.caller import Api

pytestmark = pytest.mark.usefixtures("deployed")
_OF_ACCESS = ("knox_", "auth_", "bpm_access_", "django_session", "django_content_type")


def _statements(act: Callable[[], Any]) -> list[str]:
    with CaptureQueriesContext(connection) as found:
        act()
    return [query["sql"] for query in found.captured_queries]


def _of_access(act: Callable[[], Any]) -> int:
    return sum(any(table in text for table in _OF_ACCESS) for text in _statements(act))


@pytest.fixture
def broad(person: Callable[..., User]) -> User:
    """Somebody with many groups, grants and tenants."""
    user = person("ann", *Permission)
    user.groups.add(*(Group.objects.create(name=f"g{number}") for number in range(20)))
    grants = [Grant(user=user, permission="view", definition_key=f"p{number}") for number in range(50)]
    Grant.objects.bulk_create(grants)
    Membership.objects.bulk_create(Membership(user=user, tenant=f"t{number}") for number in range(20))
    Membership.objects.create(user=user, tenant="")
    TenantLimits.objects.create(tenant="", open_polls=7)
    return user


@pytest.fixture
def narrow(person: Callable[..., User]) -> User:
    """Somebody with rights for one process."""
    grants = [{"permission": one, "definition_key": "approval"} for one in ("operate", "complete")]
    return person("bob", grants=grants)


@pytest.mark.parametrize("who", ["broad", "narrow"])
def test_a_token_costs_two_statements(who: str, request: pytest.FixtureRequest) -> None:
    api = token_of(request.getfixturevalue(who))
    instance = str(engine.start("approval")["instance_id"])
    task = api.get("/tasks").items[0]["task_id"]
    acts: list[Callable[[], Any]] = [
        lambda: api.get("/process-instances").ok(),
        lambda: api.get(f"/process-instances/{instance}/history").ok(),
        lambda: api.get("/tasks").ok(),
        lambda: api.start("approval"),
        lambda: api.post(f"/process-instances/{instance}/variables", {"variables": {"x": 1}}).ok(),
        lambda: api.put(f"/tasks/{task}/variables", {"variables": {"x": 1}}).ok(),
        lambda: api.post(f"/tasks/{task}/complete").ok(),
    ]
    assert [_of_access(act) for act in acts] == [2] * len(acts)


def test_a_superusers_token_costs_one(db: None) -> None:
    api = token_of(User.objects.create_superuser("root"))
    assert _of_access(lambda: api.get("/process-instances").ok()) == 1
    assert _of_access(lambda: api.start("approval")) == 1


def test_a_call_costs_what_the_engine_costs_and_two(broad: User) -> None:
    api = token_of(broad)
    api.start("approval")
    alone = len(_statements(lambda: engine.start("approval")))
    assert len(_statements(lambda: api.start("approval"))) == alone + 2


def test_a_session_costs_one_besides_its_own_two(broad: User) -> None:
    browser = Client()
    browser.force_login(broad)
    api = Api(browser)
    api.get("/process-instances").ok()
    assert _of_access(lambda: api.get("/process-instances").ok()) == 3


def test_the_demo_costs_nothing(db: None, settings: Any) -> None:
    settings.BPM = settings.BPM | {"OPEN_ON_LOOPBACK": True}
    api = Api(Client())
    assert _of_access(lambda: api.start("approval")) == 0


def test_every_event_carries_its_actor(broad: User) -> None:
    from bpm.models import DefinitionEvent, HistoryEvent
    from tests.api.definitions import EVERY

    api = token_of(broad)
    api.deploy(EVERY["minimal.bpmn"].replace(b'name="minimal"', b'name="new"')).ok(201)
    api.post("/process-instances", {"process_def_id": "approval"}).ok(201)
    task = api.get("/tasks").items[0]["task_id"]
    api.post(f"/tasks/{task}/claim", {"user": "ann"}).ok()
    api.post(f"/tasks/{task}/complete").ok()
    cancelled = api.start("approval")
    api.post(f"/process-instances/{cancelled}/suspend").ok()
    api.post(f"/process-instances/{cancelled}/activate").ok()
    api.post(f"/process-instances/{cancelled}/cancel").ok()
    api.start("payment-flow")
    (leased,) = api.fetch()
    body = {"worker_id": "w1", "error": "no"}
    api.post(f"/external-tasks/{leased['task_id']}/fail", body).ok()
    assert set(HistoryEvent.objects.values_list("actor", flat=True)) == {"ann"}
    assert DefinitionEvent.objects.order_by("id").last().actor == "ann"  # type: ignore[union-attr]
