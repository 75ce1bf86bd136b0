"""Erasing personal data from histories and rows; digests and hashes stay (semantics §10)."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

from django.db import connection, transaction

from bpm.core import events as e
from bpm.core.erasing import ERASABLE
from bpm.core.errors import InstanceNotFound
from bpm.core.evolve import evolve
from bpm.core.ids import Id
from bpm.core.state import State
from bpm.core.values import from_text, to_text
from bpm.models import HistoryEvent
from bpm.shell.clock import or_frozen
from bpm.shell.codec import states_from
from bpm.shell.folded_states import folded_states
from bpm.shell.history import digest_of
from bpm.shell.host import require_immediate_transactions
from bpm.shell.retention import changing_history
from bpm.shell.row_changes import add_to_document
from bpm.shell.sql import dialect
from bpm.shell.sql.document import Document, Guard
from bpm.shell.sql.queries import INSTANCES
from bpm.shell.violations import translated

BATCH: Final = 500
"""Events that one `PersonalDataErased` tells of."""


class ErasedData(NamedTuple):
    """What an erasure did: how many events it emptied, and how many current values of rows it took away."""

    events: int
    values: int


class _Item(NamedTuple):
    sequence: int
    event_type: str
    kept: dict[str, Any]
    digest: str
    current: bool


def erase(
    instance: Id,
    *,
    tenant: str | None,
    variables: Collection[str] | None = None,
    reason: str = "",
    actor: str = "",
) -> ErasedData:
    """Empty the values and free text of an instance's history; of one that has ended also those in its rows.

    While it has not ended, only what is no longer current is erased: values that were set anew or removed since.
    Doing it again erases what has come since.

    Args:
        tenant: the caller's; None: any.
        variables: only values of variables with these names.

    Raises:
        InstanceNotFound.

    Statements: 3, and 2 per 1,000 events and 1 per 500 erased ones; the instance is locked.
    """
    require_immediate_transactions()
    with translated(), transaction.atomic():
        sql = dialect()
        if not sql.lock(INSTANCES, [instance], skip_locked=False):
            raise InstanceNotFound(id=instance)
        now, rows = sql.read_everything([instance], ended=True)
        state = states_from(rows, everything=True)[instance]
        if tenant not in (None, state.instance.tenant):
            raise InstanceNotFound(id=instance)
        items = [item for item in _erasable(instance, variables) if state.instance.ended or not item.current]
        if items:
            _empty(instance, items)
            at = max(or_frozen(now), state.instance.updated_at or or_frozen(now))
            events = list(_events(items, reason))
            for event in events:
                evolve(state, event, at)
            _write(state, [(event, actor) for event in events])
    folded_states.forget(instance)
    return ErasedData(len(items), sum(item.current for item in items))


def _erasable(instance: Id, variables: Collection[str] | None) -> list[_Item]:
    """Return what is not erased yet, oldest first, and which of it is the newest word about its row."""
    newest: dict[tuple[str, Any], int] = {}
    found: list[_Item] = []
    wanted = (*ERASABLE, e.VariableRemoved.__name__)
    events = HistoryEvent.objects.filter(instance_id=uuid.UUID(instance), event_type__in=wanted)
    fields = ("sequence", "event_type", "payload", "salt", "digest")
    for sequence, kind, payload, salt, digest in events.order_by("sequence").values_list(*fields).iterator():
        if digest is not None:
            continue
        values = from_text(payload)
        if kind == e.VariableRemoved.__name__:
            newest.pop((e.VariableSet.__name__, (values["scope"], values["name"])), None)
            continue
        erasable = ERASABLE[kind]
        kept = {name: value for name, value in values.items() if name not in erasable.fields}
        about = (kind, erasable.key_of(kept) if erasable.table else sequence)
        newest[about] = sequence
        if variables is None or kept.get("name") in variables:
            found.append(_Item(sequence, kind, kept, digest_of(salt, payload), current=False))
    current = set(newest.values())
    return [item._replace(current=item.sequence in current) for item in found]


def _empty(instance: Id, items: list[_Item]) -> None:
    sql = dialect()
    query = (
        f"UPDATE bpm_historyevent AS h SET payload = '', salt = '', digest = {sql.element(1, 'text')} "  # noqa: S608
        f"FROM {sql.elements()} WHERE {sql.among('h.instance_id')} AND h.sequence = {sql.element(0, 'int')}"
    )
    with changing_history(), connection.cursor() as cursor:
        for start in range(0, len(items), BATCH):
            batch = items[start : start + BATCH]
            digests = to_text([[item.sequence, item.digest] for item in batch])
            cursor.execute(query, [digests, sql.ids([instance])])


def _events(items: list[_Item], reason: str) -> Iterator[e.PersonalDataErased]:
    left = iter(items)
    while batch := list(islice(left, BATCH)):
        told = tuple(
            {
                "sequence": item.sequence,
                "type": item.event_type,
                "kept": item.kept,
                "current": item.current,
            }
            for item in batch
        )
        yield e.PersonalDataErased(erased=told, reason=reason)


def _write(state: State, events: list[tuple[e.Event, str]]) -> None:
    document = Document()
    add_to_document(document, state, events, new=False)
    written = dialect().write(document, guard=Guard.LOCKED)
    assert written.instances == 1, "the instance is locked"
