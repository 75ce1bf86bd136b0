"""Identifiers: UUID version 7 as text, made from what the shell hands in.

The core has neither clock nor randomness. One `IdSource` serves one command; a command that is decided again gets a
source with the same arguments and so the same ids (semantics §1, §10).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

Id = str
"""A UUID in its 36-character text form."""

NIL: Final[Id] = "00000000-0000-0000-0000-000000000000"
"""Stands where a join has no group; never NULL, so that unique constraints hold (semantics §3)."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


# Not `UUID()`: it would also take braces, URNs and dashes anywhere, which PostgreSQL does not.
_ID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def is_id(text: str) -> bool:
    """Return whether text is an id in its 36-character form, in lower or upper case."""
    return _ID.fullmatch(text) is not None


class IdSource:
    """Ascending ids: 48 bits of time, 32 bits of counter, 42 bits that tell commands apart.

    The counter begins at the instance's history length. Every id is created by an event, so two commands on one
    instance within one millisecond still give ascending ids, whatever their seeds.

    Args:
        now: aware, UTC; never before the instance's last change.
        seed: 0 to 2**42 - 1, different for each command of a process.
        start: the instance's last sequence plus one.
    """

    __slots__ = ("_counter", "_prefix", "_seed")

    def __init__(self, now: datetime, seed: int, start: int = 0) -> None:
        self._prefix = _prefix(now)
        self._seed = seed & 0x3FF_FFFF_FFFF
        self._counter = start & 0xFFFF_FFFF

    def next(self) -> Id:
        """Return the next id."""
        counter = self._counter
        self._counter = (counter + 1) & 0xFFFF_FFFF
        low = (counter & 0xFFFFF) << 42 | self._seed
        tail = f"{low | 0x8000_0000_0000_0000:016x}"
        return f"{self._prefix}{counter >> 20:03x}-{tail[:4]}-{tail[4:]}"


# The commands of a list share their time.
@lru_cache(maxsize=16)
def _prefix(now: datetime) -> str:
    text = f"{(now - _EPOCH) // _MILLISECOND:012x}"
    return f"{text[:8]}-{text[8:12]}-7"
