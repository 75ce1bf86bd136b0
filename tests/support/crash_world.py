"""Everybody around the engine, in one thread and in a fixed order: callers, people, workers, handlers, loops.

Whoever is killed comes back and looks what is left to do, as real ones would: a caller repeats its call under the same
key, a person finds the task open or not, a worker fetches again when the lease has run out. So a world that is begun
again on the same database does what the one before has left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import Max

from bpm import engine
from bpm.core.errors import Refused
from bpm.models import ExternalTask, HistoryEvent, Incident, Job, Outbox, ProcessInstance, Timer, UserTask
from bpm.shell import due
from bpm.shell.clock import frozen
from bpm.shell.jobs import ClaimedJob
from tests.support.clock import START, Clock

LEASE_MS = 1_000
LIMIT = 200
ROUNDS = 500

Variables = Mapping[str, Any]
Handler = Callable[[ClaimedJob], tuple[Variables, str | None]]
"""Returns variables, and the code of a BPMN error if it throws one."""


def own_instances() -> list[UUID]:
    """Return the instances of the present run."""
    return [row for row in ProcessInstance.objects.values_list("id", flat=True) if row not in World.others]


class World:
    """One run of one story.

    Args:
        run: tells this run apart; the key of its calls and the business key of its instances.
        ledger: file in which all worlds of a run note, by node, what they did outside the engine.

    Attributes:
        answers: user task node to what is entered there.
        results: topic to what workers do, given the attempt: variables, or None to fail with a retry after one second.
        handler: what in-process handlers and scripts do; None where the story has none.
        repairs: what an operator does about an open incident.
        others: instances of runs before; whatever else there is belongs to this one, also what a message has started.
    """

    others: ClassVar[set[UUID]] = set()

    def __init__(self, run: str, ledger: Path, *, handler: Handler | None = None) -> None:
        self.run = run
        self.ledger = ledger
        # Time never goes back: it goes on where the history of this run ends.
        newest = HistoryEvent.objects.filter(instance_id__in=self._mine()).aggregate(at=Max("occurred_at"))
        self.clock = Clock(newest["at"] or START)
        self.answers: dict[str, Variables] = {}
        self.results: dict[str, Callable[[int], Variables | None]] = {}
        self.handler = handler
        self.repairs: Callable[[Incident], None] | None = None
        self.horizon = START + timedelta(days=30)

    def start(self, process: str, variables: Variables | None = None) -> None:
        """Start an instance; begun again it is the same one."""
        key = engine.Idempotency("crash", f"{self.run}:{process}", "0" * 64)
        with self._now():
            engine.start(process, business_key=self.run, variables=variables, key=key)

    def settle(self, *, wait: bool = True) -> None:
        """Let everybody do what they can, and time pass up to the horizon, until nothing is left.

        Args:
            wait: whether time may pass.
        """
        for _ in range(ROUNDS):
            if not (self._loops() or self._handlers() or self._workers() or self._people()):
                coming = self._next() if wait else None
                if coming is None or coming > self.horizon:
                    return
                self.clock.now = max(self.clock.now, coming)
        raise AssertionError(f"{self.run} does not come to rest")

    def effects(self) -> Counter[str]:
        """Return how often each node's work was done, by all worlds of this run."""
        return Counter(self.ledger.read_text().split("\n")[:-1]) if self.ledger.exists() else Counter()

    def _note(self, node: str) -> None:
        with self.ledger.open("a") as lines:
            lines.write(f"{node}\n")

    def _now(self) -> Any:
        return frozen(self.clock.tick())

    def _loops(self) -> int:
        with self._now():
            done = len(due.expire_jobs().done) + len(due.expire_leases().done)
            done += len(due.fire_due_timers().done) + len(due.run_due_jobs().done)
            done += len(engine.fire_due_starts(LIMIT).done)
            return done + len(engine.deliver_due(LIMIT).done) + len(engine.match_buffered(LIMIT).done)

    def _handlers(self) -> int:
        if self.handler is None:
            return 0
        with self._now():
            claimed = engine.claim_jobs("world", limit=1, lease_ms=LEASE_MS)
        for job in claimed:
            variables, code = self.handler(job)
            self._note(job.work.node_id)
            ids: dict[str, Any] = {"job_id": job.work.job_id, "attempt": job.work.attempt}
            with self._now(), suppress(Refused):
                if code is None:
                    engine.complete_job(**ids, variables=variables)
                else:
                    engine.throw_job_error(**ids, error_code=code, variables=variables)
        return len(claimed)

    def _workers(self) -> int:
        if not self.results:
            return 0
        with self._now():
            leased = engine.fetch_and_lock(
                "worker", topics=sorted(self.results), max_tasks=1, lock_ms=LEASE_MS
            )
        for task in leased:
            result = self.results[task["task_type"]](task["attempt"])
            lease: dict[str, Any] = {"worker": "worker", "lease": task["lease_id"]}
            with self._now():
                if result is None:
                    engine.fail_external_task(task["task_id"], **lease, error="no", retry_after_ms=1_000)
                else:
                    self._note(task["node_id"])
                    engine.complete_external_task(task["task_id"], **lease, variables=result)
        return len(leased)

    def _people(self) -> int:
        mine = self._mine()
        tasks = UserTask.objects.filter(instance_id__in=mine, status="OPEN").order_by("node", "id")
        for task in list(tasks):
            with self._now():
                engine.complete_task(str(task.id), variables=self.answers.get(task.node))
        incidents = Incident.objects.filter(instance_id__in=mine, status="OPEN").order_by("node", "id")
        if self.repairs is None:
            return len(tasks)
        for incident in list(incidents):
            with self._now():
                self.repairs(incident)
        return len(tasks) + len(incidents)

    def _mine(self) -> list[UUID]:
        return own_instances()

    def _next(self) -> datetime | None:
        mine = self._mine()
        waits: list[Any] = [
            *Timer.objects.filter(instance_id__in=mine, status="SCHEDULED").values_list("due_at", flat=True),
            *ExternalTask.objects.filter(instance_id__in=mine, status="LOCKED").values_list(
                "lease_expires_at", flat=True
            ),
            *ExternalTask.objects.filter(instance_id__in=mine, status="READY").values_list(
                "available_at", flat=True
            ),
            *Job.objects.filter(instance_id__in=mine, status="READY").values_list("available_at", flat=True),
            *Job.objects.filter(instance_id__in=mine, status="RUNNING").values_list(
                "lease_expires_at", flat=True
            ),
            *Outbox.objects.filter(source__in=mine).values_list("available_at", flat=True),
        ]
        return min((at for at in waits if at is not None and at > self.clock.now), default=None)
