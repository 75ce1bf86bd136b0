"""Fetches that ask for more than topics: limits, lease times, variables (semantics §5)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bpm import engine
from bpm.core.errors import Invalid, VariableInvalid
from bpm.core.ids import NIL
from bpm.engine import Topic
from bpm.models import Definition, ExternalTask
from bpm.shell.clock import frozen
from tests.support.clock import START
from tests.support.loop_models import deploy, external, process
from tests.support.statements import executed

pytestmark = pytest.mark.usefixtures("db")
TOPIC = "t"
NOW = START + timedelta(seconds=1)


@pytest.fixture
def instances() -> dict[str, str]:
    """Three processes of one topic, one with a tag, an instance of each, of the last one two."""
    files = {key: process(key, external(TOPIC)) for key in ("one", "two", "tagged")}
    files["tagged"] = files["tagged"].replace(b" isExecutable", b' camunda:versionTag="v-1" isExecutable')
    starts: dict[str, dict[str, Any]] = {
        "one": {"business_key": "A", "variables": {"n": 1, "big": 9007199254740993}},
        "two": {"business_key": "B", "variables": {"n": 1.5, "text": "ä"}},
        "tagged": {"business_key": "A", "variables": {"n": 1}},
        "again": {"variables": {"n": [1, {"a": None}]}},
    }
    found = {}
    with frozen(START):
        deploy(*files.values())
    for number, (name, given) in enumerate(starts.items(), start=1):
        with frozen(START + timedelta(milliseconds=number)):
            key = "tagged" if name == "again" else name
            found[name] = str(engine.start(key, **given)["instance_id"])
    return found


def _fetch(topic: str | Topic, maximum: int = 10, **more: Any) -> list[dict[str, Any]]:
    return engine.fetch_and_lock("w", topics=[topic], max_tasks=maximum, lock_ms=60_000, **more)


def _definition(key: str) -> str:
    return str(Definition.objects.get(key=key).pk)


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({}, ["one", "two", "tagged", "again"]),
        ({"process_def_ids": ["one", "two"]}, ["one", "two"]),
        ({"process_def_ids": ["none"]}, []),
        ({"definition_ids": ["DEFINITION two"]}, ["two"]),
        ({"definition_ids": [NIL, "no id"]}, []),
        ({"version_tags": ["v-1", "v-2"]}, ["tagged", "again"]),
        ({"instance_ids": ["INSTANCE again", "INSTANCE one"]}, ["one", "again"]),
        ({"business_keys": ["A"]}, ["one", "tagged"]),
        ({"business_keys": ["A"], "version_tags": ["v-1"]}, ["tagged"]),
        ({"process_variables": {"n": 1}}, ["one", "tagged"]),
        ({"process_variables": {"n": 1, "big": 9007199254740993}}, ["one"]),
        ({"process_variables": {"big": 9007199254740992}}, []),
        ({"process_variables": {"text": "ä"}}, ["two"]),
        ({"process_variables": {"n": [1, {"a": None}]}}, ["again"]),
        ({"process_variables": {"absent": None}}, []),
    ],
)
def test_a_topic_is_limited_to_what_it_names(
    instances: dict[str, str], limits: dict[str, Any], expected: list[str]
) -> None:
    names = {f"INSTANCE {name}": instance for name, instance in instances.items()}
    names |= {f"DEFINITION {key}": _definition(key) for key in ("one", "two", "tagged")}
    known: dict[str, Any] = {
        limit: [names.get(one, one) for one in value] if isinstance(value, list) else value
        for limit, value in limits.items()
    }
    topic = Topic(TOPIC, **known)
    assert engine.work_waits([topic], tenant="") is bool(expected)
    assert [task["instance_id"] for task in _fetch(topic)] == [instances[name] for name in expected]
    assert not engine.work_waits([topic], tenant="")


def test_a_lease_that_has_run_out_obeys_the_limits_too(instances: dict[str, str]) -> None:
    with frozen(START + timedelta(seconds=1)):
        assert len(_fetch(TOPIC)) == 4
    with frozen(START + timedelta(minutes=2)):
        (task,) = _fetch(Topic(TOPIC, process_def_ids=["two"]))
    assert (task["instance_id"], task["attempt"]) == (instances["two"], 2)


def test_each_topic_has_its_own_lease_time(instances: dict[str, str]) -> None:
    deploy(process("wide", external("a")), process("narrow", external("b")))
    with frozen(NOW):
        for key in ("wide", "narrow"):
            engine.start(key)
        found = engine.fetch_and_lock(
            "w",
            topics=[Topic("a", lock_ms=1_000), "b", Topic(TOPIC, lock_ms=5)],
            max_tasks=10,
            lock_ms=60_000,
        )
    until = {task["task_type"]: datetime.fromisoformat(task["lock_expires_at"]) - NOW for task in found}
    assert until == {
        "a": timedelta(seconds=1),
        "b": timedelta(minutes=1),
        TOPIC: timedelta(milliseconds=5),
    }


def test_tasks_of_one_instance_are_leased_for_different_times(instances: dict[str, str]) -> None:
    source = process("both", external("x")).replace(
        b'<endEvent id="end"/>',
        b'<serviceTask id="n2" camunda:type="external" camunda:topic="y"/><endEvent id="end"/>'
        b'<sequenceFlow id="g" sourceRef="start" targetRef="n2"/>'
        b'<sequenceFlow id="h" sourceRef="n2" targetRef="end"/>',
    )
    deploy(source)
    with frozen(NOW):
        engine.start("both")
        engine.fetch_and_lock(
            "w", topics=[Topic("x", lock_ms=1_000), Topic("y", lock_ms=2_000)], max_tasks=5, lock_ms=1
        )
    rows = ExternalTask.objects.filter(topic__in=["x", "y"]).values_list("topic", "lease_expires_at")
    assert dict(rows) == {"x": NOW + timedelta(seconds=1), "y": NOW + timedelta(seconds=2)}


@pytest.mark.parametrize(("wanted", "shown"), [(None, {"n", "big"}), ([], set()), (["big", "no"], {"big"})])
def test_a_task_comes_with_the_variables_that_were_asked_for(
    instances: dict[str, str], wanted: list[str] | None, shown: set[str]
) -> None:
    topic = Topic(TOPIC, process_def_ids=["one"], variables=wanted)
    (task,) = _fetch(topic)
    assert task["variables"].keys() == shown
    assert task["variables"].get("big", 9007199254740993) == 9007199254740993


def test_under_a_key_the_same_leases_come_with_the_same_variables(instances: dict[str, str]) -> None:
    key = engine.Idempotency("ann", "k", "f")
    topic = Topic(TOPIC, process_def_ids=["one"], variables=["n"])
    first = _fetch(topic, key=key)
    assert first == _fetch(topic, key=key) != []


def test_a_topic_stands_once_and_its_demands_can_be_met(instances: dict[str, str]) -> None:
    with pytest.raises(Invalid, match="once"):
        engine.fetch_and_lock("w", topics=[TOPIC, Topic(TOPIC, lock_ms=1)], max_tasks=1, lock_ms=1)
    with pytest.raises(Invalid, match="at most 100"):
        _fetch(Topic(TOPIC, business_keys=["x"] * 101))
    with pytest.raises(VariableInvalid):
        _fetch(Topic(TOPIC, process_variables={"n": float("nan")}))
    assert len(engine.fetch_and_lock("w", topics=[TOPIC, TOPIC], max_tasks=9, lock_ms=1_000)) == 4


def test_limits_cost_no_further_statement(instances: dict[str, str]) -> None:
    with executed() as plain:
        _fetch(TOPIC, maximum=1)
    limits = Topic(TOPIC, process_def_ids=["tagged"], process_variables={"n": 1}, variables=["n"])
    with executed() as limited:
        assert len(_fetch(limits, maximum=1)) == 1
    assert len(limited.all) == len(plain.all)


def test_a_limit_reads_no_more_than_it_must(instances: dict[str, str]) -> None:
    """Whatever the limit, tasks are looked up in an index, never by reading the table."""
    engine.start_many([engine.Start(process="one") for _ in range(200)])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    topic = Topic(TOPIC, business_keys=["B"], process_def_ids=["two"], version_tags=[""])
    with CaptureQueriesContext(connection) as queries:
        engine.work_waits([topic], tenant="")
    explain = "EXPLAIN " if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN "
    with connection.cursor() as cursor:
        cursor.execute(explain + queries[-1]["sql"])
        plan = [" ".join(str(part) for part in row) for row in cursor.fetchall()]
    read = [line for line in plan if "Seq Scan" in line or ("SCAN" in line and "USING" not in line)]
    tables = ("bpm_externaltask", "bpm_processinstance", "bpm_variable")
    assert not [line for line in read if any(table in line for table in tables)], "\n".join(plan)
