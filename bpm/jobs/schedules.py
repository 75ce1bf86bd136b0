"""The queue's schedules, each once a minute: a pass of the loops, and the removal of what has ended long ago."""

from __future__ import annotations

from typing import Any, Final

from django.apps import apps
from django.utils import timezone

NAME: Final = "bpm tick"
FUNCTIONS: Final = {NAME: "bpm.jobs.tasks.tick", "bpm retention": "bpm.jobs.tasks.retain"}


def keep_schedules(**_signal: Any) -> None:
    """Make sure that each schedule is there exactly once and as it should be. Receives `post_migrate`."""
    if not apps.is_installed("django_q"):
        return
    for name, function in FUNCTIONS.items():
        _keep(name, function)


def _keep(name: str, function: str) -> None:
    from django_q.models import Schedule

    rows = Schedule.objects.filter(name=name).order_by("pk")
    wanted = {"func": function, "schedule_type": Schedule.MINUTES, "minutes": 1, "repeats": -1}
    first = rows.first()
    if first is None:
        Schedule.objects.create(name=name, next_run=timezone.now(), **wanted)
        return
    rows.exclude(pk=first.pk).delete()
    if any(getattr(first, name) != value for name, value in wanted.items()):
        rows.filter(pk=first.pk).update(**wanted)
