"""Rights for some processes, some topics, one's own tasks: others are not there, in lists, alone, and in bodies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.test import Client

from bpm import engine
from bpm.access.models import Grant
from bpm.access.permissions import Permission
from bpm.models import HistoryEvent, Incident, ProcessInstance
from tests.access.conftest import token_of
from tests.access.routes import routes
from tests.access.test_tenants import BROKEN
from tests.api.caller import NOBODY, Api
from tests.api.definitions import EVERY, PAYMENT

pytestmark = pytest.mark.usefixtures("deployed")
Make = Callable[..., Api]


def _for(key: str, *permissions: str) -> list[dict[str, Any]]:
    return [{"permission": one, "definition_key": key} for one in permissions]


@pytest.fixture
def mine(db: None) -> str:
    """An instance of the process for which the rights are."""
    return str(engine.start("approval")["instance_id"])


@pytest.fixture
def other(db: None) -> str:
    """An instance of another process."""
    return str(engine.start("payment-flow")["instance_id"])


@pytest.fixture
def operator(caller: Make) -> Api:
    """Somebody who may operate one process."""
    return caller("olga", grants=_for("approval", "operate"))


class TestOfOneProcess:
    """Operate and view, for one definition key."""

    def test_lists_show_it_alone(self, operator: Api, mine: str, other: str) -> None:
        assert [one["instance_id"] for one in operator.get("/process-instances").items] == [mine]
        assert {one["process_def_id"] for one in operator.get("/process-definitions").items} == {"approval"}
        assert {one["process_def_id"] for one in operator.get("/tasks").items} == {"approval"}
        assert operator.get("/tasks", type="external").items == []
        assert operator.get("/process-instances", process_def_id="payment-flow").items == []

    @pytest.mark.parametrize("part", ["", "/history", "/trace", "/variables", "/scopes", "/explain"])
    def test_others_are_not_found(self, operator: Api, mine: str, other: str, part: str) -> None:
        operator.get(f"/process-instances/{mine}{part}").ok()
        operator.get(f"/process-instances/{other}{part}").problem(404, "InstanceNotFound")

    def test_others_are_not_changed(self, operator: Api, other: str) -> None:
        before = HistoryEvent.objects.count()
        for act in ("cancel", "suspend", "activate"):
            operator.post(f"/process-instances/{other}/{act}").problem(404, "InstanceNotFound")
        operator.post(f"/process-instances/{NOBODY}/cancel").problem(404, "InstanceNotFound")
        operator.post("/process-instances/nonsense/cancel").problem(404, "InstanceNotFound")
        assert HistoryEvent.objects.count() == before

    def test_its_own_are(self, operator: Api, mine: str) -> None:
        operator.post(f"/process-instances/{mine}/variables", {"variables": {"x": 1}}).ok()
        operator.post(f"/process-instances/{mine}/cancel").ok()

    def test_what_is_seen_but_not_for_one_is_forbidden(self, caller: Make, mine: str) -> None:
        viewer = caller("vera", Permission.VIEW, grants=_for("payment-flow", "operate"))
        viewer.post(f"/process-instances/{mine}/cancel").problem(403, "NotAllowed")

    def test_dead_letters_incidents_and_jobs_of_others_are_hidden(self, operator: Api, other: str) -> None:
        engine.deploy([("broken.bpmn", BROKEN)])
        engine.start("broken")
        incident = str(Incident.objects.get().pk)
        assert operator.get("/incidents").items == []
        operator.get(f"/incidents/{incident}").problem(404, "IncidentNotFound")
        operator.post(f"/incidents/{incident}/resolve").problem(404, "IncidentNotFound")
        operator.post("/incidents/retry", {"incident_ids": [incident]}).problem(404, "IncidentNotFound")
        operator.post("/incidents/retry", {"process_def_id": "broken"}).problem(403, "NotAllowed")
        operator.post("/incidents/retry", {}).problem(403, "NotAllowed")
        assert operator.post("/incidents/retry", {"process_def_id": "approval"}).ok() == []
        operator.post("/incidents/retry", {"instance_id": other}).problem(404, "InstanceNotFound")

    def test_timers_of_others_are_hidden(self, caller: Make) -> None:
        engine.start("waiting")
        assert len(caller("a", grants=_for("waiting", "view")).get("/timers").items) == 1
        assert caller("b", grants=_for("approval", "view")).get("/timers").items == []

    def test_migrations_stay_inside(self, operator: Api, mine: str, other: str) -> None:
        source, target = (str(ProcessInstance.objects.get(pk=one).definition_id) for one in (mine, other))
        body = {"source_definition_id": source, "target_definition_id": target, "instance_ids": [mine]}
        for path in ("/migrations/plan", "/migrations/preview", "/migrations/execute"):
            asked = {
                name: value for name, value in body.items() if name != "instance_ids" or "plan" not in path
            }
            operator.post(path, asked).problem(404, "DefinitionNotFound")
        operator.post(f"/process-instances/{mine}/migrate", {"target_definition_id": target}).problem(
            404, "DefinitionNotFound"
        )
        inside = body | {"target_definition_id": source, "instance_ids": [other]}
        (result,) = operator.post("/migrations/execute", inside).ok()
        assert result["status"] != 200


class TestStarting:
    """Start, for one definition key."""

    @pytest.fixture
    def starter(self, caller: Make) -> Api:
        """Somebody who may start one process and see nothing of it."""
        return caller("stan", grants=_for("approval", "start"))

    def test_it_starts_by_key_and_by_id(self, starter: Api, mine: str) -> None:
        starter.start("approval")
        starter.start(str(ProcessInstance.objects.get(pk=mine).definition_id))
        starter.get("/process-instances").problem(403, "NotAllowed")

    def test_others_do_not_start(self, starter: Api, other: str) -> None:
        version = str(ProcessInstance.objects.get(pk=other).definition_id)
        for name in ("payment-flow", version, "nonsense", NOBODY):
            body = {"process_def_id": name}
            starter.post("/process-instances", body).problem(404, "DefinitionNotFound")
        assert ProcessInstance.objects.count() == 1

    def test_beginning_in_the_middle_is_an_operators_act(self, starter: Api) -> None:
        body = {
            "process_def_id": "approval",
            "start_instructions": [{"type": "start_before", "node_id": "end"}],
        }
        starter.post("/process-instances", body).problem(403, "NotAllowed")

    def test_events_for_everybody_are_not_theirs(self, starter: Api, mine: str, other: str) -> None:
        starter.post("/messages", {"name": "m"}).problem(403, "NotAllowed")
        starter.post("/messages", {"name": "m", "process_def_id": "approval"}).problem(403, "NotAllowed")
        starter.post("/messages", {"name": "m", "instance_id": other}).problem(404, "InstanceNotFound")
        starter.post("/messages", {"name": "m", "instance_id": mine}).problem(404, "MessageUnmatched")
        starter.post("/signals", {"name": "s"}).problem(403, "NotAllowed")
        starter.post("/signals", {"name": "s", "instance_id": other}).problem(404, "InstanceNotFound")
        starter.post("/conditions", {}).problem(403, "NotAllowed")
        starter.post("/conditions", {"process_def_id": "payment-flow"}).problem(404, "DefinitionNotFound")


def test_deploying_is_for_the_processes_in_the_files(caller: Make) -> None:
    deployer = caller("dora", grants=_for("approval", "deploy"))
    changed = EVERY["approval.bpmn"].replace(b"Approve", b"Agree")
    assert deployer.deploy(changed).ok(201)["definitions"][0]["version"] == 2
    other = PAYMENT.replace(b"payment-flow", b"new-flow")
    assert deployer.deploy(other).problem(403, "NotAllowed").body["details"] == {"processes": ["new-flow"]}
    operator = caller("otto", Permission.VIEW)
    assert operator.get("/process-definitions", process_def_id="new-flow").items == []


class TestTopics:
    """Work, for one topic."""

    @pytest.fixture
    def worker(self, caller: Make) -> Api:
        """Somebody who may work on one topic."""
        return caller("wim", grants=[{"permission": "work", "topic": "mail"}])

    def test_only_its_topics_are_fetched(self, worker: Api, other: str) -> None:
        body = {"worker_id": "w", "task_types": ["mail"]}
        assert worker.post("/external-tasks/fetch-and-lock", body).ok() == []
        refused = worker.post("/external-tasks/fetch-and-lock", body | {"task_types": ["mail", "payment"]})
        assert refused.problem(403, "NotAllowed").body["details"] == {"topics": ["payment"]}

    def test_tasks_of_others_are_not_there(self, worker: Api, caller: Make, other: str) -> None:
        payer = caller("paul", grants=[{"permission": "work", "topic": "payment"}])
        (task,) = payer.fetch()
        path = f"/external-tasks/{task['task_id']}"
        worker.get(path).problem(404, "TaskNotFound")
        assert worker.get("/tasks").items == []
        assert len(payer.get("/tasks").items) == 1
        for act in ("complete", "fail", "bpmn-error", "extend-lock", "unlock"):
            body: dict[str, Any] = {"worker_id": "w1"}
            body |= {"error_code": "e"} if act == "bpmn-error" else {}
            body |= {"lock_duration_ms": 10} if act == "extend-lock" else {}
            worker.post(f"{path}/{act}", body).problem(404, "TaskNotFound")
        bulk = [{"task_id": task["task_id"], "worker_id": "w1"}]
        worker.post("/external-tasks/complete", bulk).problem(404, "TaskNotFound")
        assert payer.post("/external-tasks/complete", bulk).ok()[0]["status"] == 200

    def test_unlocking_for_somebody_else_is_an_operators_act(self, caller: Make, other: str) -> None:
        payer = caller("paul", grants=[{"permission": "work", "topic": "payment"}])
        (task,) = payer.fetch()
        payer.post(f"/external-tasks/{task['task_id']}/unlock").problem(403, "NotAllowed")


class TestPeople:
    """Complete: one's own tasks and those offered to one."""

    @pytest.fixture
    def task(self, mine: str) -> str:
        """A task for ann, bob and the group bosses."""
        return str(engine.start("approval")["instance_id"]) and _task_of(mine)

    def test_only_they_see_it(self, caller: Make, task: str) -> None:
        ann, eve = caller("ann", Permission.COMPLETE), caller("eve", Permission.COMPLETE)
        assert len(ann.get("/tasks").items) == 2
        assert eve.get("/tasks").items == []
        ann.get(f"/tasks/{task}").ok()
        ann.get(f"/tasks/{task}/variables").ok()
        eve.get(f"/tasks/{task}").problem(404, "TaskNotFound")
        eve.get(f"/tasks/{task}/variables").problem(404, "TaskNotFound")
        ann.post(f"/tasks/{task}/claim").ok()
        bob = caller("bob", Permission.COMPLETE)
        assert len(bob.get("/tasks").items) == 1
        bob.get(f"/tasks/{task}").problem(404, "TaskNotFound")

    def test_only_they_change_it(self, caller: Make, task: str) -> None:
        ann, eve = caller("ann", Permission.COMPLETE), caller("eve", Permission.COMPLETE)
        body = {"variables": {"x": 1}}
        eve.put(f"/tasks/{task}/variables", body).problem(403, "NotAllowed")
        eve.send_as("DELETE", f"/tasks/{task}/variables/x").problem(403, "NotAllowed")
        eve.post(f"/tasks/{task}/claim").problem(403, "TaskNotYours")
        eve.post(f"/tasks/{task}/complete").problem(403, "TaskNotYours")
        ann.put(f"/tasks/{task}/variables", body).ok()
        ann.post(f"/tasks/{task}/complete").ok()

    def test_a_group_is_enough(self, person: Callable[..., User], task: str, groups: Any) -> None:
        carl = person("carl", Permission.COMPLETE)
        carl.groups.add(Group.objects.create(name="bosses"))
        api = token_of(carl)
        assert len(api.get("/tasks").items) == 2
        api.put(f"/tasks/{task}/variables", {"variables": {"x": 1}}).ok()

    def test_a_process_can_be_the_only_one(self, caller: Make, task: str) -> None:
        ann = caller("ann", grants=_for("payment-flow", "complete"))
        assert ann.get("/tasks").items == []
        ann.get(f"/tasks/{task}").problem(404, "TaskNotFound")
        ann.post(f"/tasks/{task}/complete").problem(404, "TaskNotFound")


def _task_of(instance: str) -> str:
    from bpm.models import UserTask

    return str(UserTask.objects.get(instance__pk=instance).pk)


class TestGrants:
    """The table of grants, and the command that fills it."""

    @pytest.mark.parametrize(
        "fields",
        [
            {"permission": "view", "topic": "mail"},
            {"permission": "work", "definition_key": "approval"},
            {"permission": "administer", "definition_key": "approval"},
            {"permission": "everything"},
        ],
    )
    def test_what_means_nothing_is_refused(self, person: Callable[..., User], fields: dict[str, str]) -> None:
        user = person("ann")
        with pytest.raises(IntegrityError):
            Grant.objects.create(user=user, **fields)

    def test_a_grant_has_one_holder(self, db: None) -> None:
        with pytest.raises(IntegrityError):
            Grant.objects.create(permission="view")

    def test_a_grant_may_be_for_one_tenant(self, caller: Make) -> None:
        engine.deploy(list(EVERY.items()), tenant="acme")
        grants = [{"permission": "view", "tenant": "acme"}, {"permission": "start", "tenant": ""}]
        ann = caller("ann", grants=grants, tenants=("", "acme"))
        ann.get("/process-instances").problem(403, "NotAllowed")
        acme = ann.but(**{"x-tenant-id": "acme"})
        acme.get("/process-instances").ok()
        acme.post("/process-instances", {"process_def_id": "minimal"}).problem(403, "NotAllowed")
        ann.start("minimal")

    def test_the_command_gives_and_takes(self, person: Callable[..., User], mine: str, other: str) -> None:
        user = person("ann")
        api = token_of(user)
        call_command("grant", "view", "--user", "ann", "--definition-key", "approval")
        call_command("grant", "view", "--user", "ann", "--definition-key", "approval")
        assert [one["instance_id"] for one in api.get("/process-instances").items] == [mine]
        call_command("grant", "view", "--user", "ann", "--definition-key", "approval", "--revoke")
        api.get("/process-instances").problem(403, "NotAllowed")
        call_command("grant", "member", "--user", "ann", "--tenant", "acme")
        call_command("grant", "view", "--group", "BPM viewers", "--tenant", "acme")
        user.groups.add(Group.objects.get(name="BPM viewers"))
        assert api.get("/process-instances").items == []

    @pytest.mark.parametrize(
        "arguments",
        [
            ("view", "--user", "nobody"),
            ("view", "--group", "nothing"),
            ("member", "--user", "ann"),
            ("view", "--user", "ann", "--topic", "mail"),
            ("view", "--user", "ann", "--revoke"),
        ],
    )
    def test_the_command_says_what_is_wrong(
        self, person: Callable[..., User], arguments: tuple[str, ...]
    ) -> None:
        person("ann")
        with pytest.raises(CommandError):
            call_command("grant", *arguments)
        assert not Grant.objects.exists()


class TestPages:
    """Pages of somebody whose right is for one process."""

    def test_no_page_shows_another_process(self, person: Callable[..., User], client: Client) -> None:
        shown = engine.start("approval", business_key="to-be-seen")["instance_id"]
        hidden = engine.start(
            "payment-flow", business_key="not-to-be-seen", variables={"v": "not-to-be-seen"}
        )
        row = ProcessInstance.objects.get(pk=hidden["instance_id"])
        (leased,) = engine.fetch_and_lock("w", topics=["payment"], max_tasks=1, lock_ms=60_000)
        engine.fail_external_task(leased["task_id"], worker="w", error="not-to-be-seen", retries=0)
        client.force_login(person("olga", grants=_for("approval", "operate")))
        known = {
            "instance_id": str(row.pk),
            "definition_id": str(row.definition_id),
            "process": "payment-flow",
        }
        pages = [route for route in routes() if not route.of_api and not route.template.startswith("admin/")]
        found = 0
        for page in pages:
            for query in ("", "?business_key=not-to-be-seen", "?process=payment-flow"):
                answer = client.get(page.address(**known) + query, headers={"host": "localhost"})
                content = b"".join(answer) if answer.streaming else answer.content
                # A page repeats what is looked for; what is found is another matter.
                assert query or b"not-to-be-seen" not in content, page.template
                assert str(row.pk).encode() not in content.replace(page.address(**known).encode(), b"")
                found += shown.encode() in content
        assert found
