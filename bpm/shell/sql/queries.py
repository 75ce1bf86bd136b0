"""Queries that both databases share, put together from each one's way of saying things."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

from bpm.shell.table_spec import TableSpec
from bpm.shell.tables import SPECS

if TYPE_CHECKING:
    from bpm.shell.sql.dialect import Dialect

INSTANCES: Final = "instances"
"""Name under which rows of instances are read."""

LOCKED: Final = "locked"
"""Name of rows of what a reading statement has locked, with the revision as locked."""

Locking = Literal["", "wait", "skip"]
"""Whether a reading statement locks the instances too, and what becomes of those that somebody else has locked."""

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
        condition = sql.found("i.id", inner)
    return f"SELECT i.id FROM bpm_processinstance i WHERE {condition} ORDER BY i.id {clause}"


def _locked(sql: Dialect, owners: str, locking: Locking, *columns: str) -> tuple[list[str], list[str]]:
    """Return the CTE `l` of the instances that are locked, in id order, and its SELECT; nothing without `locking`."""
    if not locking:
        return [], []
    clause = sql.lock_clause(skip_locked=locking == "skip")
    columns = columns or ("id", "revision")
    what = ", ".join(f"i.{column}" for column in columns)
    query = f"SELECT {what} FROM bpm_processinstance i WHERE {sql.found('i.id', owners)} ORDER BY i.id"
    taken = ", ".join(f"l.{column}" for column in columns)
    return [f"l AS ({query} {clause})"], [f"SELECT '{LOCKED}', {sql.array(taken)} FROM l"]


@lru_cache
def stands_query(sql: Dialect, locking: Locking) -> str:
    """Return the query that locks the instances in one list of ids, and reads of them no more than where they stand."""
    locks, pieces = _locked(sql, "SELECT id FROM k", locking, "id", "revision", "head")
    tables = ", ".join([f"k AS ({sql.listed()})", *locks])
    return f"WITH {tables} " + " UNION ALL ".join([*pieces, sql.clock_part()])


@lru_cache
def read_query(sql: Dialect, table: str, locking: Locking = "") -> tuple[str, int]:
    """Return the query and how often it takes the list of ids.

    `p` are the rows named, `t` the tokens they hang on, `s` the scopes around, outwards.
    """
    spec = SPECS[table]
    locks, first = _locked(sql, "SELECT instance_id FROM p", locking)
    tables = [f"p AS (SELECT * FROM {spec.table} x WHERE {sql.among('x.id')})", *locks]
    scopes = {"tokens": "SELECT scope FROM p", "scopes": "SELECT id FROM p"}.get(table)
    held = "SELECT outer_token FROM s"
    if scopes is None:
        tables.append(f"t AS (SELECT * FROM bpm_token WHERE {sql.found('id', 'SELECT token FROM p')})")
        scopes = "SELECT scope FROM t" + (" UNION SELECT scope FROM p" if "scope" in spec.fields else "")
        held += " UNION SELECT id FROM t"
    elif table == "tokens":
        held += " UNION SELECT id FROM p"
    tables.append(
        f"s AS (SELECT * FROM bpm_scope WHERE {sql.found('id', scopes)} "
        f"UNION {sql.looking_up('s', 'bpm_scope', 'z.id = o.parent')})"
    )
    pieces = [
        *first,
        sql.clock_part(),
        sql.instances(sql.found("x.id", "SELECT instance_id FROM p")),
        sql.parts(SPECS["tokens"], "bpm_token", sql.found("x.id", held)),
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
    tokens = f"t AS (SELECT * FROM bpm_token WHERE {sql.found('id', 'SELECT token FROM p')})"
    around = f"SELECT * FROM bpm_scope WHERE {sql.found('id', 'SELECT scope FROM t')}"
    scopes = f"s AS ({around} UNION {sql.looking_up('s', 'bpm_scope', 'z.id = o.parent')})"
    variables = sql.looked_up("s", "bpm_variable", "z.instance_id = o.instance_id AND z.scope = o.id")
    pieces = [
        sql.clock_part(),
        sql.instances(sql.found("x.id", "SELECT instance_id FROM p")),
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
def everything_query(sql: Dialect, locking: Locking = "") -> tuple[str, int]:
    """Return the query for all live rows of instances, and how often it takes the list of ids."""
    locks, first = _locked(sql, "SELECT id FROM k", locking)
    pieces = [*first, sql.clock_part(), sql.instances(sql.found("x.id", "SELECT id FROM k"))]
    pieces += [
        sql.parts(spec, sql.looked_up("k", spec.table, f"z.instance_id = o.id AND ({spec.live})"))
        for spec in SPECS.values()
    ]
    tables = ", ".join([f"k AS ({sql.listed()})", *locks])
    return f"WITH {tables} " + " UNION ALL ".join(pieces), 1


Sought = Literal["latest", "number", "id"]
"""How a version is named: as the latest of a key, by its number, by its id."""


@lru_cache
def definitions_query(sql: Dialect, sought: tuple[Sought, ...]) -> str:
    """Return the query for versions that are named in these ways; each takes the list of what is wanted."""
    columns = "CAST(d.id AS text), d.tenant, d.key, d.version, d.executable, d.suspended"
    select = f"SELECT {sql.element(0, 'int')}, {columns} FROM {sql.elements()}"
    tenant, key = f"= {sql.element(1, 'text')}", f"= {sql.element(2, 'text')}"
    number = sql.element(3, "int")
    pieces: dict[Sought, str] = {
        "latest": f"JOIN bpm_definitionkey k ON k.tenant {tenant} AND k.key {key} AND {number} IS NULL "
        "JOIN bpm_definition d ON d.id = k.latest_id",
        "number": f"JOIN bpm_definition d ON d.tenant {tenant} AND d.key {key} AND d.version = {number} "
        "AND d.deleted_at IS NULL",
        "id": f"JOIN bpm_definition d ON d.id = {sql.element(4, 'uuid')} AND d.tenant {tenant} "
        "AND d.deleted_at IS NULL",
    }
    clock = f"SELECT -1, {sql.clock()}, '', '', 0, true, true"
    return " UNION ALL ".join([*(f"{select} {pieces[way]}" for way in sought), clock])
