"""The queue's one schedule: a pass each minute."""

from __future__ import annotations

from typing import Any, Final

from django.apps import apps
from django.utils import timezone

NAME: Final = "bpm tick"
FUNCTION: Final = "bpm.jobs.tasks.tick"


def keep_schedule(**_signal: Any) -> None:
    """Make sure that the schedule is there exactly once and as it should be. Receives `post_migrate`."""
    if not apps.is_installed("django_q"):
        return
    from django_q.models import Schedule

    rows = Schedule.objects.filter(name=NAME).order_by("pk")
    wanted = {"func": FUNCTION, "schedule_type": Schedule.MINUTES, "minutes": 1, "repeats": -1}
    first = rows.first()
    if first is None:
        Schedule.objects.create(name=NAME, next_run=timezone.now(), **wanted)
        return
    rows.exclude(pk=first.pk).delete()
    if any(getattr(first, name) != value for name, value in wanted.items()):
        rows.filter(pk=first.pk).update(**wanted)
