"""Stored events in the order of their sequence, page by page, and the state that they give (semantics §10)."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from bpm.core import events as e
from bpm.core.erasing import ERASABLE
from bpm.core.evolve import evolve
from bpm.core.ids import Id
from bpm.core.state import Instance, State
from bpm.core.values import Erased, from_text
from bpm.models import HistoryEvent
from bpm.shell.history import BY_NAME, decode_event, decode_values

PAGE: Final = 1_000
"""Events that are read by one statement, and held at a time."""

_FIELDS: Final = (
    "sequence",
    "event_type",
    "category",
    "occurred_at",
    "token",
    "node",
    "actor",
    "final",
    "payload",
    "salt",
    "digest",
    "hash",
)


class StoredEvent(NamedTuple):
    """One row of the history, ids as text, the time in UTC."""

    sequence: int
    event_type: str
    category: str
    occurred_at: datetime
    token: Id | None
    node: str | None
    actor: str
    final: bool
    payload: str
    salt: str
    digest: str | None
    hash: str


Erasures = Mapping[int, Mapping[str, Any]]
"""Sequence of an erased event to what its erasure tells of it."""


class ErasureUnknown(ValueError):
    """An event is empty, but no event of the same history says that it was erased."""


def stored_events(instance: Id, *, after: int = -1, upto: int | None = None) -> Iterator[StoredEvent]:
    """Yield the events of an instance behind one sequence, up to and including another.

    Statements: 1 per 1,000 events, and never more than so many are held.
    """
    rows = HistoryEvent.objects.filter(instance_id=uuid.UUID(instance)).order_by("sequence")
    if upto is not None:
        rows = rows.filter(sequence__lte=upto)
    while True:
        page = list(rows.filter(sequence__gt=after).values_list(*_FIELDS)[:PAGE])
        for row in page:
            yield stored_event(row)
        if len(page) < PAGE:
            return
        after = page[-1][0]


def stored_together(instances: Sequence[Id], limit: int) -> dict[Id, list[StoredEvent]] | None:
    """Return the events of several instances, in order, or None where they are more than the limit. Statements: 1."""
    wanted = [uuid.UUID(instance) for instance in instances]
    rows = HistoryEvent.objects.filter(instance_id__in=wanted).order_by("instance_id", "sequence")
    found: dict[Id, list[StoredEvent]] = {instance: [] for instance in instances}
    page = list(rows.values_list("instance_id", *_FIELDS)[: limit + 1])
    if len(page) > limit:
        return None
    for row in page:
        found[str(row[0])].append(stored_event(row[1:]))
    return found


def stored_event(row: tuple[Any, ...]) -> StoredEvent:
    """Return a row as it comes from the ORM."""
    token, at = row[4], row[3]
    values = [*row[:3], at.astimezone(UTC), None if token is None else str(token), *row[5:]]
    return StoredEvent._make(values)


def erasures_of(instance: Id) -> Erasures:
    """Return what erasures tell of the erased events of an instance. Statements: 1."""
    rows = HistoryEvent.objects.filter(
        instance_id=uuid.UUID(instance), event_type=e.PersonalDataErased.__name__
    )
    return erasures_in(rows.values_list("payload", flat=True))


def erasures_in(payloads: Iterable[str]) -> Erasures:
    """Return what the payloads of erasures tell."""
    return {item["sequence"]: item for payload in payloads for item in from_text(payload)["erased"]}


class Folding:
    """A state on its way through a history.

    Args:
        erasures: called once, when the first erased event is met.
    """

    def __init__(self, instance: Id, erasures: Callable[[], Erasures] | None = None) -> None:
        self.state = State(Instance(id=instance), everything=True)
        self._find_erasures = erasures or (lambda: erasures_of(instance))
        self._erasures: Erasures | None = None

    def decode(self, stored: StoredEvent) -> e.Event:
        """Return the event; what was erased of it is `Erased`.

        Raises:
            KeyError: its type is not known.
            ErasureUnknown: it is empty without an erasure.
            ValueError, TypeError: its payload is not that of its type.
        """
        if stored.digest is None:
            return decode_event(stored.event_type, stored.token, stored.node, stored.payload)
        return self.decode_erased(
            stored.sequence, stored.event_type, stored.token, stored.node, stored.digest
        )

    def decode_erased(
        self, sequence: int, event_type: str, token: Id | None, node: str | None, digest: str
    ) -> e.Event:
        """Return an event whose payload is gone. Raises: KeyError, ErasureUnknown, as `decode` does."""
        if self._erasures is None:
            self._erasures = self._find_erasures()
        item = self._erasures.get(sequence)
        if item is None or item["type"] != event_type:
            raise ErasureUnknown(f"event {sequence} is empty, but no erasure names it")
        lost = dict.fromkeys(ERASABLE[event_type].fields, Erased(digest))
        return decode_values(BY_NAME[event_type], token, node, {**item["kept"], **lost})

    def apply(self, event: e.Event, at: datetime) -> None:
        """Apply an event; nothing is remembered of the state before."""
        evolve(self.state, event, at)
        self.state.journal.clear()


def fold(instance: Id, upto: int | None = None) -> State:
    """Return the state of an instance as of an event, by default the newest.

    Statements: 1 per 1,000 events, and 1 where something was erased.
    """
    folding = Folding(instance)
    for stored in stored_events(instance, upto=upto):
        folding.apply(folding.decode(stored), stored.occurred_at)
    return folding.state
