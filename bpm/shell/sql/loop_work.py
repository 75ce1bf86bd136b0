"""Queries of the loops that go beyond one due table: when something comes due next, jobs by handler, leases of jobs.

Written once with placeholders for what the two databases say differently.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from django.db import connection

from bpm.core.ids import Id
from bpm.shell.sql import dialect
from bpm.shell.sql.due_work import due_parameters, due_query

_WAYS: Final[dict[str, dict[str, str]]] = {
    "postgresql": {
        "now": "coalesce(%s::timestamptz, statement_timestamp())",
        "clock": "clock_timestamp()",
        "names": "IN (SELECT json_array_elements_text(%s::json))",
        "lock": " FOR NO KEY UPDATE",
        "lock_free": " FOR NO KEY UPDATE SKIP LOCKED",
    },
    "sqlite": {
        "now": "%s",
        "clock": "NULL",
        "names": "IN (SELECT value FROM json_each(%s))",
        "lock": "",
        "lock_free": "",
    },
}
_READY: Final = "FROM bpm_job WHERE status = 'READY' AND NOT suspended"
_STARTS: Final = (
    "FROM bpm_timer t JOIN bpm_definition d ON d.id = t.definition_id AND NOT d.suspended "
    "WHERE t.status = 'SCHEDULED' AND t.definition_id IS NOT NULL"
)
_NEXT: Final = {
    "timers": "SELECT due_at FROM bpm_timer WHERE status = 'SCHEDULED' AND NOT suspended "
    "AND instance_id IS NOT NULL ORDER BY due_at LIMIT 1",
    "leases": "SELECT lease_expires_at FROM bpm_externaltask WHERE status = 'LOCKED' AND NOT suspended "
    "ORDER BY lease_expires_at LIMIT 1",
    "crashed": "SELECT lease_expires_at FROM bpm_job WHERE status = 'RUNNING' AND NOT suspended "
    "AND lease_expires_at IS NOT NULL ORDER BY lease_expires_at LIMIT 1",
    "jobs": f"SELECT available_at {_READY} AND kind <> 'handler' ORDER BY available_at LIMIT 1",
    "starts": f"SELECT t.due_at {_STARTS} ORDER BY t.due_at LIMIT 1",
    "outbox": "SELECT available_at FROM bpm_outbox ORDER BY available_at LIMIT 1",
    "messages": "SELECT created_at FROM bpm_messagebuffer ORDER BY id LIMIT 1",
    "handlers": f"SELECT available_at {_READY} AND handler {{names}} ORDER BY available_at LIMIT 1",
}


def next_due(handlers: Sequence[str]) -> tuple[datetime, dict[str, datetime]]:
    """Return the database's clock, and when the first work of each kind is or was due.

    Kinds are `timers`, `leases` (of external tasks), `crashed` (leases of jobs), `jobs` (the engine's own), `starts`
    (by timers), `outbox`, `messages` (buffered) and `handlers`; one that waits for nothing is left out.

    Args:
        handlers: names as `Job.handler` has them; jobs of others do not count.

    Statements: 1, one index entry per kind.
    """
    kinds = [kind for kind in _NEXT if kind != "handlers" or handlers]
    parts = [f"SELECT '{kind}', ({_NEXT[kind]})" for kind in kinds] + ["SELECT 'clock', {clock}"]
    parameters = [json.dumps(handlers)] if handlers else []
    found = dict(_read(" UNION ALL ".join(parts), parameters))
    now = _instant(found.pop("clock")) or datetime.now(UTC)
    moments = {kind: _instant(raw) for kind, raw in found.items()}
    return now, {kind: at for kind, at in moments.items() if at is not None}


def due_jobs(handlers: Sequence[str] | None, now: datetime | None, limit: int) -> list[tuple[Id, Id]]:
    """Return due jobs as (job, instance): of these handlers, with None the engine's own.

    The highest priority comes first, then the longest due.

    Statements: 1.
    """
    whose = "kind <> 'handler'" if handlers is None else "handler {names}"
    query = due_query("id, instance_id", f"{_READY} AND {whose}", "available_at").replace("{limit}", "%s")
    names = [] if handlers is None else [json.dumps(handlers)]
    rows = _read(query, due_parameters(_stored(now), limit, *names))
    text_id = dialect().text_id
    return [(text_id(job), text_id(instance)) for job, instance, *_ in rows]


def due_starts(now: datetime | None, limit: int) -> list[Id]:
    """Return the timers of definitions that are due: by priority, then the longest due first. Statements: 1."""
    query = due_query("t.id", _STARTS, "due_at", alias="t.").replace("{limit}", "%s")
    return [dialect().text_id(row[0]) for row in _read(query, due_parameters(_stored(now), limit))]


def still_crashed(jobs: Iterable[Id], now: datetime | None) -> set[Id]:
    """Lock those of the jobs whose lease has run out and return them; the caller holds their instances.

    Statements: 1.
    """
    query = (
        f"SELECT id FROM bpm_job WHERE {dialect().among('id')} AND status = 'RUNNING' "
        "AND NOT suspended AND lease_expires_at <= {now}{lock}"
    )
    return _ids(_read(query, [dialect().ids(jobs), _stored(now)]))


def own(jobs: Iterable[Id], owner: str, until: datetime) -> None:
    """Write who runs the jobs and until when; the caller holds their instances. Statements: 1."""
    query = f"UPDATE bpm_job SET owner = %s, lease_expires_at = %s WHERE {dialect().among('id')}"
    _read(query, [owner, _stored(until), dialect().ids(jobs)])


def extend(jobs: Iterable[Id], owner: str, until: datetime) -> set[Id]:
    """Let the leases that this owner still holds end later; return those jobs.

    A row that somebody has locked is passed over, so this waits for nobody and cannot be part of a deadlock.

    Statements: 1.
    """
    held = (
        f"SELECT id FROM bpm_job WHERE {dialect().among('id')} AND owner = %s AND status = 'RUNNING' "
        "ORDER BY id{lock_free}"
    )
    query = f"UPDATE bpm_job SET lease_expires_at = %s WHERE id IN ({held}) RETURNING id"
    return _ids(_read(query, [_stored(until), dialect().ids(jobs), owner]))


def _read(query: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    for name, way in _WAYS[connection.vendor].items():
        query = query.replace(f"{{{name}}}", way)
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return cursor.fetchall() if cursor.description else []


def _ids(rows: list[tuple[Any, ...]]) -> set[Id]:
    return {dialect().text_id(row[0]) for row in rows}


def _stored(at: datetime | None) -> object:
    if connection.vendor == "postgresql":
        return at
    return str((at or datetime.now(UTC)).astimezone(UTC).replace(tzinfo=None))


def _instant(raw: object) -> datetime | None:
    if isinstance(raw, str):
        return datetime.fromisoformat(raw).replace(tzinfo=UTC)
    if isinstance(raw, datetime):
        # SQLite's own converter gives instants without a zone, and the process's zone is the host project's.
        return raw.replace(tzinfo=UTC) if raw.tzinfo is None else raw.astimezone(UTC)
    return None
