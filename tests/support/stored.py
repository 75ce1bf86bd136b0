"""Reading a whole instance from its tables by the ORM, ended rows too: a second way beside the engine's own SQL."""

from __future__ import annotations

import uuid
from functools import cache
from typing import Any

from django.apps import apps
from django.db import connection, models

from bpm.core.ids import Id
from bpm.core.rows import InstanceStatus
from bpm.core.state import Instance, State
from bpm.core.values import from_text
from bpm.models import HistoryEvent, ProcessInstance
from bpm.shell.codec import holds_tuple
from bpm.shell.columns import JSON
from bpm.shell.history import chain_hash, decode_event, digest_of
from bpm.shell.table_spec import TableSpec
from bpm.shell.tables import SPECS
from tests.support.folding import Recorded

_BY_TABLE: dict[str, type[models.Model]] = {
    model._meta.db_table: model for model in apps.get_app_config("bpm").get_models()
}
_UUID: models.UUIDField[Any, Any] = models.UUIDField()
_PLAIN = {"sequence": "last_sequence", "definition": "definition_id"}


class _Query:
    """What the ORM asks for the rows of one instance, compiled once: compiling takes longer than reading."""

    def __init__(self, model: type[models.Model], fields: tuple[str, ...]) -> None:
        rows = model._default_manager.filter(instance_id=uuid.UUID(int=0)).values_list(*fields)
        self._compiler = rows.query.get_compiler(connection=connection)
        self._sql, parameters = self._compiler.as_sql()
        assert len(parameters) == 1
        self._converters = self._compiler.get_converters([column for column, _, _ in self._compiler.select])

    def rows(self, instance: Id) -> list[tuple[Any, ...]]:
        """Return the fields of each row."""
        parameter = _UUID.get_db_prep_value(uuid.UUID(instance), connection, prepared=False)
        with connection.cursor() as cursor:
            cursor.execute(self._sql, (parameter,))
            found = cursor.fetchall()
        return [tuple(row) for row in self._compiler.apply_converters(found, self._converters)]


@cache
def _query(spec: TableSpec) -> _Query:
    return _Query(_BY_TABLE[spec.table], spec.fields)


def read_state(instance: Id) -> State | None:
    """Return everything stored of an instance, None where there is none."""
    row = ProcessInstance.objects.filter(id=instance).first()
    return None if row is None else _read_state(instance, row)


class StoredInstances:
    """Reads instances, again only when their revision has changed: nothing is written without raising it."""

    def __init__(self) -> None:
        self._read: dict[Id, tuple[int, State]] = {}

    def state(self, instance: Id) -> State | None:
        """Return everything stored of an instance, None where there is none; not to be changed."""
        row = ProcessInstance.objects.filter(id=instance).first()
        if row is None:
            return None
        revision, state = self._read.get(instance, (-1, None))
        if state is None or revision != row.revision:
            state = _read_state(instance, row)
            self._read[instance] = (row.revision, state)
        return state


def _read_state(instance: Id, row: ProcessInstance) -> State:
    values = {name: _plain(getattr(row, _PLAIN.get(name, name))) for name in Instance.__dataclass_fields__}
    values |= {"status": InstanceStatus(values["status"]), "passes": from_text(values["passes"])}
    state = State(Instance(**values), everything=True)
    for spec in SPECS.values():
        for found in _query(spec).rows(instance):
            _adopt(state, spec, _row(spec, found))
    return state


def _adopt(state: State, spec: TableSpec, row: Any) -> None:
    if spec.name == "tokens":
        state.adopt_token(row)
    elif spec.name == "joins":
        state.adopt_join(row)
    elif spec.name == "variables":
        state.variables[row.scope, row.name] = row
    else:
        getattr(state, spec.name)[row.id] = row


def _row(spec: TableSpec, found: tuple[Any, ...]) -> Any:
    values = []
    for position, name in enumerate(spec.fields):
        value = _plain(found[position])
        if spec.kinds.get(name) == JSON:
            value = from_text(value)
            value = tuple(value) if holds_tuple(spec, position) else value
        if name in spec.enums:
            value = spec.enums[name](value)
        values.append(value)
    return spec.row(*values)


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, uuid.UUID) else value


def read_history(instance: Id) -> list[Recorded]:
    """Return the history of an instance; fails where the chain of hashes is broken."""
    found, previous = [], ""
    for row in HistoryEvent.objects.filter(instance_id=uuid.UUID(instance)).order_by("sequence"):
        token = _plain(row.token)
        at = row.occurred_at.isoformat(timespec="microseconds")
        digest = row.digest or digest_of(row.salt, row.payload)
        previous = chain_hash(
            previous, row.sequence, row.event_type, at, token or "", row.node or "", digest, row.actor
        )
        assert row.hash == previous, f"the chain of hashes is broken at {row.sequence}"
        event = decode_event(row.event_type, token, row.node, row.payload)
        found.append(Recorded(row.sequence, event, row.occurred_at))
    return found
