"""Values that are too large to travel through a page and back: the page shows how they begin, and leaves them alone.

A value may be larger than the server takes in a form (`DATA_UPLOAD_MAX_MEMORY_SIZE`), and than a field takes: with
all of it in the page nobody could complete the task.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final
from urllib.parse import quote_plus

from django.conf import settings
from django.utils.translation import gettext as _

from bpm.queries.forms import FormFieldRow
from cockpit.tasklist.form_fields import MAX_TEXT, initial_of
from cockpit.tasklist.untouched import as_sent

KEPT: Final = "kept"
"""Name of the hidden fields that name the fields whose values stay as they are."""
_TEXTS: Final = frozenset({"text", "multiline", "json"})
_SHOWN: Final = 1_000


def large_values_kept(
    fields: Iterable[FormFieldRow], prefix: str, data: Any
) -> tuple[list[FormFieldRow], frozenset[str]]:
    """Return the fields, those with too large a value as such that only show its beginning, and the names of these.

    Args:
        prefix: stands before the names of fields in what was sent.
        data: what was sent. The page that it comes from counts: a field that was sent is none of them, whatever has
            become of its value since; one that was said to stay as it is stays so.
    """
    rows = list(fields)
    names = _too_large(rows)
    if data is not None:
        said = set(data.getlist(KEPT))
        names = {
            row.name
            for row in rows
            if prefix + row.name not in data and (row.name in names or (row.name in said and row.value))
        }
    kept = frozenset(row.name for row in rows if row.name in names and not row.read_only)
    return [_beginning(row) if row.name in names else row for row in rows], kept


def _too_large(rows: list[FormFieldRow]) -> set[str]:
    """Return the fields that are too large, or for which those before them leave no room in one form.

    Half of what a form may have is left to what people type.
    """
    most: int | None = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    room = sys.maxsize if most is None else most // 2
    found: set[str] = set()
    for row in rows:
        text = str(initial_of(row) or "") if row.type in _TEXTS else ""
        if len(text) > min(MAX_TEXT, room):
            found.add(row.name)
        elif text and not row.read_only:
            size = len(quote_plus(as_sent(text, many=True), errors="replace"))
            if size > room:
                found.add(row.name)
            else:
                room -= size
    return found


def _beginning(row: FormFieldRow) -> FormFieldRow:
    text = str(initial_of(row) or "")
    words = _("This value is too large for a form (%(count)s characters): it stays as it is.") % {
        "count": f"{len(text):,}"
    }
    return replace(
        row,
        type="multiline",
        read_only=True,
        value=text[:_SHOWN] + " …",
        options=(),
        description=f"{row.description} {words}".strip(),
    )
