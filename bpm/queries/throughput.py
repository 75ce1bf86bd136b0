"""How many instances started and ended, hour by hour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import QuerySet

from bpm.models import ProcessInstance
from bpm.queries.bounded import Bounded
from bpm.queries.instances import first_id
from bpm.queries.visible import of_seen_processes

HOURS: Final = 24
BOUND: Final = 1_000
"""Instances looked at per hour and figure, so that a busy day costs no more than a quiet one."""


@dataclass(frozen=True, slots=True)
class HourRow:
    """One hour: `from_at` is its beginning."""

    from_at: datetime
    started: Bounded
    ended: Bounded


def throughput(tenant: str, now: datetime, *, hours: int = HOURS) -> tuple[HourRow, ...]:
    """Return the last hours, the oldest first; the last one has only begun. Two statements.

    Args:
        now: aware; the database's clock.
        hours: 1 to 48.
    """
    end = now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    begins = [end - timedelta(hours=number) for number in range(hours, 0, -1)]
    mine = of_seen_processes(ProcessInstance.objects.filter(tenant=tenant), "definition_key")

    def started(begin: datetime, until: datetime) -> QuerySet[ProcessInstance]:
        return mine.filter(id__gte=first_id(begin, 0), id__lt=first_id(until, 0))

    def ended(begin: datetime, until: datetime) -> QuerySet[ProcessInstance]:
        return mine.filter(ended_at__isnull=False, ended_at__gte=begin, ended_at__lt=until)

    firsts, lasts = _counts(begins, started), _counts(begins, ended)
    return tuple(HourRow(begin, firsts[n], lasts[n]) for n, begin in enumerate(begins))


def _counts(
    begins: list[datetime], rows: Callable[[datetime, datetime], QuerySet[Any]]
) -> dict[int, Bounded]:
    from django.db import connection

    texts: list[str] = []
    parameters: list[Any] = []
    for number, begin in enumerate(begins):
        chosen = rows(begin, begin + timedelta(hours=1)).order_by().values_list("id")[: BOUND + 1]
        text, given = chosen.query.sql_with_params()
        texts.append(f"SELECT {number}, (SELECT count(*) FROM ({text}) AS h{number})")  # noqa: S608 - no values in it
        parameters.extend(given)
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(texts), parameters)
        return {number: Bounded(min(n, BOUND), n > BOUND) for number, n in cursor.fetchall()}
