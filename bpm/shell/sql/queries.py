"""Queries that both databases share, put together from each one's way of saying things."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from bpm.shell.table_spec import TableSpec
from bpm.shell.tables import SPECS

if TYPE_CHECKING:
    from bpm.shell.sql.dialect import Dialect

INSTANCES: Final = "instances"
"""Name under which rows of instances are read."""

_SCOPE_PARTS = ("timers", "subscriptions")
_TOKEN_PARTS = ("external_tasks", "user_tasks", "jobs", "incidents", *_SCOPE_PARTS)


@lru_cache
def lock_query(sql: Dialect, table: str, skip_locked: bool) -> str:
    """Return the query that locks the instances of rows, in id order."""
    clause = sql.lock_clause(skip_locked=skip_locked)
    if table == INSTANCES:
        condition = sql.among("i.id")
    else:
        inner = f"SELECT instance_id FROM {SPECS[table].table} x WHERE {sql.among('x.id')}"
        condition = f"i.id IN ({inner})"
    return f"SELECT i.id FROM bpm_processinstance i WHERE {condition} ORDER BY i.id {clause}"


@lru_cache
def read_query(sql: Dialect, table: str) -> tuple[str, int]:
    """Return the query and how often it takes the list of ids.

    `p` are the rows named, `t` the tokens they hang on, `s` the scopes around, outwards.
    """
    spec = SPECS[table]
    tables = [f"p AS (SELECT * FROM {spec.table} x WHERE {sql.among('x.id')})"]
    scopes = {"tokens": "SELECT scope FROM p", "scopes": "SELECT id FROM p"}.get(table)
    held = "SELECT outer_token FROM s"
    if scopes is None:
        tables.append("t AS (SELECT * FROM bpm_token WHERE id IN (SELECT token FROM p))")
        scopes = "SELECT scope FROM t" + (" UNION SELECT scope FROM p" if "scope" in spec.fields else "")
        held += " UNION SELECT id FROM t"
    elif table == "tokens":
        held += " UNION SELECT id FROM p"
    tables.append(
        f"s AS (SELECT * FROM bpm_scope WHERE id IN ({scopes}) "
        "UNION SELECT y.* FROM s JOIN bpm_scope y ON y.id = s.parent)"
    )
    pieces = [
        sql.clock_part(),
        sql.instances("x.id IN (SELECT instance_id FROM p)"),
        sql.parts(SPECS["tokens"], "bpm_token", f"x.id IN ({held})"),
        sql.parts(SPECS["scopes"], "s"),
    ]
    if table not in ("tokens", "scopes"):
        pieces.append(sql.parts(spec, "p"))
    pieces += [_owned_by_scopes(sql, SPECS[name]) for name in _SCOPE_PARTS]
    held_by = {
        "tokens": ("p", _TOKEN_PARTS),
        "timers": ("t", _SCOPE_PARTS),
        "subscriptions": ("t", _SCOPE_PARTS),
    }
    tokens, names = held_by.get(table, ("", ()))
    for name in names:
        other = SPECS[name]
        condition = f"z.instance_id = o.instance_id AND z.token = o.id AND z.{other.live}"
        pieces.append(sql.parts(other, sql.looked_up(tokens, other.table, condition)))
    return f"WITH RECURSIVE {', '.join(tables)} " + " UNION ALL ".join(pieces), 1


def parts_around_tasks(sql: Dialect) -> tuple[list[str], list[str]]:
    """Return CTEs and SELECTs for what a lease of external tasks reads: they are `p`, all variables included."""
    tokens = "t AS (SELECT * FROM bpm_token WHERE id IN (SELECT token FROM p))"
    around = "SELECT * FROM bpm_scope WHERE id IN (SELECT scope FROM t)"
    scopes = f"s AS ({around} UNION SELECT y.* FROM s JOIN bpm_scope y ON y.id = s.parent)"
    variables = "(SELECT v.* FROM s JOIN bpm_variable v ON v.instance_id = s.instance_id AND v.scope = s.id)"
    pieces = [
        sql.clock_part(),
        sql.instances("x.id IN (SELECT instance_id FROM p)"),
        sql.parts(SPECS["tokens"], "t"),
        sql.parts(SPECS["scopes"], "s"),
        sql.parts(SPECS["external_tasks"], "p"),
        sql.parts(SPECS["variables"], variables),
    ]
    return [tokens, scopes], pieces


def _owned_by_scopes(sql: Dialect, spec: TableSpec) -> str:
    """Return a SELECT of the open rows that the scopes own themselves: boundary events, event subprocesses."""
    condition = f"z.scope = o.id AND z.token IS NULL AND z.{spec.live}"
    return sql.parts(spec, sql.looked_up("s", spec.table, condition))


@lru_cache
def everything_query(sql: Dialect) -> tuple[str, int]:
    """Return the query for all live rows of instances, and how often it takes the list of ids."""
    pieces = [sql.clock_part(), sql.instances("x.id IN (SELECT id FROM k)")]
    pieces += [
        sql.parts(spec, sql.looked_up("k", spec.table, f"z.instance_id = o.id AND ({spec.live})"))
        for spec in SPECS.values()
    ]
    return f"WITH k AS ({sql.listed()}) " + " UNION ALL ".join(pieces), 1


@lru_cache
def definitions_query(sql: Dialect) -> str:
    """Return the query for versions: by latest of a key, by number, by id."""
    columns = "CAST(d.id AS text), d.tenant, d.key, d.version, d.executable, d.suspended"
    select = f"SELECT {sql.element(0, 'int')}, {columns} FROM {sql.elements()}"
    tenant, key = f"= {sql.element(1, 'text')}", f"= {sql.element(2, 'text')}"
    return (
        f"{select} JOIN bpm_definitionkey k ON k.tenant {tenant} AND k.key {key} "
        f"AND {sql.element(3, 'int')} IS NULL JOIN bpm_definition d ON d.id = k.latest_id UNION ALL "
        f"{select} JOIN bpm_definition d ON d.tenant {tenant} AND d.key {key} "
        f"AND d.version = {sql.element(3, 'int')} AND d.deleted_at IS NULL UNION ALL "
        f"{select} JOIN bpm_definition d ON d.id = {sql.element(4, 'uuid')} AND d.tenant {tenant} "
        "AND d.deleted_at IS NULL UNION ALL "
        f"SELECT -1, {sql.clock()}, '', '', 0, true, true"
    )
