"""The rows of one instance: against the fold of its history, against the rules, and against themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, Final, NamedTuple

from bpm.core.invariants import violations
from bpm.core.rows import InstanceStatus
from bpm.core.state import TABLES, Instance, State
from bpm.shell.sql.dialect import Rows
from bpm.shell.table_spec import TableSpec
from bpm.shell.tables import SPECS
from bpm.shell.verifying.findings import COLUMN_WRONG, ROWS_DIFFER, Finding

_OUTSIDE: Final = frozenset({"revision", "head"})
_INSTANCE_FIELDS: Final = tuple(field.name for field in fields(Instance) if field.name not in _OUTSIDE)


class Difference(NamedTuple):
    """A row that is not as the history says.

    Attributes:
        folded, stored: as the history gives it, and as the table has it; None where there is none.
    """

    table: str
    key: Any
    folded: Any
    stored: Any


def differences(folded: State, stored: State) -> Iterator[Difference]:
    """Yield where a fold and the tables differ: rows of all tables, and the instance's own."""
    ours, theirs = instance_values(folded), instance_values(stored)
    for name, value in ours.items():
        if value != theirs[name]:
            yield Difference("instance", name, value, theirs[name])
    for table in TABLES:
        mine, others = getattr(folded, table), getattr(stored, table)
        if mine == others:
            continue
        for key in (*mine, *(key for key in others if key not in mine)):
            if mine.get(key) != others.get(key):
                yield Difference(table, key, mine.get(key), others.get(key))


def instance_values(state: State) -> dict[str, Any]:
    """Return what a fold must give of the instance's own row."""
    return {name: getattr(state.instance, name) for name in _INSTANCE_FIELDS}


def difference_finding(difference: Difference, sequence: int | None) -> Finding:
    """Return what a difference says."""
    table, key, folded, stored = difference
    text = f"{_said(folded, stored)} by the history, {_said(stored, folded)} in the table"
    name = ":".join(key) if isinstance(key, tuple) else str(key)
    return Finding(ROWS_DIFFER, table, name, text[:2_000], sequence)


def _said(row: Any, other: Any) -> str:
    if row is None:
        return "not there"
    if not (isinstance(row, tuple) and hasattr(row, "_fields")):
        return repr(row)
    names = row._fields
    shown = names if other is None else [n for n in names if getattr(row, n) != getattr(other, n)]
    return ", ".join(f"{name} {getattr(row, name)!r}" for name in shown)


def rule_findings(state: State) -> Iterator[Finding]:
    """Yield the rules that the rows break."""
    try:
        for broken in violations(state):
            yield Finding(broken.rule, "", "", broken.text)
    except LookupError as error:
        # A row that others need is not there; that it is missing is a finding of its own.
        yield Finding(ROWS_DIFFER, "", "", f"the rows do not fit together: {type(error).__name__} {error}")


def column_findings(state: State, rows: Rows) -> Iterator[Finding]:
    """Yield columns beside the row's own that are wrong: the tenant, and whether the instance is suspended.

    Args:
        rows: as they were read, those of this instance among others.
    """
    instance = state.instance
    for name, spec in SPECS.items():
        if not (spec.tenant or spec.suspendable):
            continue
        owner = spec.columns.index("instance_id")
        for row in rows.get(name, ()):
            if row[owner] == instance.id:
                yield from _columns(instance, spec, row)


def _columns(instance: Instance, spec: TableSpec, row: list[Any]) -> Iterator[Finding]:
    named = dict(zip(spec.columns, row, strict=True))
    if spec.tenant and named["tenant"] != instance.tenant:
        text = f"its tenant is {named['tenant']!r}, the instance's {instance.tenant!r}"
        yield Finding(COLUMN_WRONG, spec.name, str(row[0]), text)
    suspended = instance.status is InstanceStatus.SUSPENDED
    if spec.suspendable and named["closed_at"] is None and bool(named["suspended"]) != suspended:
        text = f"suspended is {named['suspended']}, the instance is {instance.status}"
        yield Finding(COLUMN_WRONG, spec.name, str(row[0]), text)


def candidate_findings(state: State, stored: Mapping[str, set[tuple[str, str]]]) -> Iterator[Finding]:
    """Yield user tasks whose rows of candidates are not those that the task says.

    Args:
        stored: task to kind and name of its candidates.
    """
    for task in state.user_tasks.values():
        said = {("user", name) for name in task.candidate_users}
        said |= {("group", name) for name in task.candidate_groups}
        if said != stored.get(task.id, set()):
            text = f"the task says {sorted(said)}, its rows {sorted(stored.get(task.id, set()))}"
            yield Finding(ROWS_DIFFER, "candidates", task.id, text)
