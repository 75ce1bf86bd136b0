"""Events as rows of the history, chained by hashes (semantics §10)."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from operator import attrgetter
from typing import Any, NamedTuple

from bpm.core import events as e
from bpm.core.values import from_text, quoted, to_text
from bpm.shell.lifting import LIFTS, VERSION_KEY, Lifts, lift
from bpm.shell.per_object import once_per_object

_COLUMNS = frozenset({"token", "node"})
_RECURRING = frozenset({"str", "str | None", "bool"})
"""Types of fields that make few different payloads. Not `int`: 1 equals True, and would be remembered as the same."""

_REMEMBERED = 256
"""Payloads of one event class that are remembered: those that name only nodes and flows come again and again."""


class EventShape(NamedTuple):
    """How one event class is stored: which fields make the payload, and how they come back.

    Attributes:
        template: the payload with a place for each value's JSON text.
        read: return the values, in the order of `names`.
        recurring: payload and digest of values; None unless equal ones are to be expected again, because there is no
            id, time or value of a user in them.
    """

    cls: type[e.Event]
    name: str
    category: str
    erasable: bool
    has_token: bool
    has_node: bool
    names: tuple[str, ...]
    template: str
    read: Callable[[Any], Any]
    times: tuple[str, ...]
    tuples: tuple[str, ...]
    recurring: Callable[[tuple[Any, ...]], tuple[str, str]] | None


def _nothing(event: e.Event) -> tuple[()]:
    return ()


def _shape(cls: type[e.Event]) -> EventShape:
    every = {spec.name: str(spec.type) for spec in fields(cls)}
    names = tuple(sorted(name for name in every if name not in _COLUMNS))
    if len(names) == 1:
        single = attrgetter(names[0])
        read: Callable[[Any], Any] = lambda event: (single(event),)  # noqa: E731 - a getter that always gives a tuple
    else:
        read = attrgetter(*names) if names else _nothing
    shape = EventShape(
        cls=cls,
        name=cls.__name__,
        category=cls.category,
        erasable=cls.erasable,
        has_token="token" in every,
        has_node="node" in every,
        names=names,
        template="{" + ",".join([*_version(cls), *(f'"{name}":%s' for name in names)]) + "}",
        read=read,
        times=tuple(name for name in names if "datetime" in every[name]),
        tuples=tuple(name for name in names if every[name].startswith("tuple")),
        recurring=None,
    )
    recurs = not cls.erasable and all(every[name] in _RECURRING for name in names)
    return shape._replace(recurring=_remembering(shape.template)) if recurs else shape


def _remembering(template: str) -> Callable[[tuple[Any, ...]], tuple[str, str]]:
    @lru_cache(maxsize=_REMEMBERED)
    def recurring(values: tuple[Any, ...]) -> tuple[str, str]:
        payload = _filled(template, values)
        return payload, digest_of("", payload)

    return recurring


def _version(cls: type[e.Event]) -> list[str]:
    return [f'"{VERSION_KEY}":{cls.shape_version}'] if cls.shape_version > 1 else []


def _leaves(cls: type[e.Event]) -> list[type[e.Event]]:
    below = cls.__subclasses__()
    return [leaf for sub in below for leaf in _leaves(sub)] if below else [cls]


# A class with slots is made twice by its decorator; only the one the module names is an event.
SHAPES: Mapping[type[e.Event], EventShape] = {
    cls: _shape(cls) for cls in _leaves(e.Event) if getattr(e, cls.__name__, None) is cls
}
"""Event class to its shape."""

BY_NAME: Mapping[str, EventShape] = {shape.name: shape for shape in SHAPES.values()}
"""Event type, as stored, to its shape."""


def payload_text(event: e.Event) -> str:
    """Return the canonical JSON of all fields but token and node."""
    shape = SHAPES[type(event)]
    return _filled(shape.template, shape.read(event))


def _filled(template: str, values: tuple[Any, ...]) -> str:
    # The two kinds of values that most fields have are written here; a call for each would take longer than the rest.
    return template % tuple(
        [
            quoted(value) if type(value) is str else "null" if value is None else to_text(value)
            for value in values
        ]
    )


def decode_event(event_type: str, token: str | None, node: str | None, payload: str) -> e.Event:
    """Return a stored event as its class, lifted to its present shape.

    Raises:
        KeyError: the type is not known.
        ShapeUnknown: the shape is not.
    """
    return decode_values(BY_NAME[event_type], token, node, from_text(payload))


def decode_values(
    shape: EventShape, token: str | None, node: str | None, values: dict[str, Any], lifts: Lifts = LIFTS
) -> e.Event:
    """Return the event of stored values; `values` is used up.

    Raises:
        ShapeUnknown: their shape is not known.
        TypeError: fields are missing, or there are others.
    """
    if VERSION_KEY in values or shape.cls.shape_version > 1:
        values = lift(shape.name, values, shape.cls.shape_version, lifts)
    for name in shape.times:
        if values.get(name) is not None:
            values[name] = datetime.fromisoformat(values[name])
    for name in shape.tuples:
        if values.get(name) is not None:
            values[name] = tuple(values[name])
    if shape.has_token:
        values["token"] = token
    if shape.has_node:
        values["node"] = node
    return shape.cls(**values)


def chain_hash(
    previous: str,
    sequence: int,
    event_type: str,
    occurred_at: str,
    token: str,
    node: str,
    digest: str,
    actor: str,
) -> str:
    """Return an event's hash: over the hash before it, what stands in columns, and the payload's digest."""
    text = f"{previous}\n{sequence}\n{event_type}\n{occurred_at}\n{token}\n{node}\n{digest}\n{actor}"
    return sha256(text.encode()).hexdigest()


def digest_of(salt: str, payload: str) -> str:
    """Return the digest that outlives an erasure."""
    return sha256(f"{salt}\n{payload}".encode()).hexdigest()


@once_per_object
def occurrence_text(at: datetime) -> str:
    """Return the time of an event as the history has it."""
    return at.isoformat(timespec="microseconds")


def new_salt() -> str:
    """Return what makes the digest of an erasable payload worthless for guessing the payload."""
    return secrets.token_hex(16)


def history_row(
    instance: str, first: int, at: datetime, events: list[tuple[e.Event, str]], previous: str
) -> tuple[list[Any], str]:
    """Return the document's row of an instance's new events (HISTORY_COLUMNS), and the newest hash.

    Args:
        first: sequence of the first event.
        events: each with its actor.
        previous: hash of the event before, empty for the first of an instance.
    """
    rows: list[list[Any]] = []
    occurred_at = occurrence_text(at)
    sequence = first
    for event, actor in events:
        shape = SHAPES[type(event)]
        values = shape.read(event)
        salt = ""
        if shape.recurring is not None:
            payload, digest = shape.recurring(values)
        else:
            payload = _filled(shape.template, values)
            salt = new_salt() if shape.erasable else ""
            digest = digest_of(salt, payload)
        token = event.token if shape.has_token else None  # type: ignore[attr-defined]
        node = event.node if shape.has_node else None  # type: ignore[attr-defined]
        previous = chain_hash(
            previous, sequence, shape.name, occurred_at, token or "", node or "", digest, actor
        )
        rows.append(
            [shape.name, shape.category, token, node, actor, event.ends_token, payload, salt, previous]
        )
        sequence += 1
    return [instance, first, occurred_at, rows], previous
