"""States to rows and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from bpm.core.ids import Id
from bpm.core.rows import InstanceStatus
from bpm.core.state import Instance, State
from bpm.core.values import from_text, to_text
from bpm.shell.columns import JSON
from bpm.shell.sql.dialect import Rows
from bpm.shell.sql.queries import INSTANCES
from bpm.shell.table_spec import TableSpec
from bpm.shell.tables import SPECS

_STATUS = {status.value: status for status in InstanceStatus}


def instance_from(row: list[Any]) -> Instance:
    """Return the instance of a row in the order of INSTANCE_COLUMNS."""
    return Instance(
        id=row[0],
        tenant=row[1],
        definition=row[2],
        definition_key=row[3],
        business_key=row[4],
        status=_STATUS[row[5]],
        parent_instance=row[6],
        parent_token=row[7],
        root=row[8],
        suspended_because=row[9],
        live=row[10],
        failed=row[11],
        passive=row[12],
        incidents=row[13],
        conditions=row[14],
        sequence=row[15],
        passes={} if row[16] == "{}" else from_text(row[16]),
        started_at=row[17],
        ended_at=row[18],
        updated_at=row[19],
        revision=row[20],
        head=row[21],
    )


def instance_row(instance: Instance, head: str) -> list[Any]:
    """Return the row of an instance; `revision` is the one that was read, `head` the newest hash."""
    return [
        instance.id,
        instance.tenant,
        instance.definition,
        instance.definition_key,
        instance.business_key,
        instance.status.value,
        instance.parent_instance,
        instance.parent_token,
        instance.root,
        instance.suspended_because,
        instance.live,
        instance.failed,
        instance.passive,
        instance.incidents,
        instance.conditions,
        instance.sequence,
        to_text(instance.passes) if instance.passes else "{}",
        instance.started_at,
        instance.ended_at,
        instance.updated_at,
        instance.revision,
        head,
    ]


@cache
def _reader(spec: TableSpec) -> Callable[[list[Any]], Any]:
    width = len(spec.fields)
    enums = [
        (spec.fields.index(name), {item.value: item for item in enum}) for name, enum in spec.enums.items()
    ]
    jsons = [(position, holds_tuple(spec, position)) for position in spec.positions(JSON)]
    make = spec.row._make

    def read(row: list[Any]) -> Any:
        for position, members in enums:
            row[position] = members[row[position]]
        for position, is_tuple in jsons:
            text = row[position]
            value = {} if text == "{}" else from_text(text)
            row[position] = tuple(value) if is_tuple else value
        return make(row[:width])

    return read


def holds_tuple(spec: TableSpec, position: int) -> bool:
    """Return whether a JSON field is a tuple in the row, else a mapping."""
    return "tuple" in str(spec.row.__annotations__[spec.fields[position]])


def row_values(spec: TableSpec, row: Any, instance: Instance) -> list[Any]:
    """Return a row in the order of `TableSpec.columns`, JSON fields as text, times as datetimes."""
    values = [*row, instance.id]
    if spec.tenant:
        values.append(instance.tenant)
    if spec.suspendable:
        values.append(instance.status is InstanceStatus.SUSPENDED)
    for position in spec.json_positions:
        value = values[position]
        values[position] = to_text(value) if value else _empty(value)
    return values


def _empty(value: object) -> str:
    return "[]" if isinstance(value, tuple | list) else "{}"


def states_from(rows: Rows, *, everything: bool) -> dict[Id, State]:
    """Return instance id to a working set of the rows that were read."""
    states: dict[Id, State] = {}
    for row in rows.get(INSTANCES, ()):
        instance = instance_from(row)
        states[instance.id] = State(instance, everything=everything)
    add_rows(states, rows)
    return states


def add_rows(states: dict[Id, State], rows: Rows) -> None:
    """Put rows into the working sets of their instances."""
    for name, spec in SPECS.items():
        found = rows.get(name)
        if found:
            _add(states, spec, found)


def _add(states: dict[Id, State], spec: TableSpec, found: Iterable[list[Any]]) -> None:
    read = _reader(spec)
    owner = spec.columns.index("instance_id")
    for raw in found:
        state = states.get(raw[owner])
        if state is None:
            continue
        adopt(state, spec.name, read(raw))


def add_state(state: State, other: State) -> None:
    """Put the rows of another working set of the same instance into one that may lack some of them."""
    for name in SPECS:
        table = getattr(state, name)
        for key, row in getattr(other, name).items():
            if key not in table:
                adopt(state, name, row)
    state.everything |= other.everything


def adopt(state: State, table: str, row: Any) -> None:
    """Take a stored row into a working set."""
    if table == "tokens":
        state.adopt_token(row)
    elif table == "joins":
        state.adopt_join(row)
    elif table == "variables":
        state.variables[row.scope, row.name] = row
    else:
        getattr(state, table)[row.id] = row
