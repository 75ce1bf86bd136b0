"""Handlers in the pool: what becomes of what they return or raise."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import F

from bpm import engine, handlers
from bpm.jobs.pool import HandlerPool
from bpm.jobs.tick import run_pass, tick_once
from bpm.models import HistoryEvent, Incident, Job, ProcessInstance, Variable
from tests.support.children import eventually
from tests.support.loop_models import deploy, process, retries, service

Handler = Callable[[handlers.Work], Any]
GENEROUS_S = 60
LEASE_S = 600


@pytest.fixture(autouse=True)
def clean(transactional_db: None) -> Iterator[None]:
    yield
    for name in handlers.names():
        handlers.unregister(*name.split(":"))


@pytest.fixture
def pool() -> Iterator[HandlerPool]:
    made = HandlerPool("test", threads=2, lease_ms=LEASE_S * 1_000)
    yield made
    made.drain(GENEROUS_S)
    left = [thread.name for thread in threading.enumerate() if thread.name.startswith("bpm-handler")]
    assert left == []


def begin(handler: Handler, count: int = 1, inside: str = "", **variables: Any) -> None:
    """Deploy a process with one task for the handler and start instances."""
    handlers.service("work")(handler)
    deploy(process("p", service("work", inside=inside)))
    for _ in range(count):
        engine.start("p", variables=variables)


def let_pass(pool: HandlerPool, seconds: int) -> None:
    """Let the leases of running jobs be older by so much, for the database and for the pool."""
    Job.objects.filter(status="RUNNING").update(
        lease_expires_at=F("lease_expires_at") - timedelta(seconds=seconds)
    )
    for job in list(pool._running):
        pool._running[job] -= seconds


def statuses() -> list[str]:
    return sorted(ProcessInstance.objects.values_list("status", flat=True))


def test_what_a_handler_returns_becomes_variables_and_the_token_goes_on() -> None:
    begin(lambda work: {"double": work.variables["n"] * 2}, n=21)
    assert tick_once()["handlers"] == 1
    assert statuses() == ["COMPLETED"]
    assert dict(Variable.objects.values_list("name", "value")) == {"double": "42", "n": "21"}


def test_a_handler_runs_outside_any_transaction_with_its_attempt_committed() -> None:
    seen: list[Any] = []

    def look(work: handlers.Work) -> None:
        seen.append((connection.in_atomic_block, Job.objects.get().status, Job.objects.get().attempts))

    begin(look)
    tick_once()
    assert seen == [(False, "RUNNING", 1)]


def boundary(code: str) -> str:
    return (
        f'<boundaryEvent id="caught" attachedToRef="n1"><errorEventDefinition errorRef="{code}"/></boundaryEvent>'
        '<sequenceFlow id="rescue" sourceRef="caught" targetRef="rescued"/><endEvent id="rescued"/>'
    )


def thrower(work: handlers.Work) -> None:
    raise handlers.BpmnError("NO_FUNDS", "too poor", {"missing": 3})


def test_a_bpmn_error_is_caught_by_the_model() -> None:
    handlers.service("work")(thrower)
    file = process("p", service("work")).replace(b"</process>", boundary("funds").encode() + b"</process>")
    deploy(file.replace(b"<process", b'<error id="funds" errorCode="NO_FUNDS"/><process'))
    engine.start("p")
    tick_once()
    assert statuses() == ["COMPLETED"]
    assert HistoryEvent.objects.filter(event_type="TokenTerminated", node="rescued").count() == 1
    assert Variable.objects.get(name="missing").value == "3"


def test_an_uncaught_bpmn_error_is_an_incident_with_its_code() -> None:
    begin(thrower)
    tick_once()
    assert statuses() == ["FAILED"]
    assert (Incident.objects.get().kind, "NO_FUNDS" in Incident.objects.get().message) == (
        "UncaughtError",
        True,
    )


def leave_by_exit(work: handlers.Work) -> None:
    sys.exit("gone")


def raise_bare(work: handlers.Work) -> None:
    raise LookupError("no such customer")


@pytest.mark.parametrize(
    ("handler", "error"),
    [
        (raise_bare, "LookupError: no such customer"),
        (leave_by_exit, "SystemExit: gone"),
        (lambda work: ["no", "mapping"], "TypeError: the handler returned list, not a mapping"),
        (lambda work: {"when": {1, 2}}, "VariableInvalid: set is no JSON value"),
        (lambda work: {"big": "x" * 4_000_001}, "VariableInvalid: The value has 4000003 bytes"),
        (lambda work: {"": 1}, "VariableInvalid: A variable's name has 1 to 255 printable characters"),
    ],
    ids=["raises", "exits", "no mapping", "no JSON", "too big", "no name"],
)
def test_whatever_goes_wrong_in_a_handler_fails_the_attempt_with_its_reason(
    handler: Handler, error: str
) -> None:
    begin(handler, inside=retries("R2/PT0S"))
    assert tick_once()["handlers"] == 1
    job = Job.objects.get()
    assert (job.status, job.retries) == ("READY", 1)
    assert str(job.error).startswith(error)
    assert tick_once()["handlers"] == 1
    assert (Job.objects.get().status, statuses(), Incident.objects.get().kind) == (
        "FAILED",
        ["FAILED"],
        "JobFailed",
    )
    assert tick_once()["handlers"] == 0


def test_the_next_attempt_waits_for_the_delay_of_the_model() -> None:
    begin(raise_bare, inside=retries("R3/PT10M"))
    tick_once()
    assert tick_once()["handlers"] == 0
    Job.objects.update(available_at=F("available_at") - timedelta(minutes=10))
    assert tick_once()["handlers"] == 1
    assert Job.objects.get().attempts == 2


def test_a_transaction_that_a_handler_leaves_open_does_not_swallow_the_result() -> None:
    begin(lambda work: transaction.set_autocommit(False))
    tick_once()
    assert statuses() == ["COMPLETED"]


def test_a_full_pool_claims_nothing_more_and_the_engine_goes_on(pool: HandlerPool) -> None:
    release, running = threading.Event(), threading.Semaphore(0)

    def hold(work: handlers.Work) -> None:
        running.release()
        release.wait(GENEROUS_S)

    begin(hold, 5)
    try:
        assert run_pass(pool).counts == {"handlers": 2}
        assert running.acquire(timeout=GENEROUS_S)
        assert running.acquire(timeout=GENEROUS_S)
        assert (pool.free, pool.names, run_pass(pool).counts) == (0, [], {})
        assert sorted(Job.objects.values_list("status", flat=True)) == ["READY"] * 3 + ["RUNNING"] * 2
    finally:
        release.set()
    eventually(lambda: pool.free == 2)
    assert run_pass(pool).counts == {"handlers": 2}


def test_the_lease_of_a_long_handler_is_renewed(pool: HandlerPool) -> None:
    release = threading.Event()
    begin(lambda work: {"waited": release.wait(GENEROUS_S)})
    run_pass(pool)
    for _ in range(3):
        # Most of the lease goes by: together more than two of them.
        let_pass(pool, LEASE_S * 3 // 4)
        pool.renew()
        assert engine.expire_jobs() == (0, [])
    release.set()
    eventually(lambda: statuses() == ["COMPLETED"])
    assert Job.objects.get().attempts == 1


def test_the_result_of_an_attempt_that_was_taken_back_is_dropped(
    pool: HandlerPool, caplog: pytest.LogCaptureFixture
) -> None:
    release = threading.Event()
    begin(lambda work: {"attempt": work.attempt} if work.attempt > 1 or release.wait(GENEROUS_S) else None)
    run_pass(pool)
    let_pass(pool, LEASE_S)
    assert len(engine.expire_jobs().done) == 1
    assert tick_once()["handlers"] == 1
    release.set()
    eventually(lambda: pool.running == 0)
    assert "the result is dropped" in caplog.text
    assert (statuses(), Variable.objects.get(name="attempt").value) == (["COMPLETED"], "2")
    assert HistoryEvent.objects.filter(event_type="JobCompleted").count() == 1


def test_draining_waits_for_what_runs_and_claims_nothing(pool: HandlerPool) -> None:
    begin(lambda work: time.sleep(0.5), 4)
    run_pass(pool)
    assert pool.drain(GENEROUS_S) is True
    assert (pool.fill(), statuses().count("COMPLETED")) == (0, 2)


def test_draining_leaves_what_takes_too_long_to_its_lease(pool: HandlerPool) -> None:
    release = threading.Event()
    begin(lambda work: {"waited": release.wait(GENEROUS_S)})
    run_pass(pool)
    started = time.monotonic()
    assert pool.drain(0.3) is False
    assert time.monotonic() - started < GENEROUS_S / 2
    release.set()
    eventually(lambda: pool.running == 0)


def test_a_job_is_seen_only_when_its_transaction_is_committed_and_never_after_a_rollback() -> None:
    """P121: a job whose transaction is not committed yet is not lost, and not run."""
    handlers.service("work")(lambda work: None)
    deploy(process("p", service("work")))
    seen: list[int] = []

    def look() -> None:
        seen.append(tick_once()["handlers"])
        connection.close()

    def look_elsewhere() -> int:
        # SQLite lets nobody else write meanwhile, so there only the read can be made from the other thread.
        target = look if connection.vendor == "postgresql" else lambda: seen.append(_jobs_seen())
        thread = threading.Thread(target=target)
        thread.start()
        thread.join()
        return seen.pop()

    with transaction.atomic():
        engine.start("p")
        assert look_elsewhere() == 0
        transaction.set_rollback(True)
    assert tick_once()["handlers"] == 0
    with transaction.atomic():
        engine.start("p")
        assert look_elsewhere() == 0
    assert tick_once()["handlers"] == 1
    assert statuses() == ["COMPLETED"]


def _jobs_seen() -> int:
    try:
        return Job.objects.count()
    finally:
        connection.close()
