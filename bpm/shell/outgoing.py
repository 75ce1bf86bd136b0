"""What an instance sends, as rows of the outbox and back (semantics §11).

A payload is the fields of the class that is sent, as canonical JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from bpm.core import between as b
from bpm.core.handling.registry import HANDLERS
from bpm.core.ids import NIL, Id
from bpm.core.values import from_text, to_text
from bpm.shell.sql import dialect
from bpm.shell.sql.document import OUTBOX, SIGNALS, Document

GRACE: Final = timedelta(seconds=3)
"""How long the loops leave new rows to the process that has written them."""

_CLASSES: Final[Mapping[str, type[Any]]] = {
    cls.__name__: cls
    for cls in (*HANDLERS, b.CallProcess, b.SendMessage, b.StartBySignal, b.DoLater, b.DoLaterAnyway)
}


class Row(NamedTuple):
    """A row of the outbox.

    Attributes:
        target: None for what finds its receiver by itself.
        reached: whether the target is there.
    """

    id: int
    tenant: str
    source: Id
    target: Id | None
    content: b.Sendable
    attempts: int
    reached: bool

    @property
    def command(self) -> str:
        """Name of what is sent."""
        return type(self.content).__name__


def add_outgoing(
    document: Document, tenant: str, source: Id, sent: Iterable[b.Outgoing | b.Broadcast], now: datetime
) -> None:
    """Add what an instance sends."""
    for one in sent:
        if isinstance(one, b.Broadcast):
            add_broadcast(document, tenant, source, one.name, one.variables, now)
        else:
            document.rows[OUTBOX].append(outbox_values(tenant, source, one, now))


def outbox_values(
    tenant: str, source: Id, sent: b.Outgoing, now: datetime, *, at_once: bool = False
) -> list[Any]:
    """Return the columns of a new row; `at_once`: the loops may take it as soon as it is there."""
    content = sent.content
    values = {field.name: getattr(content, field.name) for field in fields(content) if field.name != "actor"}
    available_at = now if at_once else now + GRACE
    return [tenant, source, sent.target, type(content).__name__, to_text(values), 0, available_at, now]


def add_broadcast(
    document: Document,
    tenant: str,
    source: Id,
    name: str,
    variables: Mapping[str, Any],
    now: datetime,
    actor: str = "",
) -> None:
    """Add a signal to everybody who waits for it; `source` is the nil id from outside, `actor` who sends it."""
    # The rows are put together by the statement, which writes this behind the name of the member.
    text = to_text(dict(variables)) + (f',"actor":{to_text(actor)}' if actor else "")
    document.rows[SIGNALS].append([tenant, source, name, text, now + GRACE, now])


def row_from(raw: tuple[Any, ...]) -> Row:
    """Return a row as it was read: id, tenant, source, target, command, payload, attempts, reached."""
    text_id = dialect().text_id
    number, tenant, source, target, command, payload, attempts, reached = raw
    cls = _CLASSES[command]
    values: dict[str, Any] = from_text(payload)
    for field in fields(cls):
        if str(field.type).startswith("tuple") and field.name in values:
            values[field.name] = tuple(
                tuple(one) if isinstance(one, list) else one for one in values[field.name]
            )
    if command == "TriggerSignal":
        values["subscriptions"] = tuple(map(text_id, values["subscriptions"]))
    elif command == "StartBySignal":
        values["subscription"] = text_id(values["subscription"])
    if "actor" in {field.name for field in fields(cls)}:
        values.setdefault("actor", "engine")
    return Row(
        number,
        tenant,
        text_id(source),
        text_id(target) if target is not None else None,
        cls(**values),
        attempts,
        bool(reached),
    )


def from_outside(source: Id) -> bool:
    """Return whether something was sent by nobody in the engine."""
    return source == NIL
