"""`Idempotency-Key`: an answer that got lost can be asked for again."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client

from bpm.models import HistoryEvent, IdempotencyRecord, ProcessInstance
from bpm.shell.clock import frozen
from tests.api.caller import Answer, Api
from tests.api.definitions import MINIMAL

START = "/process-instances"
FETCH = "/external-tasks/fetch-and-lock"
WANTED = {"worker_id": "w1", "task_types": ["payment"], "max_tasks": 5, "lock_duration_ms": 60_000}


@pytest.mark.usefixtures("deployed")
class TestOneAfterTheOther:
    """The second call comes when the first has been answered."""

    def test_the_same_start_again_is_the_same_instance(self, api: Api) -> None:
        body = {"process_def_id": "payment-flow", "variables": {"amount": 1}}
        first = api.post(START, body, key="k1").ok(201)
        assert api.post(START, body, key="k1").ok(201) == first
        assert ProcessInstance.objects.count() == 1
        assert api.post(START, body, key="k2").ok(201)["instance_id"] != first["instance_id"]

    @pytest.mark.parametrize(
        ("path", "body"),
        [
            (START, {"process_def_id": "payment-flow", "variables": {"amount": 2}}),
            (FETCH, WANTED),
        ],
    )
    def test_another_call_under_the_key_is_refused(self, api: Api, path: str, body: object) -> None:
        api.post(START, {"process_def_id": "payment-flow"}, key="k1").ok(201)
        events = HistoryEvent.objects.count()
        api.post(path, body, key="k1").problem(422, "IdempotencyMismatch")
        assert HistoryEvent.objects.count() == events

    def test_another_query_is_another_call(self, api: Api) -> None:
        path = "/process-definitions/deploy"
        api.send(f"{path}?name=a", MINIMAL, "application/xml", key="k1").ok(201)
        again = api.send(f"{path}?name=b", MINIMAL, "application/xml", key="k1")
        again.problem(422, "IdempotencyMismatch")

    def test_a_refusal_uses_no_key_up(self, api: Api) -> None:
        api.post(START, {"process_def_id": "nothing"}, key="k1").problem(404, "DefinitionNotFound")
        api.post(START, {"process_def_id": "payment-flow"}, key="k1").ok(201)

    def test_callers_and_tenants_have_keys_of_their_own(self, api: Api, user: Api) -> None:
        body = {"process_def_id": "payment-flow"}
        first = api.post(START, body, key="k1").ok(201)
        assert user.post(START, body, key="k1").ok(201) != first
        api.post(START, body, key="k1", tenant="acme").problem(404, "DefinitionNotFound")

    def test_a_fetch_whose_answer_got_lost_gives_the_same_leases(self, api: Api) -> None:
        api.start("payment-flow"), api.start("payment-flow")
        first = api.post(FETCH, WANTED, key="r1").ok()
        assert len(first) == 2
        assert api.post(FETCH, WANTED, key="r1").ok() == first
        assert api.post(FETCH, WANTED, key="r2").ok() == []

    def test_so_does_one_whose_answer_is_large(self, api: Api) -> None:
        large = {"large": "x" * 200_000}
        instance = api.start("payment-flow", variables=large)
        first = api.post(FETCH, WANTED, key="r1").ok()
        again = api.post(FETCH, WANTED, key="r1").ok()
        assert [task["variables"] for task in first] == [large]
        assert again == first
        assert again[0]["instance_id"] == instance

    def test_a_fetch_that_found_nothing_uses_no_key_up(self, api: Api) -> None:
        assert api.post(FETCH, WANTED, key="r1").ok() == []
        api.start("payment-flow")
        (task,) = api.post(FETCH, WANTED, key="r1").ok()
        assert [again["lease_id"] for again in api.post(FETCH, WANTED, key="r1").ok()] == [task["lease_id"]]

    @pytest.mark.parametrize("action", ["complete", "fail", "bpmn-error", "extend-lock", "unlock"])
    def test_what_a_worker_said_is_done_once(self, api: Api, action: str) -> None:
        api.start("payment-flow")
        (task,) = api.fetch(lock_duration_ms=5_000)
        extra: dict[str, dict[str, object]] = {
            "bpmn-error": {"error_code": "E"},
            "extend-lock": {"lock_duration_ms": 9_000},
        }
        body = {"worker_id": "w1", "lease_id": task["lease_id"]} | extra.get(action, {})
        path = f"/external-tasks/{task['task_id']}/{action}"
        first = api.post(path, body, key="k1").ok()
        events = HistoryEvent.objects.count()
        with frozen(datetime.now(UTC) + timedelta(seconds=60)):
            assert api.post(path, body, key="k1").ok() == first
        assert HistoryEvent.objects.count() == events

    def test_one_key_covers_a_whole_list(self, api: Api) -> None:
        api.start("payment-flow"), api.start("payment-flow")
        asked = [{"task_id": task["task_id"], "worker_id": "w1"} for task in api.fetch()]
        asked.append({"task_id": asked[0]["task_id"], "worker_id": "w2"})
        first = api.post("/external-tasks/complete", asked, key="k1").ok()
        assert [item["status"] for item in first] == [200, 200, 409]
        events = HistoryEvent.objects.count()
        assert api.post("/external-tasks/complete", asked, key="k1").ok() == first
        assert HistoryEvent.objects.count() == events

    def test_every_write_takes_a_key(self, api: Api) -> None:
        instance = api.start("approval")
        task = api.get("/tasks", type="user").items[0]["task_id"]
        failed = api.start("choice")
        (incident,) = api.get("/incidents", instance_id=failed).items
        calls = [
            (f"/tasks/{task}/claim", {}),
            (f"/tasks/{task}/unclaim", {}),
            (f"/tasks/{task}/assign", {"assignee": "ann"}),
            (f"/process-instances/{instance}/variables", {"variables": {"a": 1}}),
            (f"/tasks/{task}/complete", {}),
            (f"/tokens/{incident['token_id']}/retry", {}),
            (f"/process-instances/{failed}/cancel", {}),
        ]
        for number, (path, body) in enumerate(calls):
            first = api.post(path, body, key=f"k{number}").ok()
            events = HistoryEvent.objects.count()
            assert api.post(path, body, key=f"k{number}").ok() == first
            assert HistoryEvent.objects.count() == events, path
        assert IdempotencyRecord.objects.count() == len(calls)


@pytest.fixture
def threads(transactional_db: None, api: Api, deployed: None) -> Iterator[ThreadPoolExecutor]:
    """A pool whose threads leave no database connection behind."""
    with ThreadPoolExecutor(10) as pool:
        yield pool


def _post(api: Api, path: str, body: object, key: str) -> Answer:
    """Send it as a client does: again where it is told to come again, because another one takes long."""
    caller = Api(Client(), **api.headers)
    try:
        for _ in range(60):
            answer = caller.post(path, body, key=key)
            if "Retry-After" not in answer.headers:
                break
        return answer
    finally:
        connection.close()


def test_ten_at_once_start_one_instance(threads: ThreadPoolExecutor, api: Api) -> None:
    body = {"process_def_id": "payment-flow", "variables": {"amount": 1}}
    answers = list(threads.map(lambda _: _post(api, START, body, "k1"), range(10)))
    assert {answer.status for answer in answers} == {201}
    assert len({answer.body["instance_id"] for answer in answers}) == 1
    assert ProcessInstance.objects.count() == 1
    other = body | {"variables": {"amount": 2}}
    api.post(START, other, key="k1").problem(422, "IdempotencyMismatch")


def test_ten_workers_at_once_share_nothing(threads: ThreadPoolExecutor, api: Api) -> None:
    for _ in range(20):
        api.start("payment-flow")
    bodies = [WANTED | {"worker_id": f"w{number}"} for number in range(10)]
    answers = list(threads.map(lambda body: _post(api, FETCH, body, ""), bodies))
    leased = [task["task_id"] for answer in answers for task in answer.ok()]
    assert len(leased) == len(set(leased)) == 20


def test_one_of_several_completions_at_once_wins(threads: ThreadPoolExecutor, api: Api) -> None:
    instance = api.start("payment-flow")
    (task,) = api.fetch()
    path = f"/external-tasks/{task['task_id']}/complete"
    bodies = [{"worker_id": "w1", "variables": {"n": number}} for number in range(8)]
    answers = list(threads.map(lambda body: _post(api, path, body, ""), bodies))
    assert sorted(answer.status for answer in answers) == [200] + [409] * 7
    (winner,) = [body for body, answer in zip(bodies, answers, strict=True) if answer.status == 200]
    assert api.instance(instance)["variables"] == winner["variables"]
