"""Rows of a document as JSON text (PostgreSQL)."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from bpm.core.values import encoder
from bpm.shell.per_object import once_per_object


@once_per_object
def time_text(value: object) -> str:
    """Return a time as the rows of a document have it; of any other object it is a TypeError."""
    if not isinstance(value, datetime):
        raise TypeError(f"{type(value).__name__} is no value of a row")
    return value.isoformat()


row_text: Final = encoder(time_text, ascii_only=False)
"""Return the JSON text of one row, or of a list of rows."""
