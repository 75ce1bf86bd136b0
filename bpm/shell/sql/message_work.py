"""Queries for messages: who waits, what is buffered. Written once for both databases."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.db import connection

from bpm.core.ids import NIL, Id
from bpm.core.values import to_text
from bpm.shell.messages import Message
from bpm.shell.sql import dialect

NO_KEY = "null"
"""Correlation of who waits for a message by its name alone; a key itself is never null."""

_VARIABLE = (
    "EXISTS (SELECT 1 FROM bpm_variable v WHERE v.instance_id = i.id AND v.scope = {scope} "
    "AND v.name = %s AND v.value = %s)"
)
_CLOCK = {"postgresql": "clock_timestamp()", "sqlite": "%s"}


class Waiting(NamedTuple):
    """Who waits for a message: a subscription of an instance, or of a definition.

    Attributes:
        owner: the instance or definition.
    """

    subscription: Id
    owner: Id
    node: str


class Receivers(NamedTuple):
    """Who could get a message.

    Attributes:
        buffered: whether a message of that name has been waiting longer.
    """

    waiting: list[Waiting]
    starts: list[Waiting]
    buffered: bool


class Buffered(NamedTuple):
    """A message in the buffer; `awaited`: somebody waits for its name."""

    id: Id
    message: Message
    awaited: bool


def find_receivers(message: Message, most: int) -> Receivers:
    """Return who waits for a message, in order of creation, at most that many of each kind.

    Suspended instances and definitions get none.

    Statements: 1.
    """
    pieces: list[tuple[str, list[Any]]] = []
    if not message.start_only and message.definition is None:
        pieces.append(_waiting(message, most))
    if message.starts:
        pieces.append(_starts(message, most))
        pieces.append(_older(message))
    if not pieces:
        return Receivers([], [], False)
    query = " UNION ALL ".join(f"SELECT * FROM ({text}) x" for text, _ in pieces)
    rows = _read(query, [parameter for _, parameters in pieces for parameter in parameters])
    text_id = dialect().text_id
    found: dict[str, list[Waiting]] = {"waiting": [], "start": [], "buffered": []}
    for kind, subscription, owner, node in rows:
        found[kind].append(Waiting(text_id(subscription), text_id(owner), node))
    return Receivers(found["waiting"], found["start"], bool(found["buffered"]))


def _waiting(message: Message, most: int) -> tuple[str, list[Any]]:
    conditions = [
        "s.tenant = %s",
        "s.kind = 'message'",
        "s.status = 'OPEN'",
        "i.status IN ('RUNNING', 'FAILED')",
    ]
    parameters: list[Any] = [message.tenant]

    def require(condition: str, *values: object) -> None:
        conditions.append(condition)
        parameters.extend(values)

    if message.name is not None:
        require("s.name = %s", message.name)
    if message.business_key is not None:
        require("i.business_key = %s", message.business_key)
    if message.instance is not None:
        require("i.id = %s", _stored_id(message.instance))
    keys = {name: to_text(value) for name, value in message.keys.items()}
    if message.instance is None or keys:
        texts = list(dict.fromkeys([NO_KEY, message.key, *keys.values()]))
        require(f"s.correlation IN ({', '.join(['%s'] * len(texts))})", *texts)
    for name, text in keys.items():
        if text == NO_KEY:
            require(_VARIABLE.format(scope="i.id"), name, text)
        else:
            require(f"(s.correlation = %s OR {_VARIABLE.format(scope='i.id')})", text, name, text)
    for name, value in message.local_keys.items():
        require(_VARIABLE.format(scope="s.scope"), name, to_text(value))
    query = (
        "SELECT 'waiting' AS kind, s.id, s.instance_id, s.node FROM bpm_subscription s "
        f"JOIN bpm_processinstance i ON i.id = s.instance_id WHERE {' AND '.join(conditions)} ORDER BY s.id LIMIT %s"
    )
    return query, [*parameters, most]


def _starts(message: Message, most: int) -> tuple[str, list[Any]]:
    which, parameters = "", [message.tenant, message.name]
    if message.definition is not None:
        which = "AND (d.key = %s OR d.id = %s) "
        is_id = len(message.definition) == len(NIL)
        parameters += [message.definition, _stored_id(message.definition if is_id else NIL)]
    query = (
        "SELECT 'start' AS kind, s.id, s.definition_id, s.node FROM bpm_subscription s "
        "JOIN bpm_definition d ON d.id = s.definition_id AND NOT d.suspended "
        f"WHERE s.tenant = %s AND s.kind = 'message' AND s.name = %s AND s.status = 'OPEN' {which}"
        "ORDER BY s.id LIMIT %s"
    )
    return query, [*parameters, most]


def _older(message: Message) -> tuple[str, list[Any]]:
    query = (
        "SELECT 'buffered' AS kind, b.id, b.id AS owner, '' AS node FROM bpm_messagebuffer b "
        f"WHERE b.tenant = %s AND b.name = %s AND b.expires_at > {_clock()} LIMIT 1"
    )
    return query, [message.tenant, message.name, *_now()]


def buffered_for(waits: Sequence[tuple[str, str]], limit: int) -> list[Buffered]:
    """Return buffered messages by tenant and name, the oldest first. Statements: 1."""
    names = " OR ".join(["(b.tenant = %s AND b.name = %s)"] * len(waits))
    query = f"{_BUFFERED} WHERE b.expires_at > {_clock()} AND ({names}) ORDER BY b.id LIMIT %s"
    rows = _read(query.replace("{awaited}", "1"), [*_now(), *(one for wait in waits for one in wait), limit])
    return [_buffered(row) for row in rows]


def buffered_after(previous: Id, limit: int) -> list[Buffered]:
    """Return the buffered messages behind one, in order, with what nobody waits for too. Statements: 1."""
    awaited = (
        "EXISTS (SELECT 1 FROM bpm_subscription s WHERE s.tenant = b.tenant AND s.kind = 'message' "
        "AND s.name = b.name AND s.status = 'OPEN')"
    )
    query = f"{_BUFFERED} WHERE b.id > %s AND b.expires_at > {_clock()} ORDER BY b.id LIMIT %s"
    rows = _read(query.replace("{awaited}", awaited), [_stored_id(previous), *_now(), limit])
    return [_buffered(row) for row in rows]


_BUFFERED = "SELECT b.id, b.tenant, b.name, b.correlation, b.payload, {awaited} FROM bpm_messagebuffer b"


def _buffered(row: tuple[Any, ...]) -> Buffered:
    number, tenant, name, correlation, payload, awaited = row
    return Buffered(dialect().text_id(number), Message.of(tenant, name, correlation, payload), bool(awaited))


def drop_expired() -> int:
    """Remove messages for which nobody has come in time; return how many. Statements: 1, or 2 where there are any."""
    condition = f"FROM bpm_messagebuffer WHERE expires_at <= {_clock()}"
    if not _read(f"SELECT 1 {condition} LIMIT 1", _now()):
        return 0
    return len(_read(f"DELETE {condition} RETURNING 1", _now()))


def _clock() -> str:
    return "%s" if _now() else _CLOCK[connection.vendor]


def _now() -> list[Any]:
    """Return the parameter of the clock, none where the database has its own."""
    from bpm.shell.clock import frozen_now

    now = frozen_now()
    if connection.vendor == "postgresql":
        return [] if now is None else [now]
    return [str((now or datetime.now(UTC)).astimezone(UTC).replace(tzinfo=None))]


def _stored_id(text: Id) -> str:
    return text if connection.vendor == "postgresql" else text.replace("-", "")


def _read(query: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return cursor.fetchall() if cursor.description else []
