"""/process-instances/{id}/suspend and activate."""

from __future__ import annotations

import pytest

from bpm.models import ExternalTask, ProcessInstance, Timer
from tests.api.caller import NOBODY, Api

pytestmark = pytest.mark.usefixtures("deployed")


def test_a_suspended_instance_is_out_of_the_due_indexes_until_it_is_activated(api: Api) -> None:
    payment, waiting = api.start("payment-flow"), api.start("waiting")
    for instance in (payment, waiting):
        assert api.post(f"/process-instances/{instance}/suspend").ok()["status"] == "SUSPENDED"
    assert ExternalTask.objects.filter(suspended=True).count() == 1
    assert Timer.objects.filter(suspended=True).count() == 1
    assert api.fetch() == []
    assert api.get("/timers").items == []
    (timer,) = api.get("/timers", suspended="true").items
    api.post(f"/timers/{timer['timer_id']}/fire").problem(409, "Suspended")
    for instance in (payment, waiting):
        assert api.post(f"/process-instances/{instance}/activate").ok()["status"] == "RUNNING"
    assert len(api.fetch()) == 1
    assert len(api.get("/timers").items) == 1


def test_tasks_of_a_suspended_instance_say_so_and_are_not_completed(api: Api) -> None:
    instance = api.start("approval")
    api.post(f"/process-instances/{instance}/suspend").ok()
    (task,) = api.get("/tasks").items
    assert task["suspended"] is True
    api.post(f"/tasks/{task['task_id']}/complete").problem(409, "Suspended")
    events = [(event["event_type"], event["actor"]) for event in api.events(instance)][-2:]
    assert events == [("TokenSuspended", "olga"), ("InstanceSuspended", "olga")]


def test_the_same_call_under_its_key_answers_the_same(api: Api) -> None:
    instance = api.start("approval")
    first = api.post(f"/process-instances/{instance}/suspend", key="k").ok()
    api.post(f"/process-instances/{instance}/activate").ok()
    assert api.post(f"/process-instances/{instance}/suspend", key="k").ok() == first
    assert api.instance(instance)["status"] == "RUNNING"


def test_what_the_engine_froze_needs_a_release(api: Api) -> None:
    instance = api.start("approval")
    api.post(f"/process-instances/{instance}/suspend").ok()
    ProcessInstance.objects.filter(id=instance).update(suspended_because="invariant")
    api.post(f"/process-instances/{instance}/activate").problem(409, "Suspended")
    assert api.post(f"/process-instances/{instance}/activate", {"release": True}).ok()["status"] == "RUNNING"


def test_only_operators_suspend_and_only_what_is_there(api: Api, user: Api) -> None:
    instance = api.start("approval")
    for verb in ("suspend", "activate"):
        user.post(f"/process-instances/{instance}/{verb}").problem(403, "NotAllowed")
        api.post(f"/process-instances/{NOBODY}/{verb}").problem(404, "InstanceNotFound")
    api.post(f"/process-instances/{instance}/cancel").ok()
    api.post(f"/process-instances/{instance}/suspend").problem(409, "InstanceEnded")
