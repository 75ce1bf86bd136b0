"""Tenants are apart: a foreign tenant's things are not there, whatever is asked for and however."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from bpm import engine
from bpm.access.models import Membership
from bpm.access.permissions import Permission
from bpm.models import (
    Definition,
    Deployment,
    ExternalTask,
    HistoryEvent,
    Incident,
    Job,
    ProcessInstance,
    Timer,
    Token,
    UserTask,
    Variable,
)
from bpm.queries.starters import list_starters
from tests.access.conftest import token_of
from tests.access.routes import routes
from tests.api.caller import Api
from tests.api.definitions import END, EVERY, START, bpmn, flow, line

ALL = tuple(Permission)
MESSAGE = (
    b'<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="f" targetNamespace="urn:t">'
    b'<message id="m" name="paid"/><signal id="s" name="alarm"/>'
    b'<process id="listener" isExecutable="true"><startEvent id="a"/>'
    b'<intermediateCatchEvent id="b"><messageEventDefinition messageRef="m"/></intermediateCatchEvent>'
    b'<intermediateCatchEvent id="c"><signalEventDefinition signalRef="s"/></intermediateCatchEvent>'
    b'<endEvent id="e"/><sequenceFlow id="1" sourceRef="a" targetRef="b"/>'
    b'<sequenceFlow id="2" sourceRef="a" targetRef="c"/><sequenceFlow id="3" sourceRef="b" targetRef="e"/>'
    b'<sequenceFlow id="4" sourceRef="c" targetRef="e"/></process></definitions>'
)
ASYNC = bpmn(
    "later",
    START + '<userTask id="t" camunda:asyncBefore="true"/>' + END + line("start", "t", "end"),
)
BROKEN = bpmn(
    "broken",
    START + '<exclusiveGateway id="g"/>' + END + flow("start", "g") + flow("g", "end", "${nothing.there}"),
)
TABLES = (
    Definition,
    Deployment,
    ExternalTask,
    HistoryEvent,
    Incident,
    Job,
    ProcessInstance,
    Timer,
    Token,
    UserTask,
    Variable,
)


@pytest.fixture
def acme(db: None) -> dict[str, str]:
    """One of everything, in the tenant acme: name of a route's argument to id."""
    files = [*EVERY.items(), ("listener.bpmn", MESSAGE), ("later.bpmn", ASYNC), ("broken.bpmn", BROKEN)]
    engine.deploy(files, tenant="acme")
    for key in ("approval", "waiting", "listener", "later", "broken", "payment-flow"):
        engine.start(key, tenant="acme", variables={"secret": "acme's own"})
    instance = ProcessInstance.objects.get(definition_key="approval")
    return {
        "instance_id": str(instance.pk),
        "definition_id": str(instance.definition_id),
        "deployment_id": str(Deployment.objects.get().pk),
        "task_id": str(UserTask.objects.get(instance=instance).pk),
        "token_id": str(Token.objects.filter(instance=instance, final=False).get().pk),
        "job_id": str(Job.objects.get().pk),
        "timer_id": str(Timer.objects.get().pk),
        "incident_id": str(Incident.objects.get().pk),
        "external": str(ExternalTask.objects.get().pk),
        "name": "secret",
    }


def _everything() -> list[Any]:
    return [sorted(map(repr, table.objects.values_list())) for table in TABLES]


BODIES: dict[str, Any] = {
    "modify": {"instructions": [{"type": "cancel", "node_id": "approve"}]},
    "migrate": {"target_definition_id": "00000000-0000-7000-8000-000000000000"},
    "variables": {"variables": {"x": 1}},
    "retries": {"retries": 3},
    "priority": {"priority": 3},
    "complete": {"worker_id": "w"},
    "fail": {"worker_id": "w"},
    "bpmn-error": {"worker_id": "w", "error_code": "e"},
    "extend-lock": {"worker_id": "w", "lock_duration_ms": 5},
    "unlock": {"worker_id": "w"},
    "delegate": {"assignee": "x"},
    "escalation": {"escalation_code": "e"},
    "comments": {"text": "hello"},
    "seek": {"cursor": 0},
}


def _bodies(template: str, method: str) -> list[dict[str, Any]]:
    last = template.rpartition("/")[2]
    more = [{"error_code": "e"}, {"due_at": "2030-01-01T00:00:00Z"}, {"available_at": "2030-01-01T00:00:00Z"}]
    return [{}, BODIES.get(last, {}), {"name": "x"}, *more] if method in ("POST", "PUT", "PATCH") else [{}]


@pytest.mark.parametrize("superuser", [False, True])
def test_foreign_ids_stand_for_nothing_and_change_nothing(
    person: Callable[..., User], acme: dict[str, str], superuser: bool
) -> None:
    user = person("eve", *ALL)
    user.is_superuser = superuser
    user.save()
    api = token_of(user)
    before = _everything()
    wrong, asked = [], 0
    for route in routes():
        if not route.of_api or "<" not in route.template or "rest" in route.template:
            continue
        known = dict(acme)
        if "external-tasks" in route.template or "dead-letters" in route.template:
            known["task_id"] = acme["external"]
        for method in route.methods:
            for body in _bodies(route.template, method):
                asked += 1
                answer = api.send_as(method, route.address(**known).removeprefix("/api/v1"), body)
                # What is wrong with a body may be said before anything is looked for.
                if answer.status not in (404, 400) or b"acme" in answer.content:
                    wrong.append(f"{method} {route.template} {body}: {answer.status}")
        assert any(
            api.send_as(method, route.address(**known).removeprefix("/api/v1"), body).status == 404
            for method in route.methods
            for body in _bodies(route.template, method)
        ), route.template
    assert not wrong
    assert asked > 100
    assert _everything() == before


def test_lists_show_the_own_tenant_only(person: Callable[..., User], acme: dict[str, str]) -> None:
    api = token_of(person("eve", *ALL))
    for path in ("/process-instances", "/process-definitions", "/tasks", "/incidents", "/jobs", "/timers"):
        assert api.get(path).items == [], path
    member = token_of(person("ann", *ALL, tenants=("acme",)))
    for path in ("/process-instances", "/process-definitions", "/tasks", "/incidents", "/jobs", "/timers"):
        assert member.get(path).items, path


def test_the_header_counts_for_members_only(person: Callable[..., User], acme: dict[str, str]) -> None:
    eve = token_of(person("eve", *ALL)).but(**{"x-tenant-id": "acme"})
    answer = eve.get("/process-instances").problem(403, "NotAllowed")
    # Whether there is such a tenant is not told.
    nowhere = eve.but(**{"x-tenant-id": "nowhere"}).get("/process-instances").problem(403, "NotAllowed")
    assert answer.content == nowhere.content
    ann = token_of(person("ann", *ALL, tenants=("acme", "other")))
    assert len(ann.but(**{"x-tenant-id": "acme"}).get("/process-instances").items) == 6
    assert ann.but(**{"x-tenant-id": "other"}).get("/process-instances").items == []
    assert "several tenants" in ann.get("/process-instances").problem(403, "NotAllowed").body["detail"]


def test_the_only_tenant_needs_no_header(person: Callable[..., User], acme: dict[str, str]) -> None:
    user = person("ann", *ALL, tenants=("acme",))
    assert token_of(user).get(f"/process-instances/{acme['instance_id']}").ok()["tenant"] == "acme"
    Membership.objects.create(user=user, tenant="")
    assert token_of(user).get("/process-instances").items == []


def test_groups_are_members_too(
    person: Callable[..., User], groups: dict[Permission, Any], acme: dict[str, str]
) -> None:
    Membership.objects.create(group=groups[Permission.VIEW], tenant="acme")
    assert len(token_of(person("ann", Permission.VIEW)).get("/process-instances").items) == 6


class TestOneKeyInTwoTenants:
    """The same process in two tenants: two processes."""

    @pytest.fixture
    def two(self, person: Callable[..., User], db: None) -> tuple[Api, Api]:
        """A caller of each tenant."""
        for tenant in ("north", "south"):
            engine.deploy([*EVERY.items(), ("listener.bpmn", MESSAGE)], tenant=tenant)
        north, south = (token_of(person(name, *ALL, tenants=(name,))) for name in ("north", "south"))
        return north, south

    def test_versions_and_instances_are_apart(self, two: tuple[Api, Api]) -> None:
        north, south = two
        north.deploy(EVERY["approval.bpmn"].replace(b"Approve", b"Agree")).ok(201)
        assert [
            one["version"] for one in north.get("/process-definitions", process_def_id="approval").items
        ] == [1, 2]
        assert [
            one["version"] for one in south.get("/process-definitions", process_def_id="approval").items
        ] == [1]
        instance = north.start("approval")
        south.get(f"/process-instances/{instance}").problem(404, "InstanceNotFound")
        assert south.get("/tasks").items == []

    @pytest.mark.django_db(transaction=True)
    def test_messages_and_signals_stay_inside(self, two: tuple[Api, Api]) -> None:
        north, south = two
        instance = south.start("listener")
        north.post("/messages", {"name": "paid"}).problem(404, "MessageUnmatched")
        north.post("/messages", {"name": "paid", "instance_id": instance}).problem(404, "MessageUnmatched")
        assert north.post("/signals", {"name": "alarm"}).ok()["instances"] == 0
        assert south.instance(instance)["live_tokens"] == 2
        south.post("/messages", {"name": "paid"}).ok()
        assert south.post("/signals", {"name": "alarm"}).ok()["instances"] == 1
        assert south.instance(instance)["status"] == "COMPLETED"

    @pytest.mark.django_db(transaction=True)
    def test_a_buffered_message_waits_in_its_tenant(self, two: tuple[Api, Api]) -> None:
        north, south = two
        north.post("/messages", {"name": "paid", "ttl_ms": 60_000}).ok()
        waiting = south.start("listener")
        assert south.instance(waiting)["live_tokens"] == 2
        assert north.instance(north.start("listener"))["live_tokens"] == 1

    def test_topics_are_apart(self, two: tuple[Api, Api]) -> None:
        north, south = two
        south.start("payment-flow")
        assert north.fetch() == []
        assert len(south.fetch()) == 1

    def test_timers_are_apart(self, two: tuple[Api, Api]) -> None:
        north, south = two
        south.start("waiting")
        (timer,) = south.get("/timers").items
        north.post(f"/timers/{timer['timer_id']}/fire").problem(404, "TimerNotFound")
        assert north.get("/timers").items == []
        south.post(f"/timers/{timer['timer_id']}/fire").ok()

    def test_idempotency_keys_are_apart(self, person: Callable[..., User], two: tuple[Api, Api]) -> None:
        both = token_of(person("both", *ALL, tenants=("north", "south")))
        body = {"process_def_id": "approval"}
        first = both.post("/process-instances", body, key="k", tenant="north").ok(201)
        second = both.post("/process-instances", body, key="k", tenant="south").ok(201)
        assert first["instance_id"] != second["instance_id"]

    def test_starters_are_apart(self, two: tuple[Api, Api]) -> None:
        assert list_starters("") == ()
        assert list_starters("north")


class TestPages:
    """Pages show the tenant of who looks."""

    def test_a_member_of_several_chooses(
        self, person: Callable[..., User], client: Any, acme: dict[str, str]
    ) -> None:
        address = f"/cockpit/instances/{acme['instance_id']}/"
        client.force_login(person("ann", *ALL, tenants=("acme", "other")))
        way = client.get(address).headers["Location"]
        assert way == f"/accounts/tenant/?next={address}"
        assert b'value="acme"' in client.get(way).content
        assert client.post(way, {"tenant": "third"}).status_code == 403
        assert client.post(way, {"tenant": "acme", "next": address}).headers["Location"] == address
        assert client.get(address).status_code == 200
        client.post(way, {"tenant": "other", "next": "//evil.example/"})
        assert client.get(address).status_code == 404
        # What was chosen is forgotten with the membership.
        Membership.objects.filter(tenant="other").delete()
        assert client.get(address).status_code == 200

    def test_a_page_shows_its_readers_tenant(
        self, person: Callable[..., User], client: Any, acme: dict[str, str]
    ) -> None:
        address = f"/cockpit/instances/{acme['instance_id']}/"
        client.force_login(person("eve", *ALL))
        assert client.get(address).status_code == 404
        assert client.get(address, headers={"x-tenant-id": "acme"}).status_code == 403
        client.force_login(person("ann", *ALL, tenants=("acme",)))
        assert client.get(address).status_code == 200

    def test_no_page_shows_a_foreign_tenants_things(
        self, person: Callable[..., User], client: Any, acme: dict[str, str]
    ) -> None:
        client.force_login(person("eve", *(one for one in ALL if one is not Permission.ADMINISTER)))
        pages = [route for route in routes() if not route.of_api and not route.template.startswith("admin/")]
        assert len(pages) > 10
        for page in pages:
            answer = client.get(page.address(**acme))
            content = b"".join(answer) if answer.streaming else answer.content
            assert b"acme" not in content, page.template
            if "_id>" in page.template:
                assert answer.status_code in (404, 405), page.template

    def test_no_form_changes_a_foreign_tenants_things(
        self, person: Callable[..., User], client: Any, acme: dict[str, str]
    ) -> None:
        client.force_login(person("eve", *(one for one in ALL if one is not Permission.ADMINISTER)))
        before = _everything()
        known = acme | {"process": "approval"}
        pages = [route for route in routes() if route.template.startswith(("tasks/", "cockpit/"))]
        asked = [page for page in pages if "POST" in page.methods and "<" in page.template]
        for page in asked:
            answer = client.post(page.address(**known), {"text": "x", "user": "eve", "assignee": "eve"})
            assert answer.status_code in (404, 405), page.template
        assert len(asked) > 5
        assert _everything() == before
