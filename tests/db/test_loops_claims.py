"""Jobs of handlers: claims, leases, fencing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bpm import engine, handlers
from bpm.core.errors import JobClosed, JobNotFound, VariableInvalid
from bpm.models import HistoryEvent, Incident, Job, ProcessInstance, Token
from bpm.shell.clock import frozen
from tests.support.loop_models import deploy, process, retries, service

T0 = datetime(2026, 1, 1, tzinfo=UTC)
LEASE_MS = 10_000


def after(seconds: float) -> Any:
    return frozen(T0 + timedelta(seconds=seconds))


@pytest.fixture(autouse=True)
def known(db: None) -> Iterator[None]:
    for name in ("pay", "other"):
        handlers.service(name)(lambda work: None)
    handlers.script("python")(lambda work: None)
    yield
    for name in ("pay", "other"):
        handlers.unregister("service", name)
    handlers.unregister("script", "python")


@pytest.fixture
def paying() -> str:
    deploy(process("pay", service("pay", inside=retries("R2/PT10S"))))
    with after(0):
        return str(engine.start("pay", variables={"amount": 5})["instance_id"])


def claim(owner: str = "a", limit: int = 10, names: list[str] | None = None) -> list[engine.ClaimedJob]:
    return engine.claim_jobs(owner, limit=limit, lease_ms=LEASE_MS, names=names)


def types() -> list[str]:
    return list(HistoryEvent.objects.order_by("sequence").values_list("event_type", flat=True))


def test_a_claim_counts_the_attempt_leases_the_job_and_carries_what_the_handler_needs(paying: str) -> None:
    with after(0):
        (job,) = claim("a")
        assert claim("b") == []
    assert (job.handler, job.work.attempt, job.work.variables) == ("service:pay", 1, {"amount": 5})
    assert (job.work.instance_id, job.work.process_def_id, job.work.node_id) == (paying, "pay", "n1")
    row = Job.objects.get()
    assert (row.status, row.attempts, row.owner) == ("RUNNING", 1, "a")
    assert row.lease_expires_at == job.expires_at == T0 + timedelta(milliseconds=LEASE_MS)
    assert types()[-2:] == ["NodeExecutionStarted", "JobStarted"]


def test_a_script_task_hands_its_text_to_the_handler() -> None:
    deploy(process("script", '<scriptTask ID scriptFormat="python"><script>x = 1</script></scriptTask>'))
    with after(0):
        engine.start("script")
        (job,) = claim()
    assert (job.handler, job.work.script) == ("script:python", "x = 1")


def test_only_jobs_of_known_handlers_are_claimed(paying: str) -> None:
    with after(0):
        assert claim(names=["service:other"]) == []
        assert claim(names=[]) == []
        handlers.unregister("service", "pay")
        assert claim() == []
    row = Job.objects.get()
    assert (row.status, row.attempts) == ("READY", 0)
    assert Incident.objects.count() == 0


def test_a_claim_takes_no_more_than_its_limit_and_passes_over_what_it_cannot_run() -> None:
    deploy(process("other", service("other")), process("pay", service("pay")))
    with after(0):
        for _ in range(5):
            engine.start("other")
        for _ in range(3):
            engine.start("pay")
        assert len(claim(limit=2, names=["service:pay"])) == 2
        assert len(claim(limit=2, names=["service:pay"])) == 1


def test_a_renewed_lease_does_not_expire_and_a_lost_one_is_not_renewed(paying: str) -> None:
    with after(0):
        (job,) = claim("a")
    with after(8):
        assert engine.renew_jobs("b", [job.work.job_id], lease_ms=LEASE_MS) == set()
        assert engine.renew_jobs("a", [job.work.job_id], lease_ms=LEASE_MS) == {job.work.job_id}
    with after(17):
        assert engine.expire_jobs() == (0, [])
    with after(18):
        assert engine.expire_jobs().done == [job.work.job_id]
        assert engine.renew_jobs("a", [job.work.job_id], lease_ms=LEASE_MS) == set()


def test_what_a_lost_attempt_reports_is_refused(paying: str) -> None:
    with after(0):
        (first,) = claim("a")
    with after(10):
        engine.expire_jobs()
        with pytest.raises(JobClosed):
            engine.complete_job(first.work.job_id, attempt=1)
        (second,) = claim("b")
        assert second.work.attempt == 2
        for report in (
            engine.complete_job,
            lambda job, attempt: engine.fail_job(job, attempt=attempt, error="x"),
        ):
            with pytest.raises(JobClosed):
                report(first.work.job_id, attempt=1)
        engine.complete_job(second.work.job_id, attempt=2, variables={"paid": True})
        with pytest.raises(JobClosed):
            engine.complete_job(second.work.job_id, attempt=2)
    assert ProcessInstance.objects.get().status == "COMPLETED"
    assert types().count("JobCompleted") == 1


def test_the_third_crash_fails_the_token_with_an_incident(paying: str) -> None:
    for attempt in (1, 2, 3):
        with after(attempt * 20):
            (job,) = claim()
            assert job.work.attempt == attempt
        with after(attempt * 20 + 10):
            assert len(engine.expire_jobs().done) == 1
    with after(200):
        assert claim() == []
    assert Token.objects.get().status == "Failed"
    assert (ProcessInstance.objects.get().status, Incident.objects.get().kind) == ("FAILED", "HandlerCrashed")
    assert types().count("JobLeaseExpired") == 3


def test_a_failed_attempt_comes_again_after_its_delay_until_no_retry_is_left(paying: str) -> None:
    with after(0):
        (job,) = claim()
        engine.fail_job(job.work.job_id, attempt=1, error="no\x00 answer \ud800")
    with after(9):
        assert claim() == []
    with after(10):
        (job,) = claim()
        engine.fail_job(job.work.job_id, attempt=2, error="again")
    assert (Job.objects.get().status, Job.objects.get().error) == ("FAILED", "again")
    assert (Incident.objects.get().kind, Token.objects.get().status) == ("JobFailed", "Failed")
    with after(20):
        engine.resolve_incident(str(Incident.objects.get().id))
        (job,) = claim()
        engine.complete_job(job.work.job_id, attempt=job.work.attempt)
    assert ProcessInstance.objects.get().status == "COMPLETED"


def test_variables_that_cannot_be_stored_are_refused_and_change_nothing(paying: str) -> None:
    with after(0):
        (job,) = claim()
        with pytest.raises(VariableInvalid, match="set is no JSON value"):
            engine.complete_job(job.work.job_id, attempt=1, variables={"x": {1}})
    assert Job.objects.get().status == "RUNNING"


@pytest.mark.parametrize("job", ["no id", "00000000-0000-7000-8000-000000000000"])
def test_an_unknown_job_is_not_found(job: str) -> None:
    with pytest.raises(JobNotFound):
        engine.complete_job(job, attempt=1)


def test_cancelling_the_instance_ends_the_attempt(paying: str) -> None:
    with after(0):
        (job,) = claim()
        engine.cancel(paying)
        with pytest.raises(JobClosed):
            engine.complete_job(job.work.job_id, attempt=1)
        assert engine.renew_jobs("a", [job.work.job_id], lease_ms=LEASE_MS) == set()
