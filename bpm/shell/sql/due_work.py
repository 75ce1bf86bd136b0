"""Queries for work that is due, shared by both databases; placeholders are filled with their ways of saying it."""

from __future__ import annotations

from typing import Final


def due_query(columns: str, source: str, due: str, *, alias: str = "") -> str:
    """Return a query of the rows that are due: the highest priority first, then the longest due.

    Nearly all rows have priority 0 and stand in the index by due time; the others have one of their own, by priority
    and due time. So each half reads no more index entries than it returns.

    Args:
        columns: what is selected.
        source: FROM and WHERE.
        due: column of the due time.
        alias: prefix of the table's columns, with its dot.

    The query takes the instant and the limit twice and the limit once more; see `due_parameters`.
    """

    def half(condition: str, order: str) -> str:
        return (
            f"SELECT * FROM (SELECT {columns}, {alias}priority AS priority, {alias}{due} AS due {source} "
            f"AND {condition} AND {alias}{due} <= {{now}} ORDER BY {order} LIMIT {{limit}}) h"
        )

    urgent = half(f"NOT ({alias}priority = 0)", f"{alias}priority DESC, {alias}{due}")
    plain = half(f"{alias}priority = 0", f"{alias}{due}")
    return f"SELECT * FROM ({urgent} UNION ALL {plain}) u ORDER BY u.priority DESC, u.due LIMIT {{limit}}"


def due_parameters(now: object, limit: int, *more: object) -> list[object]:
    """Return the parameters of `due_query`; `more` are those of its source, which come first in each half."""
    half = [*more, now, limit]
    return [*half, *half, limit]


DUE: Final = {
    "timers": due_query(
        "id, instance_id",
        "FROM bpm_timer WHERE status = 'SCHEDULED' AND NOT suspended AND instance_id IS NOT NULL",
        "due_at",
    ),
    "external_tasks": "SELECT id, instance_id FROM bpm_externaltask WHERE status = 'LOCKED' AND NOT suspended "
    "AND lease_expires_at <= {now} ORDER BY lease_expires_at LIMIT {limit}",
    "crashed": "SELECT id, instance_id FROM bpm_job WHERE status = 'RUNNING' AND NOT suspended "
    "AND lease_expires_at <= {now} "
    "ORDER BY lease_expires_at LIMIT {limit}",
}


def parameters_of(table: str, now: object, limit: int) -> list[object]:
    """Return the parameters of one of `DUE`."""
    return due_parameters(now, limit) if table == "timers" else [now, limit]
