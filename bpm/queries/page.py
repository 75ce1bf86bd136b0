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
_LARGEST = 2**63 - 1


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


@dataclass(frozen=True, slots=True)
class Cursors:
    """The cursors of one list.

    A cursor carries the name of its list. The keys of several lists are alike, and one that was read as the key of
    another list would answer with a page that nobody has asked for, or with none.

    Attributes:
        of: name of the list, which no other list has; with the thing whose list it is, and the order, if there are
            several.
    """

    of: str

    def page(self, rows: Sequence[Row], limit: int, key: Callable[[Row], tuple[object, ...]]) -> Page[Row]:
        """Return the page for rows of which one more than `limit` was asked for."""
        items = tuple(rows[:limit])
        more = len(rows) > limit
        return Page(items, self.write(*key(items[-1])) if more else None)

    def write(self, *parts: object) -> str:
        """Return the opaque text of a key."""
        text = _SEPARATOR.join((self.of, *map(_part, parts)))
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    def read(self, cursor: str, parts: int) -> list[str]:
        """Return the parts of a key.

        Raises:
            CursorInvalid: not a cursor of `parts` parts, or not of this list.
        """
        try:
            padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
            text = base64.b64decode(padded, altchars=b"-_", validate=True).decode()
        except (UnicodeError, binascii.Error):
            raise CursorInvalid(cursor=cursor[:100]) from None
        of, *found = text.split(_SEPARATOR)
        if of != self.of or len(found) != parts or "\x00" in text:
            raise CursorInvalid(cursor=cursor[:100])
        return found

    def read_id(self, cursor: str) -> UUID:
        """Return the id that a cursor of one id stands for.

        Raises:
            CursorInvalid: it stands for something else.
        """
        (text,) = self.read(cursor, 1)
        return id_part(text)


def _part(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


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
    """Return one part of a cursor as a whole number that a column can hold.

    Raises:
        CursorInvalid: it is none.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= 19 and int(text) <= _LARGEST):
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
