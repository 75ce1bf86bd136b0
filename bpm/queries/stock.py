"""Numbers of what is alive, over all tenants; what has ended is never counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import connection

from bpm.shell.database_clock import database_now

_COUNTS: Final = {
    "instances": (
        "status",
        "bpm_processinstance WHERE status NOT IN ('COMPLETED', 'CANCELLED')",
    ),
    "tokens": ("status", "bpm_token WHERE NOT final"),
    "user_tasks": (
        "CASE WHEN assignee IS NULL THEN 'unassigned' ELSE 'assigned' END",
        "bpm_usertask WHERE status = 'OPEN'",
    ),
    "external_tasks": ("status", "bpm_externaltask WHERE status IN ('READY', 'LOCKED', 'FAILED')"),
    "jobs": ("status", "bpm_job WHERE status IN ('READY', 'RUNNING', 'FAILED')"),
    "timers": (
        "CASE WHEN suspended THEN 'suspended' WHEN due_at <= {now} THEN 'overdue' ELSE 'scheduled' END",
        "bpm_timer WHERE status = 'SCHEDULED'",
    ),
    "subscriptions": ("kind", "bpm_subscription WHERE status = 'OPEN'"),
    "incidents": ("kind", "bpm_incident WHERE status = 'OPEN'"),
    "outbox": ("CASE WHEN attempts > 0 THEN 'failing' ELSE 'waiting' END", "bpm_outbox"),
    "messages": ("'buffered'", "bpm_messagebuffer"),
}
"""Noun to what tells its rows apart, and the rows."""


@dataclass(frozen=True, slots=True)
class Stock:
    """What is alive at one moment.

    Attributes:
        counts: noun to the number of its rows by status or kind; nouns are `instances tokens user_tasks external_tasks
            jobs timers subscriptions incidents outbox messages`.
    """

    at: datetime
    counts: dict[str, Counter[str]]


def count_stock() -> Stock:
    """Return the numbers. Statements, whose cost grows with what is alive: PostgreSQL 2, SQLite 1.

    Each is read by the partial index of its live rows, where there is one.
    """
    now = database_now()
    at = "%s::timestamptz" if connection.vendor == "postgresql" else "%s"
    parts = [
        f"SELECT '{noun}', {apart.format(now=at)}, count(*) FROM {rows} GROUP BY 2"  # noqa: S608
        for noun, (apart, rows) in _COUNTS.items()
    ]
    moment = now if connection.vendor == "postgresql" else str(now.replace(tzinfo=None))
    counts: dict[str, Counter[str]] = {noun: Counter() for noun in _COUNTS}
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts), [moment])
        for noun, apart, number in cursor.fetchall():
            counts[noun][apart] = number
    return Stock(now, counts)
