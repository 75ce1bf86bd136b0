"""A decision that is remembered, and what it does to one instance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from bpm.core.ids import Id, IdSource
from bpm.core.values import quoted
from bpm.shell.history import chain_hash, digest_of, new_salt, occurrence_text
from bpm.shell.outcome import Done
from bpm.shell.remembering.asking import Asked
from bpm.shell.remembering.shapes import Shape, Shaped
from bpm.shell.remembering.when import end_of_lease
from bpm.shell.sql.document import Guard
from bpm.shell.sql.row_template import RowTemplate, Template


class EventText(NamedTuple):
    """One event of a remembered decision.

    Attributes:
        name: its type.
        begin, middle: its row in the document, before the token and from there to the payload.
        token: number of its token's id, None where it has none.
        payload: canonical JSON.
        digest, quoted: of a payload that is always the same, as it stands in the row; else empty.
    """

    name: str
    begin: str
    token: int | None
    middle: str
    node: str
    actor: str
    payload: Template
    erasable: bool
    digest: str
    quoted: str


class Recalled(NamedTuple):
    """What a remembered decision does to an instance.

    Attributes:
        rows: that it writes, and where statements for such rows are kept.
        values: for them.
        history: the instance's new events, as a row of the document.
        after: how it stands then; None where that has no shape, or it is over.
        opened: ids of rows that are new and live.
    """

    rows: tuple[RowTemplate, ...]
    plans: dict[Guard, Any]
    values: list[Any]
    history: str
    after: Shaped | None
    opened: tuple[Id, ...]
    outcome: Done


@dataclass(frozen=True, slots=True)
class Next:
    """How an instance stands after a remembered decision.

    Attributes:
        values: the numbers of the values that its shape leaves open.
        opened: those of ids of rows that are new.
    """

    shape: Shape
    values: tuple[int, ...]
    opened: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Remembered:
    """A decision that is the same for all instances of a shape but for ids, times and values.

    Values are numbered: what the shape leaves open, the ids that are made, the command's time, when its lease ends,
    the command's texts, its fingerprint; then the revision, the newest sequence, the hash before and the newest one;
    at last those that are written in another way.

    Attributes:
        ids: how many are made, the instance's own aside.
        written: numbers of values that are written in another way, and how.
        outcome: all but the instance, its business key, the time, the version and ids in the answer.
        business_key: its number.
        answer: makes the command's own part of the outcome.
        plans: where statements for these rows are kept.
        handlers: kind, name and whether there is one, as asked for; the decision holds while that is so.
    """

    ids: int
    events: tuple[EventText, ...]
    rows: tuple[RowTemplate, ...]
    written: tuple[tuple[int, Callable[[Any], str]], ...]
    after: Next | None
    outcome: Done
    business_key: int | None
    answer: Callable[[list[Any]], dict[str, Any]]
    handlers: tuple[tuple[str, str, bool], ...]
    plans: dict[Guard, Any] = field(default_factory=dict, compare=False)


class Occasion(NamedTuple):
    """What a decision is asked about, and with what.

    Attributes:
        before: how the instance stands; None for a new one.
        new: the id of a new instance, else empty.
        ids: gives the ids that are made.
        version: number of the version that starts.
    """

    before: Shaped | None
    new: Id
    asked: Asked
    now: datetime
    ids: IdSource
    version: int | None


def recall(known: Remembered, occasion: Occasion, salt: Callable[[], str] = new_salt) -> Recalled:
    """Return what a remembered decision does on this occasion."""
    before, new, asked, now, ids, version = occasion
    made = [ids.next() for _ in range(known.ids)]
    expires = None if asked.lock_ms is None else end_of_lease(now, asked.lock_ms)
    head, sequence, revision, own = "", -1, 0, (new,)
    if before is not None:
        head, sequence, revision, own = before.head, before.sequence, before.revision, before.values
    instance, first, last = own[0], sequence + 1, sequence + len(known.events)
    values: list[Any] = [
        *own,
        *made,
        now,
        expires,
        *asked.texts,
        asked.fingerprint,
        str(revision),
        str(last),
        head,
        "",
    ]
    newest_at = len(values) - 1
    values += [write(values[at]) for at, write in known.written]
    occurred_at = occurrence_text(now)
    texts, newest = _events(known, values, occurred_at, first, head, salt)
    values[newest_at] = newest
    after, opened = None, ()  # type: tuple[Shaped | None, tuple[Id, ...]]
    if known.after is not None:
        stands = tuple([values[at] for at in known.after.values])
        after = Shaped(known.after.shape, stands, now, revision + (before is not None), last, newest)
        opened = tuple([values[at] for at in known.after.opened])
    key = None if known.business_key is None else values[known.business_key]
    return Recalled(
        rows=known.rows,
        plans=known.plans,
        values=values,
        history=f'["{instance}",{first},"{occurred_at}",[{",".join(texts)}]]',
        after=after,
        opened=opened,
        outcome=known.outcome.elsewhere(instance, key, now, known.answer(values), version),
    )


def _events(
    known: Remembered, values: list[Any], occurred_at: str, first: int, head: str, salt: Callable[[], str]
) -> tuple[list[str], str]:
    """Return the events as they stand in the document, and the newest hash."""
    texts = []
    for sequence, event in enumerate(known.events, first):
        digest, text, salted = event.digest, event.quoted, ""
        if not digest:
            payload = event.payload.fill(values)
            salted = salt() if event.erasable else ""
            digest, text = digest_of(salted, payload), quoted(payload)
        token = "" if event.token is None else values[event.token]
        head = chain_hash(head, sequence, event.name, occurred_at, token, event.node, digest, event.actor)
        shown = f'"{token}"' if token else "null"
        texts.append(f'{event.begin}{shown}{event.middle}{text},"{salted}","{head}"]')
    return texts, head
