"""How what goes between instances is written: rows of the outbox, broadcasts of signals, what has been delivered.

A broadcast finds its receivers in the statement that writes it: one row per other instance that waits for the signal at
this moment, and one per signal start.
"""

from __future__ import annotations

from typing import Final

from bpm.shell.columns import OUTBOX_COLUMNS
from bpm.shell.sql.document import DELIVERED, OUTBOX, SIGNALS, UNBUFFERED

_NAMES: Final = ", ".join(name for name, _ in OUTBOX_COLUMNS)
_WAITING: Final = "s.tenant = {tenant} AND s.kind = 'signal' AND s.name = {name} AND s.status = 'OPEN'"


def postgresql_part(key: str, source: str) -> str:
    """Return the statement of a part, for a WITH clause; `source` yields the arrays `e`."""
    if key == OUTBOX:
        values = ", ".join(f"(e->>{at})::{kind}" for at, (_, kind) in enumerate(OUTBOX_COLUMNS))
        return f"INSERT INTO bpm_outbox ({_NAMES}) SELECT {values} FROM {source} RETURNING id"
    if key == SIGNALS:
        return _postgresql_broadcast(source)
    if key == DELIVERED:
        return f"DELETE FROM bpm_outbox o USING {source} WHERE o.id = (e->>0)::bigint RETURNING 1"
    assert key == UNBUFFERED, "no other part is sent"
    return f"DELETE FROM bpm_messagebuffer b USING {source} WHERE b.id = (e->>0)::uuid RETURNING 1"


def sqlite_query(key: str) -> str:
    """Return the statement of a part; it takes the rows as one JSON parameter."""
    if key == OUTBOX:
        values = ", ".join(f"e.value->>{at}" for at in range(len(OUTBOX_COLUMNS)))
        return (
            f"INSERT INTO bpm_outbox ({_NAMES}) SELECT {values} FROM json_each(%s) e WHERE true RETURNING id"
        )
    if key == SIGNALS:
        return _sqlite_broadcast()
    table = "bpm_outbox" if key == DELIVERED else "bpm_messagebuffer"
    return f"DELETE FROM {table} WHERE id IN (SELECT value->>0 FROM json_each(%s)) RETURNING 1"


# Columns of a broadcast: tenant, source, name, variables, available_at, created_at.


def _postgresql_broadcast(source: str) -> str:
    waiting = _WAITING.format(tenant="e->>0", name="e->>2")
    rest = "0, (e->>4)::timestamptz, (e->>5)::timestamptz"
    variables = "',\"variables\":' || (e->>3) || '}'"
    instances = (
        f"SELECT s.instance_id, json_agg(s.id ORDER BY s.id)::text AS ids FROM bpm_subscription s WHERE {waiting} "
        "AND s.instance_id IS NOT NULL AND s.instance_id <> (e->>1)::uuid GROUP BY s.instance_id ORDER BY s.instance_id"
    )
    starts = (
        "SELECT s.id FROM bpm_subscription s JOIN bpm_definition d ON d.id = s.definition_id AND NOT d.suspended "
        f"WHERE {waiting} ORDER BY s.id"
    )
    return (
        f"INSERT INTO bpm_outbox ({_NAMES}) SELECT e->>0, (e->>1)::uuid, i.instance_id, 'TriggerSignal', "
        f"'{{\"subscriptions\":' || i.ids || {variables}, {rest} FROM {source}, LATERAL ({instances}) i "
        f"UNION ALL SELECT e->>0, (e->>1)::uuid, NULL, 'StartBySignal', "
        f"'{{\"subscription\":\"' || i.id || '\"' || {variables}, {rest} FROM {source}, LATERAL ({starts}) i "
        "RETURNING id"
    )


def _sqlite_broadcast() -> str:
    waiting = _WAITING.format(tenant="e.value->>0", name="e.value->>2")
    rest = "0, e.value->>4, e.value->>5"
    variables = "',\"variables\":' || (e.value->>3) || '}'"
    return (
        f"INSERT INTO bpm_outbox ({_NAMES}) SELECT * FROM (SELECT e.value->>0, e.value->>1, s.instance_id, "
        f"'TriggerSignal', '{{\"subscriptions\":' || json_group_array(s.id) || {variables}, {rest} "
        f"FROM json_each(%s) e JOIN bpm_subscription s ON {waiting} AND s.instance_id IS NOT NULL "
        "AND s.instance_id <> e.value->>1 GROUP BY e.key, s.instance_id ORDER BY e.key, s.instance_id) "
        "UNION ALL SELECT * FROM (SELECT e.value->>0, e.value->>1, NULL, 'StartBySignal', "
        f"'{{\"subscription\":\"' || s.id || '\"' || {variables}, {rest} FROM json_each(%s) e "
        f"JOIN bpm_subscription s ON {waiting} JOIN bpm_definition d ON d.id = s.definition_id AND NOT d.suspended "
        "ORDER BY e.key, s.id) WHERE true RETURNING id"
    )
