"""/process-instances."""

from __future__ import annotations

import pytest

from bpm import engine
from bpm.models import HistoryEvent, ProcessInstance
from tests.api.caller import NOBODY, Api
from tests.api.definitions import EVERY, PAYMENT

pytestmark = pytest.mark.usefixtures("deployed")


def test_a_started_instance_has_come_to_rest_when_the_call_answers(api: Api) -> None:
    answer = api.post("/process-instances", {"process_def_id": "minimal"})
    body = answer.ok(201)
    assert body["status"] == "COMPLETED"
    assert body["process_def_id"] == "minimal"
    assert answer.headers["Location"].endswith(f"/api/v1/process-instances/{body['instance_id']}")
    shown = api.instance(body["instance_id"])
    assert (shown["status"], shown["current_nodes"], shown["tokens"]) == ("COMPLETED", [], [])
    assert shown["ended_at"] is not None


def test_a_waiting_instance_shows_where_it_waits_and_its_variables(api: Api) -> None:
    instance = api.start("payment-flow", variables={"amount": "100"}, business_key="order 1")
    shown = api.instance(instance)
    assert shown["status"] == "RUNNING"
    assert shown["current_nodes"] == ["pay"]
    assert shown["variables"] == {"amount": "100"}
    assert shown["business_key"] == "order 1"
    assert shown["version"] == 1
    (token,) = shown["tokens"]
    assert (token["node_id"], token["status"], token["wait"]) == ("pay", "Waiting", "external")


def test_a_waiting_join_tells_what_has_come_and_what_is_missing(api: Api) -> None:
    instance = api.start("fork")
    tasks = {task["node_id"]: task["task_id"] for task in api.get("/tasks", type="user").items}
    api.post(f"/tasks/{tasks['b']}/complete").ok()
    (join,) = api.instance(instance)["joins"]
    assert (join["node"], join["arrived"], join["expected"]) == ("join", 1, 3)
    assert join["missing"] == ["a-join", "c-join"]
    assert join["generation"] == 1
    assert join["group"] is not None
    assert join["since"] is not None
    api.post(f"/tasks/{tasks['a']}/complete").ok()
    assert api.instance(instance)["joins"][0]["missing"] == ["c-join"]
    api.post(f"/tasks/{tasks['c']}/complete").ok()
    assert (api.instance(instance)["status"], api.instance(instance)["joins"]) == ("COMPLETED", [])


def test_a_version_can_be_started_by_number_and_by_definition_id(api: Api) -> None:
    again = PAYMENT.replace(b'id="pay"', b'id="pay2"').replace(b'"pay"', b'"pay2"')
    second = engine.deploy([("payment.bpmn", again)])["definitions"][0]
    assert second["version"] == 2
    assert api.instance(api.start("payment-flow"))["current_nodes"] == ["pay2"]
    assert api.instance(api.start("payment-flow", version=1))["current_nodes"] == ["pay"]
    assert api.instance(api.start(second["id"]))["version"] == 2


def test_cancelling_ends_everything_and_says_who_and_why(api: Api) -> None:
    instance = api.start("fork")
    body = api.post(f"/process-instances/{instance}/cancel", {"reason": "wrong order"}).ok()
    assert body["status"] == "CANCELLED"
    assert api.get("/tasks", type="user").items == []
    last = api.events(instance)[-1]
    assert (last["event_type"], last["actor"]) == ("InstanceCancelled", "olga")
    assert last["payload"]["reason"] == "wrong order"
    api.post(f"/process-instances/{instance}/cancel").problem(409, "InstanceEnded")


class TestLists:
    """GET /process-instances."""

    def test_pages_follow_each_other_without_gap_or_repetition(self, api: Api) -> None:
        started = [api.start("minimal") for _ in range(7)]
        seen: list[str] = []
        cursor: str | None = None
        while True:
            page = api.get("/process-instances", limit=3, **({"cursor": cursor} if cursor else {})).ok()
            seen += [item["instance_id"] for item in page["items"]]
            cursor = page["next"]
            if cursor is None:
                break
        assert seen == started[::-1]

    def test_each_filter_narrows(self, api: Api) -> None:
        ended = api.start("minimal", business_key="k1")
        paying = api.start("payment-flow", business_key="k2")
        failed = api.start("choice")
        cancelled = api.start("fork")
        api.post(f"/process-instances/{cancelled}/cancel").ok()

        def found(**query: object) -> set[str]:
            return {item["instance_id"] for item in api.get("/process-instances", **query).items}

        assert found() == {ended, paying, failed, cancelled}
        assert found(status="COMPLETED") == {ended}
        assert found(status="CANCELLED") == {cancelled}
        assert found(process_def_id="payment-flow") == {paying}
        assert found(process_def_id="payment-flow", version=2) == set()
        assert found(business_key="k1") == {ended}
        assert found(node="pay") == {paying}
        assert found(node="a") == set()
        assert found(incident="true") == {failed}
        assert found(incident="false") == {ended, paying, cancelled}
        assert found(running="true") == {paying, failed}
        assert found(running="false") == {ended, cancelled}
        assert found(status="FAILED", incident="true", process_def_id="choice") == {failed}

    def test_the_range_of_starts_is_half_open(self, api: Api) -> None:
        instances = [api.start("minimal") for _ in range(3)]
        times = [api.instance(instance)["started_at"] for instance in instances]

        def found(**query: object) -> list[str]:
            return [item["instance_id"] for item in api.get("/process-instances", **query).items]

        assert found(started_from=times[1]) == instances[:0:-1]
        assert found(started_before=times[1]) == instances[:1]
        assert found(started_from=times[0], started_before=times[2]) == instances[1::-1]
        assert found(started_before="9999-12-31T23:59:59Z") == instances[::-1]
        assert found(started_from="0001-01-01T00:00:00Z") == instances[::-1]

    @pytest.mark.parametrize(
        ("query", "place", "rule"),
        [
            ({"status": "BROKEN"}, "?status", "choice"),
            ({"limit": "0"}, "?limit", "range"),
            ({"limit": "1001"}, "?limit", "range"),
            ({"limit": "many"}, "?limit", "type"),
            ({"version": "9999999999"}, "?version", "range"),
            ({"started_from": "yesterday"}, "?started_from", "instant"),
            ({"started_from": "2026-01-01T00:00:00"}, "?started_from", "instant"),
            ({"definition_id": "1"}, "?definition_id", "id"),
            ({"incident": "maybe"}, "?incident", "type"),
            ({"business_key": "\x00"}, "?business_key", "nul"),
            ({"colour": "red"}, "?colour", "unknown"),
        ],
    )
    def test_a_bad_filter_is_named(self, api: Api, query: dict[str, str], place: str, rule: str) -> None:
        answer = api.get("/process-instances", **query).problem(400, "RequestInvalid")
        assert answer.places == {(place, rule)}

    @pytest.mark.parametrize("cursor", ["x", "AAAA", "ä", "MQ", "////"])
    def test_a_cursor_of_something_else_is_refused(self, api: Api, cursor: str) -> None:
        api.get("/process-instances", cursor=cursor).problem(400, "CursorInvalid")

    def test_a_parameter_given_twice_is_refused(self, api: Api) -> None:
        answer = api.get("/process-instances?status=RUNNING&status=FAILED")
        assert answer.problem(400, "RequestInvalid").places == {("?status", "once")}


class TestRefusals:
    """What cannot be started, shown or cancelled; nothing is written."""

    @pytest.fixture(autouse=True)
    def _nothing_is_written(self, api: Api) -> object:
        before = HistoryEvent.objects.count()
        yield
        assert HistoryEvent.objects.count() == before

    @pytest.mark.parametrize(
        ("body", "place", "rule"),
        [
            ({}, "/process_def_id", "required"),
            ({"process_def_id": None}, "/process_def_id", "required"),
            ({"process_def_id": 5}, "/process_def_id", "type"),
            ({"process_def_id": ""}, "/process_def_id", "length"),
            ({"process_def_id": "x" * 256}, "/process_def_id", "length"),
            ({"process_def_id": "a\nb"}, "/process_def_id", "printable"),
            ({"process_def_id": "minimal", "version": "1"}, "/version", "type"),
            ({"process_def_id": "minimal", "version": True}, "/version", "type"),
            ({"process_def_id": "minimal", "version": 1.0}, "/version", "type"),
            ({"process_def_id": "minimal", "version": 0}, "/version", "range"),
            ({"process_def_id": "minimal", "variables": []}, "/variables", "type"),
            ({"process_def_id": "minimal", "colour": "red"}, "/colour", "unknown"),
            ({"process_def_id": "minimal", "a/b~c": 1}, "/a~1b~0c", "unknown"),
            ([], "", "type"),
            ("text", "", "type"),
        ],
    )
    def test_a_wrong_field_is_named(self, api: Api, body: object, place: str, rule: str) -> None:
        answer = api.post("/process-instances", body).problem(400, "RequestInvalid")
        assert (place, rule) in answer.places

    def test_all_that_is_wrong_is_named_at_once(self, api: Api) -> None:
        answer = api.post("/process-instances", {"version": 0, "variables": 1, "x": 1, "y": 2})
        assert answer.problem(400, "RequestInvalid").places == {
            ("/process_def_id", "required"),
            ("/version", "range"),
            ("/variables", "type"),
            ("/x", "unknown"),
            ("/y", "unknown"),
        }

    def test_an_unknown_definition(self, api: Api) -> None:
        api.post("/process-instances", {"process_def_id": "nothing"}).problem(404, "DefinitionNotFound")
        api.post("/process-instances", {"process_def_id": NOBODY}).problem(404, "DefinitionNotFound")
        body = {"process_def_id": "minimal", "version": 7}
        api.post("/process-instances", body).problem(404, "DefinitionNotFound")

    def test_a_definition_that_is_not_executable(self, api: Api) -> None:
        api.post("/process-instances", {"process_def_id": "draft"}).problem(422, "NotStartable")

    @pytest.mark.parametrize("path", ["", "/history", "/trace", "/variables"])
    @pytest.mark.parametrize("instance", [NOBODY, "1", "x" * 36, "-" * 36, "0" * 32 + "-" * 4, "%00", "a%2Fb"])
    def test_an_instance_that_is_not_there(self, api: Api, instance: str, path: str) -> None:
        assert api.get(f"/process-instances/{instance}{path}").status == 404

    @pytest.mark.parametrize("instance", [NOBODY, "1", "x" * 36, "-" * 36, "0" * 32 + "-" * 4, "%00"])
    def test_cancelling_one_that_is_not_there(self, api: Api, instance: str) -> None:
        api.post(f"/process-instances/{instance}/cancel").problem(404, "InstanceNotFound")

    def test_other_methods(self, api: Api) -> None:
        answer = api.get("/process-instances/1/cancel").problem(405, "MethodNotAllowed")
        assert answer.headers["Allow"] == "POST, OPTIONS"


def test_another_tenant_sees_and_reaches_nothing(api: Api) -> None:
    instance = api.start("payment-flow")
    other = api.but(**{"x-tenant-id": "acme"})
    for path in ("", "/history", "/trace", "/variables"):
        other.get(f"/process-instances/{instance}{path}").problem(404, "InstanceNotFound")
    other.post(f"/process-instances/{instance}/cancel").problem(404, "InstanceNotFound")
    other.post(f"/process-instances/{instance}/variables", {"variables": {"a": 1}}).problem(404, "InstanceNotFound")
    other.post("/process-instances", {"process_def_id": "payment-flow"}).problem(404, "DefinitionNotFound")
    assert other.get("/process-instances").items == []
    assert api.instance(instance)["status"] == "RUNNING"


def test_each_tenant_starts_its_own_version(api: Api) -> None:
    engine.deploy(list(EVERY.items()), tenant="acme")
    other = api.but(**{"x-tenant-id": "acme"})
    instance = other.start("payment-flow")
    assert other.instance(instance)["tenant"] == "acme"
    api.get(f"/process-instances/{instance}").problem(404, "InstanceNotFound")
    assert ProcessInstance.objects.get().tenant == "acme"
