"""Rows of a document as JSON text (PostgreSQL)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

from bpm.core.values import encoder


def _time_texts() -> Callable[[object], str]:
    """Return what writes times of rows. Nearly all those of one command are one object: the command's own time."""
    newest: tuple[object, str] = (None, "")

    def isoformat(value: object) -> str:
        nonlocal newest
        known = newest
        if known[0] is not value:
            if not isinstance(value, datetime):
                raise TypeError(f"{type(value).__name__} is no value of a row")
            newest = known = (value, value.isoformat())
        return known[1]

    return isoformat


time_text: Final = _time_texts()
"""Return a time as the rows of a document have it."""

row_text: Final = encoder(time_text, ascii_only=False)
"""Return the JSON text of one row, or of a list of rows."""
