"""How much waits for people, workers and the clock: counts and lists that stop at a bound."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import QuerySet

from bpm.models import ExternalTask, Incident, Timer, UserTask
from bpm.queries.bounded import Bounded, bounded_count
from bpm.queries.constant import Constant
from bpm.queries.few import Among
from bpm.queries.user_tasks import USER_TASK_FIELDS, UserTaskRow, user_task_row
from bpm.queries.visible import (
    of_seen_processes,
    seen_external_tasks,
    seen_timers,
    seen_user_tasks,
    visibility,
)

LOOKED_AT: Final = 5_000
"""Open user tasks among which those of some processes are sought."""
OVERDUE: Final = timedelta(seconds=5)
"""Timers fire within a second; one that is later than this waits for a loop that is not there."""


@dataclass(frozen=True, slots=True)
class Workload:
    """What waits.

    Attributes:
        user_tasks: open ones; for a caller who does not see all processes, of the 5,000 oldest.
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
    """Return the counts, each up to 1,000. Six statements, for a caller who does not see all seven, each over an index.

    Args:
        now: aware; the database's clock.
    """
    tasks = seen_external_tasks(ExternalTask.objects.filter(tenant=tenant))
    due = Timer.objects.filter(status=Constant("SCHEDULED"), suspended=False, due_at__lt=now - OVERDUE)
    incidents = Incident.objects.filter(tenant=tenant, status=Constant("OPEN"))
    return Workload(
        _count_user_tasks(tenant),
        bounded_count(tasks.filter(status=Constant("READY"), suspended=False)),
        bounded_count(tasks.filter(status=Constant("LOCKED"), suspended=False)),
        bounded_count(tasks.filter(status=Constant("FAILED"))),
        bounded_count(seen_timers(due.filter(tenant=tenant))),
        bounded_count(of_seen_processes(incidents, "instance__definition_key")),
    )


def longest_waiting(tenant: str, limit: int) -> tuple[UserTaskRow, ...]:
    """Return the oldest open user tasks, among as many as `workload` counts. One statement."""
    rows = _oldest_tasks(tenant).order_by("id").values_list(*USER_TASK_FIELDS)[:limit]
    return tuple(user_task_row(row) for row in rows)


def _count_user_tasks(tenant: str) -> Bounded:
    found = bounded_count(_oldest_tasks(tenant))
    if visibility().keys is None or found.more:
        return found
    return Bounded(found.count, _open_tasks(tenant).order_by("id").values("id")[LOOKED_AT:].exists())


def _oldest_tasks(tenant: str) -> QuerySet[UserTask]:
    rows = seen_user_tasks(_open_tasks(tenant))
    if visibility().keys is None:
        return rows
    # A task does not say of which process it is: where few are of those that are seen, all would be looked at.
    return rows.filter(Among("id", _open_tasks(tenant).order_by("id").values("id")[:LOOKED_AT]))


def _open_tasks(tenant: str) -> QuerySet[UserTask]:
    return UserTask.objects.filter(tenant=tenant, status=Constant("OPEN"))
