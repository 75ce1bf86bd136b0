"""/tasks: what people do."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group, User

from bpm.models import HistoryEvent
from tests.api.caller import NOBODY, Api

pytestmark = pytest.mark.usefixtures("deployed")
ACTIONS = ("complete", "claim", "unclaim", "assign")


@pytest.fixture
def task(api: Api) -> str:
    """An open task for ann, bob and the bosses."""
    api.start("approval", business_key="order 7")
    return str(api.get("/tasks", type="user").items[0]["task_id"])


def test_a_waiting_task_is_listed_and_shown(api: Api, task: str) -> None:
    (row,) = api.get("/tasks", type="user").items
    assert (row["type"], row["name"], row["node_id"], row["status"]) == ("user", "Approve", "approve", "OPEN")
    assert (row["process_def_id"], row["business_key"]) == ("approval", "order 7")
    assert (row["candidate_users"], row["candidate_groups"]) == (["ann", "bob"], ["bosses"])
    assert api.get(f"/tasks/{task}").ok() == row


def test_each_filter_narrows(api: Api, task: str) -> None:
    api.start("fork")

    def found(**query: object) -> set[str]:
        return {row["node_id"] for row in api.get("/tasks", type="user", **query).items}

    instance = api.get(f"/tasks/{task}").ok()["instance_id"]
    assert found() == {"approve", "a", "b", "c"}
    assert found(process_def_id="approval") == {"approve"}
    assert found(instance_id=instance) == {"approve"}
    assert found(node="b") == {"b"}
    assert found(candidate_user="ann") == {"approve"}
    assert found(candidate_user="bosses") == set()
    assert found(candidate_group="bosses") == {"approve"}
    assert found(assigned="true") == set()
    api.post(f"/tasks/{task}/assign", {"assignee": "ann"}).ok()
    assert found(assignee="ann") == found(assigned="true") == {"approve"}
    assert found(assigned="false") == {"a", "b", "c"}


def test_both_kinds_are_listed_together_in_pages(api: Api) -> None:
    api.start("fork")
    for _ in range(4):
        api.start("payment-flow")

    def pages(limit: int) -> list[tuple[str, str]]:
        seen: list[tuple[str, str]] = []
        cursor = None
        while True:
            page = api.get("/tasks", limit=limit, **({"cursor": cursor} if cursor else {})).ok()
            assert len(page["items"]) <= limit
            seen += [(row["type"], row["task_id"]) for row in page["items"]]
            cursor = page["next"]
            if cursor is None:
                return seen

    whole = pages(100)
    assert [kind for kind, _ in whole] == ["user"] * 3 + ["external"] * 4
    assert pages(1) == pages(2) == pages(3) == pages(5) == whole
    api.get("/tasks", cursor="else.x").problem(400, "CursorInvalid")


def test_a_filter_of_the_other_kind_is_refused(api: Api) -> None:
    assert api.get("/tasks", type="user", task_type="x").places == {("?task_type", "type")}
    assert api.get("/tasks", type="external", assignee="x").places == {("?assignee", "type")}
    assert api.get("/tasks", type="fax").places == {("?type", "choice")}
    assert api.get("/tasks", assignee="x", worker_id="x").places == {
        ("?assignee", "type"),
        ("?worker_id", "type"),
    }


def test_completing_sets_variables_and_goes_on(api: Api, task: str) -> None:
    body = api.post(f"/tasks/{task}/complete", {"variables": {"approved": True}}).ok()
    assert body["status"] == "COMPLETED"
    assert api.instance(body["instance_id"])["variables"] == {"approved": True}
    assert api.get("/tasks").items == []
    assert api.get(f"/tasks/{task}").ok()["status"] == "COMPLETED"
    done = next(e for e in api.events(body["instance_id"]) if e["event_type"] == "UserTaskCompleted")
    assert done["actor"] == "olga"


def test_only_who_may_completes(caller_named: Callable[..., Api], api: Api, task: str) -> None:
    ulf, ann, bea = (caller_named(name) for name in ("ulf", "ann", "bea"))
    User.objects.get(username="bea").groups.add(Group.objects.create(name="bosses"))
    ulf.post(f"/tasks/{task}/complete").problem(403, "TaskNotYours")
    ulf.post(f"/tasks/{task}/claim").problem(403, "TaskNotYours")
    bea.post(f"/tasks/{task}/claim").ok()
    ann.post(f"/tasks/{task}/complete").problem(403, "TaskNotYours")
    ann.post(f"/tasks/{task}/unclaim").problem(403, "TaskNotYours")
    assert api.get(f"/tasks/{task}").ok()["assignee"] == "bea"
    bea.post(f"/tasks/{task}/unclaim").ok()
    ann.post(f"/tasks/{task}/complete").ok()


def test_a_reassigned_task_is_not_completed_by_who_had_it(
    caller_named: Callable[..., Api], api: Api, task: str
) -> None:
    ann, bob = caller_named("ann"), caller_named("bob")
    ann.post(f"/tasks/{task}/claim").ok()
    api.post(f"/tasks/{task}/assign", {"assignee": "bob"}).ok()
    ann.post(f"/tasks/{task}/complete", {"variables": {"by": "ann"}}).problem(403, "TaskNotYours")
    done = bob.post(f"/tasks/{task}/complete", {"variables": {"by": "bob"}}).ok()
    assert api.instance(done["instance_id"])["variables"] == {"by": "bob"}


def test_acting_for_others_is_an_operators_act(caller_named: Callable[..., Api], api: Api, task: str) -> None:
    ann = caller_named("ann")
    ann.post(f"/tasks/{task}/claim", {"user": "bob"}).problem(403, "NotAllowed")
    ann.post(f"/tasks/{task}/assign", {"assignee": "ann"}).problem(403, "NotAllowed")
    assert api.get(f"/tasks/{task}").ok()["assignee"] is None
    api.post(f"/tasks/{task}/claim", {"user": "zoe"}).ok()
    assert api.get(f"/tasks/{task}").ok()["assignee"] == "zoe"
    api.post(f"/tasks/{task}/unclaim").ok()
    assert api.get(f"/tasks/{task}").ok()["assignee"] is None


@pytest.mark.parametrize("blank", [None, "", "   "])
def test_a_blank_assignee_is_nobody(api: Api, task: str, blank: str | None) -> None:
    """P109: a blank name is none."""
    api.post(f"/tasks/{task}/assign", {"assignee": "ann"}).ok()
    api.post(f"/tasks/{task}/assign", {"assignee": blank}).ok()
    assert api.get(f"/tasks/{task}").ok()["assignee"] is None


class TestRefusals:
    """What is refused writes nothing."""

    def test_a_completed_task(self, api: Api, task: str) -> None:
        api.post(f"/tasks/{task}/complete").ok()
        events = HistoryEvent.objects.count()
        for action in ACTIONS:
            api.post(f"/tasks/{task}/{action}").problem(409, "TaskClosed")
        assert HistoryEvent.objects.count() == events

    def test_a_task_of_an_ended_instance(self, api: Api, task: str) -> None:
        instance = api.get(f"/tasks/{task}").ok()["instance_id"]
        api.post(f"/process-instances/{instance}/cancel").ok()
        events = HistoryEvent.objects.count()
        for action in ACTIONS:
            api.post(f"/tasks/{task}/{action}").problem(409, "TaskClosed")
        assert HistoryEvent.objects.count() == events
        assert api.get(f"/tasks/{task}").ok()["status"] == "CANCELLED"

    @pytest.mark.parametrize("tenant", ["", "acme"])
    def test_a_task_that_is_not_there_or_not_there_for_this_tenant(
        self, api: Api, task: str, tenant: str
    ) -> None:
        caller = api.but(**{"x-tenant-id": tenant})
        events = HistoryEvent.objects.count()
        for wanted in (task if tenant else NOBODY, "1", "0" * 32 + "-" * 4, "%00"):
            caller.get(f"/tasks/{wanted}").problem(404, "TaskNotFound")
            for action in ACTIONS:
                caller.post(f"/tasks/{wanted}/{action}").problem(404, "TaskNotFound")
        assert caller.get("/tasks", type="user").items == ([] if tenant else api.get("/tasks").items)
        assert HistoryEvent.objects.count() == events

    @pytest.mark.parametrize(
        ("action", "body", "place", "rule"),
        [
            ("complete", {"variables": 1}, "/variables", "type"),
            ("complete", {"vars": {}}, "/vars", "unknown"),
            ("complete", [], "", "type"),
            ("claim", {"user": 1}, "/user", "type"),
            ("claim", {"user": ""}, "/user", "length"),
            ("unclaim", {"user": "ann"}, "/user", "unknown"),
            ("assign", {"assignee": ["ann"]}, "/assignee", "type"),
            ("assign", {"assignee": "x" * 256}, "/assignee", "length"),
        ],
    )
    def test_a_wrong_field_is_named(
        self, api: Api, task: str, action: str, body: object, place: str, rule: str
    ) -> None:
        answer = api.post(f"/tasks/{task}/{action}", body).problem(400, "RequestInvalid")
        assert answer.places == {(place, rule)}
        assert api.get(f"/tasks/{task}").ok()["status"] == "OPEN"
