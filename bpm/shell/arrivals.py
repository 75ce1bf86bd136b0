"""What a write takes away because it has arrived, and what has to follow once it is committed (semantics §7, §11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.db import transaction

from bpm.core.ids import Id
from bpm.shell.sql.document import DELIVERED, OUTBOX, UNBUFFERED, Document, Written
from bpm.shell.tables import SPECS

_SUBSCRIPTION = {name: place for place, name in enumerate(SPECS["subscriptions"].columns)}


class ArrivedBefore(Exception):
    """What was to be delivered is not there any more: somebody else has delivered it."""


@dataclass(slots=True)
class Arrived:
    """What is removed, and sent, along with what it has caused.

    Attributes:
        delivered: rows of the outbox.
        unbuffered: buffered messages.
        notes: new rows of the outbox, as columns.
    """

    delivered: list[int] = field(default_factory=list)
    unbuffered: list[Id] = field(default_factory=list)
    notes: list[list[Any]] = field(default_factory=list)

    @property
    def number(self) -> int:
        """How many rows have to be there."""
        return len(self.delivered) + len(self.unbuffered)

    def add_to(self, document: Document) -> None:
        """Add all of it to what is written."""
        for key, rows in (
            (DELIVERED, [[row] for row in self.delivered]),
            (UNBUFFERED, [[row] for row in self.unbuffered]),
            (OUTBOX, self.notes),
        ):
            if rows:
                document.rows[key] += rows


def follow_up(document: Document, written: Written, activated: Sequence[Id] = ()) -> None:
    """After the commit, deliver what was sent, and look whether something is there for those who now wait for it.

    Args:
        activated: instances whose suspension has ended.
    """
    if written.sent:
        transaction.on_commit(partial(_drain, written.sent), robust=True)
    if activated:
        transaction.on_commit(partial(_drain_for, activated), robust=True)
    waits = _message_waits(document)
    if waits:
        transaction.on_commit(partial(_look_again, waits), robust=True)


def _message_waits(document: Document) -> list[tuple[str, str]]:
    """Return tenant and name of the message subscriptions that are new; a row that stays open never changes."""
    rows = document.rows.get("subscriptions")
    if not rows:
        return []
    tenant, name, kind, status = (_SUBSCRIPTION[column] for column in ("tenant", "name", "kind", "status"))
    return list(
        {(row[tenant], row[name]): None for row in rows if (row[kind], row[status]) == ("message", "OPEN")}
    )


# What follows carries commands out itself, so it can only be imported when it is needed.


def _drain(rows: tuple[int, ...]) -> None:
    from bpm.shell.outbox import drain

    drain(rows)


def _drain_for(instances: Sequence[Id]) -> None:
    from bpm.shell.outbox import drain_for

    drain_for(instances)


def _look_again(waits: list[tuple[str, str]]) -> None:
    from bpm.shell.buffer import deliver_waiting

    deliver_waiting(waits)
