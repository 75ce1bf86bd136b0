"""How much waits for people, workers and the clock: counts that stop at a bound."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bpm.models import ExternalTask, Incident, Timer, UserTask
from bpm.queries.bounded import Bounded, bounded_count
from bpm.queries.constant import Constant
from bpm.queries.visible import of_seen_processes, seen_external_tasks, seen_timers, seen_user_tasks

OVERDUE: Final = timedelta(seconds=5)
"""Timers fire within a second; one that is later than this waits for a loop that is not there."""


@dataclass(frozen=True, slots=True)
class Workload:
    """What waits.

    Attributes:
        user_tasks: open ones.
        ready, leased: external tasks that a worker can fetch, and that one holds.
        dead_letters: external tasks without retries left.
        overdue_timers: due for more than 5 seconds.
        incidents: open ones.
    """

    user_tasks: Bounded
    ready: Bounded
    leased: Bounded
    dead_letters: Bounded
    overdue_timers: Bounded
    incidents: Bounded


def workload(tenant: str, now: datetime) -> Workload:
    """Return the counts, each up to 1,000. Six statements, each over an index of what is open.

    Args:
        now: aware; the database's clock.
    """
    tasks = seen_external_tasks(ExternalTask.objects.filter(tenant=tenant))
    due = Timer.objects.filter(status=Constant("SCHEDULED"), suspended=False, due_at__lt=now - OVERDUE)
    incidents = Incident.objects.filter(tenant=tenant, status=Constant("OPEN"))
    return Workload(
        bounded_count(seen_user_tasks(UserTask.objects.filter(tenant=tenant, status=Constant("OPEN")))),
        bounded_count(tasks.filter(status=Constant("READY"), suspended=False)),
        bounded_count(tasks.filter(status=Constant("LOCKED"), suspended=False)),
        bounded_count(tasks.filter(status=Constant("FAILED"))),
        bounded_count(seen_timers(due.filter(tenant=tenant))),
        bounded_count(of_seen_processes(incidents, "instance__definition_key")),
    )
