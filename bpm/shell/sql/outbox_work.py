"""Queries of the outbox: what is due, taking rows, putting them off.

A lane is what is delivered in order: the rows of one target, or those without target of one source. A row is taken only
with all rows of its lane before it. Written once with placeholders for what the two databases say differently.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from django.db import connection

from bpm.core.between import PASSING
from bpm.core.ids import Id
from bpm.shell.clock import or_frozen
from bpm.shell.sql import dialect

_WAYS: Final[dict[str, dict[str, str]]] = {
    "postgresql": {
        "among": "= ANY(%s::bigint[])",
        "now": "coalesce(%s::timestamptz, statement_timestamp())",
        "clock": "clock_timestamp()",
        "take": " FOR UPDATE OF o SKIP LOCKED",
        "lock": " FOR NO KEY UPDATE OF i",
        "pass": " SKIP LOCKED",
    },
    "sqlite": {
        "among": "IN (SELECT value FROM json_each(%s))",
        "now": "%s",
        "clock": "NULL",
        "take": "",
        "lock": "",
        "pass": "",
    },
}
_LANES: Final = ("p.target = o.target", "o.target IS NULL AND p.target IS NULL AND p.source = o.source")
_SUSPENDED: Final = "SELECT 1 FROM bpm_processinstance i WHERE i.id = o.target AND i.status = 'SUSPENDED'"
_PASSING: Final = ", ".join(repr(name) for name in sorted(PASSING))
_HELD: Final = f"{_SUSPENDED} AND o.command NOT IN ({_PASSING})"
_PASSES: Final = f"o.command IN ({_PASSING}) AND EXISTS ({_SUSPENDED})"


def _none_before(condition: str) -> str:
    """Return that no row of the same lane before this one fulfils a condition; one part per kind of lane."""
    before = (f"SELECT 1 FROM bpm_outbox p WHERE {lane} AND p.id < o.id AND {condition}" for lane in _LANES)
    return " AND ".join(f"NOT EXISTS ({rows})" for rows in before)


_DUE: Final = (
    f"SELECT o.id FROM bpm_outbox o WHERE o.available_at <= {{now}} AND {_none_before('p.available_at > {now}')} "
    f"AND NOT EXISTS ({_HELD}) ORDER BY o.id LIMIT %s"
)
_TARGETS: Final = (
    "SELECT i.id FROM bpm_processinstance i WHERE i.id IN (SELECT target FROM bpm_outbox WHERE id {among}) "
    "ORDER BY i.id{lock}"
)
_ROWS: Final = (
    "SELECT o.id, o.tenant, o.source, o.target, o.command, o.payload, o.attempts, "
    "EXISTS (SELECT 1 FROM bpm_processinstance i WHERE i.id = o.target), {clock} FROM bpm_outbox o WHERE o.id {among} "
    f"AND NOT EXISTS ({_HELD}) AND ({_PASSES} OR ({_none_before('NOT p.id {among}')})) ORDER BY o.id{{take}}"
)


def due_rows(now: datetime | None, limit: int) -> list[int]:
    """Return rows that are due, in order; those for a suspended instance, and behind one put off, are left out.

    Statements: 1.
    """
    at = _stored(now)
    return [row[0] for row in _read(_DUE, [at, at, at, limit])]


def rows_for(targets: Iterable[Id], limit: int) -> list[int]:
    """Return the rows for instances, in order. Statements: 1."""
    query = f"SELECT id FROM bpm_outbox WHERE {dialect().among('target')} ORDER BY id LIMIT %s"
    return [row[0] for row in _read(query, [dialect().ids(targets), limit])]


def lock_targets(rows: Sequence[int], *, wait: bool) -> set[Id]:
    """Lock the instances to which rows go, in id order, waiting for those that somebody else has locked or not.

    Statements: 1.
    """
    text_id = dialect().text_id
    query = _TARGETS + ("" if wait else "{pass}")
    return {text_id(row[0]) for row in _read(query, [_numbers(rows)])}


def take_rows(rows: Sequence[int]) -> tuple[datetime, list[tuple[Any, ...]]]:
    """Read rows for delivery, in order, and lock them; those that somebody else has locked are left out.

    Returns:
        The database's clock, and id, tenant, source, target, command, payload, attempts of each, and whether its
        target is there.

    Statements: 1.
    """
    numbers = _numbers(rows)
    found = _read(_ROWS, [numbers, numbers, numbers])
    now = found[0][-1] if found and found[0][-1] is not None else datetime.now(UTC)
    return or_frozen(now.astimezone(UTC)), [row[:-1] for row in found]


def put_off(row: int, error: str, until: datetime) -> None:
    """Count a failure of a row; it is due again later. Statements: 1."""
    query = "UPDATE bpm_outbox SET attempts = attempts + 1, error = %s, available_at = %s WHERE id = %s"
    _read(query, [error, _stored(until), row])


def variables_of(instances: Iterable[Id]) -> list[tuple[Id, str, str]]:
    """Return the process variables of instances: instance, name, JSON text. Statements: 1."""
    among = dialect().among("instance_id")
    query = f"SELECT instance_id, name, value FROM bpm_variable WHERE {among} AND scope = instance_id"
    text_id = dialect().text_id
    rows = _read(query, [dialect().ids(instances)])
    return [(text_id(instance), name, value) for instance, name, value in rows]


def _numbers(rows: Sequence[int]) -> object:
    if connection.vendor == "postgresql":
        return list(rows)
    return "[" + ",".join(map(str, rows)) + "]"


def _read(query: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    for name, way in _WAYS[connection.vendor].items():
        query = query.replace(f"{{{name}}}", way)
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return cursor.fetchall() if cursor.description else []


def _stored(at: datetime | None) -> object:
    if connection.vendor == "postgresql":
        return at
    return str((at or datetime.now(UTC)).astimezone(UTC).replace(tzinfo=None))
