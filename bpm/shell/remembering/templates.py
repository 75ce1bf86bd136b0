"""Texts with places, made from texts in which placeholders stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, Final

from bpm.shell.remembering.veil import MARK, SEQUENCE, Unlearnable
from bpm.shell.sql.row_template import Template

_DIFFERENT: Final = re.compile(rf"\d{{4}}-\d\d-\d\dT|{re.escape(MARK)}|{SEQUENCE // 10_000}\d{{4}}")
"""A time, what stands for something, or a number made of the history's length."""

Write = Callable[[Any], str] | None
"""How a value is written in a place; None: as it is, because it needs no escapes there."""


class Places:
    """What placeholders stand for.

    Args:
        meaning: placeholder, as it stands in a text, to the number of its value and how that is written.
    """

    def __init__(self, meaning: Mapping[str, tuple[int, Write]]) -> None:
        self.meaning = meaning
        longest_first = sorted(meaning, key=len, reverse=True)
        self._any = re.compile(f"({'|'.join(map(re.escape, longest_first))})")

    def split(self, text: str) -> list[str]:
        """Return the text in pieces, each placeholder as one of its own."""
        return self._any.split(text)


class Slots:
    """Where templates find what they need: behind the values, what has to be written in another way than they are.

    Args:
        values: how many there are.
    """

    def __init__(self, values: int) -> None:
        self._values = values
        self._written: dict[tuple[int, Write], int] = {}

    def slot(self, value: int, write: Write) -> int:
        """Return the slot of a value that is written so."""
        if write is None:
            return value
        return self._written.setdefault((value, write), self._values + len(self._written))

    def written(self) -> tuple[tuple[int, Callable[[Any], str]], ...]:
        """Return the values that are written in another way, and how, by their slots."""
        return tuple((value, write) for value, write in self._written if write is not None)

    def template(self, text: str, places: Places) -> Template:
        """Return the template of a text with placeholders.

        Raises:
            Unlearnable: something in it is different each time, and not known.
        """
        pieces: list[str] = []
        slots: list[int] = []
        for piece in places.split(text):
            if piece in places.meaning:
                slots.append(self.slot(*places.meaning[piece]))
                pieces.append("%s")
            elif _DIFFERENT.search(piece):
                raise Unlearnable(f"{piece[:100]!r} is not known beforehand")
            else:
                pieces.append(piece.replace("%", "%%"))
        return Template("".join(pieces), itemgetter(*slots)) if slots else Template(text, None)
