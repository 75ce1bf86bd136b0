"""Pages of a list, continued by the key of the last row."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

from bpm.core.errors import Invalid

Row = TypeVar("Row")

DEFAULT_LIMIT = 50
MAX_LIMIT = 1_000
_SEPARATOR = "\x1f"


class CursorInvalid(Invalid):
    """The cursor was not made by this list."""


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """One page.

    Attributes:
        items: at most the limit asked for.
        next: cursor of the page after this one; None on the last page.
    """

    items: tuple[Row, ...]
    next: str | None


def page_of(rows: Sequence[Row], limit: int, key: Callable[[Row], tuple[object, ...]]) -> Page[Row]:
    """Return the page for rows of which one more than `limit` was asked for."""
    items = tuple(rows[:limit])
    more = len(rows) > limit
    return Page(items, write_cursor(*key(items[-1])) if more else None)


def write_cursor(*parts: object) -> str:
    """Return the opaque text of a key."""
    text = _SEPARATOR.join(_part(part) for part in parts)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _part(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def read_cursor(cursor: str, parts: int) -> list[str]:
    """Return the parts of a key.

    Raises:
        CursorInvalid: not a cursor of `parts` parts.
    """
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        text = base64.b64decode(padded, altchars=b"-_", validate=True).decode()
    except (UnicodeError, binascii.Error):
        raise CursorInvalid(cursor=cursor[:100]) from None
    found = text.split(_SEPARATOR)
    if len(found) != parts or "\x00" in text:
        raise CursorInvalid(cursor=cursor[:100])
    return found


def read_id_cursor(cursor: str) -> UUID:
    """Return the id that a cursor of one id stands for.

    Raises:
        CursorInvalid: it stands for something else.
    """
    (text,) = read_cursor(cursor, 1)
    return id_part(text)


def id_part(text: str) -> UUID:
    """Return one part of a cursor as id.

    Raises:
        CursorInvalid: it is none.
    """
    try:
        return UUID(text)
    except ValueError:
        raise CursorInvalid(part=text[:100]) from None


def whole_part(text: str) -> int:
    """Return one part of a cursor as a whole number of at most 18 digits.

    Raises:
        CursorInvalid: it is none.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise CursorInvalid(part=text[:100])
    return int(text)


def instant_part(text: str) -> datetime:
    """Return one part of a cursor as an aware time.

    Raises:
        CursorInvalid: it is none.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise CursorInvalid(part=text[:100]) from None
    if found.tzinfo is None:
        raise CursorInvalid(part=text[:100])
    return found
