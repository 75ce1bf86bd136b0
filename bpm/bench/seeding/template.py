"""One instance as a form to be filled in: its rows as COPY text with places for ids, times and hashes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.apps import apps
from django.db import connection
from django.db.models import AutoField, Model

from bpm.models import HistoryEvent, ProcessInstance, Verification

_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d{1,6})?\+00(?::00)?")
_NIL: Final = "00000000-0000-0000-0000-000000000000"


class Form(NamedTuple):
    """Text with places; `pick` takes the values that fill them, in order, from all values."""

    text: str
    pick: Callable[[Any], Any] | None

    def fill(self, values: list[str]) -> str:
        """Return the text with the places filled."""
        if self.pick is None:
            return self.text
        filled: str = self.text % self.pick(values)
        return filled


class EventForm(NamedTuple):
    """One event: what its hash is made of, by position among the values where it differs from copy to copy."""

    sequence: int
    event_type: str
    at: int
    token: int | None
    node: str
    actor: str
    salt: str
    payload: Form
    before: Form
    after: str


@dataclass(frozen=True, slots=True)
class Template:
    """One instance.

    Attributes:
        ids: its own ids in order, the instance's first among equals; they are the first values of a copy.
        times: its times in order; they are the values after the ids, then come business key and newest hash.
        tables: table and columns to the form of all its rows, the history's excepted.
    """

    ids: tuple[str, ...]
    times: tuple[datetime, ...]
    business_key: str
    tables: dict[str, Form]
    events: tuple[EventForm, ...]


def copied_tables() -> dict[str, tuple[type[Model], list[str]]]:
    """Return the table's name to its model and the columns to be copied, the history's excepted."""
    found: dict[str, tuple[type[Model], list[str]]] = {}
    for model in apps.get_app_config("bpm").get_models():
        fields = model._meta.concrete_fields
        owned = any(field.name == "instance" and field.is_relation for field in fields)
        if model in (HistoryEvent, Verification) or not (owned or model is ProcessInstance):
            continue
        columns = [field.column for field in fields if field.column and not isinstance(field, AutoField)]
        found[model._meta.db_table] = (model, columns)
    return found


def read_template(instance: str, kept: set[str]) -> Template:
    """Return the instance as a template. Statements: 1 per table.

    Args:
        kept: ids that all copies share, such as the definition's.
    """
    rows = {table: _copy_out(table, columns, instance) for table, (_, columns) in copied_tables().items()}
    events = list(HistoryEvent.objects.filter(instance=UUID(instance)).order_by("sequence"))
    head = events[-1].hash
    texts = [*rows.values(), *(event.payload for event in events), instance]
    texts += [str(event.token) for event in events if event.token is not None]
    ids = sorted({one for text in texts for one in _UUID.findall(text)} - kept - {_NIL})
    times = sorted(
        {_instant(one) for text in texts for one in _TIME.findall(text)} | {one.occurred_at for one in events}
    )
    places: dict[str | datetime, int] = {value: place for place, value in enumerate([*ids, *times])}
    key = ProcessInstance.objects.values_list("business_key", flat=True).get(id=instance) or ""
    for text in (key, head):
        places[text] = len(places)
    forms = {table: _form(text, places) for table, text in rows.items() if text}
    return Template(
        tuple(ids), tuple(times), key, forms, tuple(_event(event, places, instance) for event in events)
    )


def _copy_out(table: str, columns: list[str], instance: str) -> str:
    owner = "id" if table == ProcessInstance._meta.db_table else "instance_id"
    names = ", ".join(f'"{column}"' for column in columns)
    connection.ensure_connection()
    with connection.connection.cursor() as cursor:
        query = f"COPY (SELECT {names} FROM {table} WHERE {owner} = '{instance}') TO STDOUT"
        with cursor.copy(query) as copy:
            return b"".join(bytes(part) for part in copy).decode()


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(
        text.replace(" ", "T").replace("+00:00", "+00").replace("+00", "+00:00")
    ).astimezone(UTC)


def _form(text: str, places: dict[str | datetime, int]) -> Form:
    """Return text with a place for each id, time, key and hash that is among the places."""
    others = [re.escape(value) for value in places if isinstance(value, str) and not _UUID.fullmatch(value)]
    pattern = re.compile("|".join([_UUID.pattern, _TIME.pattern, *others]))
    parts, wanted, done = [], [], 0
    for match in pattern.finditer(text):
        found = match.group()
        place = places.get(_instant(found) if _TIME.fullmatch(found) else found)
        if place is not None:
            parts.append(text[done : match.start()].replace("%", "%%"))
            wanted.append(place)
            done = match.end()
    if not wanted:
        return Form(text, None)
    parts.append(text[done:].replace("%", "%%"))
    single = itemgetter(wanted[0])
    return Form(
        "%s".join(parts), itemgetter(*wanted) if len(wanted) > 1 else lambda values: (single(values),)
    )


def _event(event: Any, places: dict[str | datetime, int], instance: str) -> EventForm:
    token = None if event.token is None else places[str(event.token)]
    at = places[event.occurred_at]
    fixed = [event.event_type, event.category]
    before = [
        instance,
        str(event.sequence),
        *fixed,
        event.occurred_at.isoformat(),
        _text(event.token),
        _text(event.node),
    ]
    before += [_escape(event.actor), "t" if event.final else "f"]
    return EventForm(
        event.sequence, event.event_type, at, token, event.node or "", event.actor, event.salt,
        _form(event.payload, places), _form("\t".join(before) + "\t", places), f"\t{event.salt}\t\\N\t",
    )  # fmt: skip


def _text(value: object) -> str:
    return "\\N" if value is None else _escape(str(value))


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


HISTORY_COLUMNS: Final = (
    "instance_id", "sequence", "event_type", "category", "occurred_at", "token", "node", "actor", "final", "payload",
    "salt", "digest", "hash",
)  # fmt: skip
