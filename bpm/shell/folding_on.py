"""Folding many events quickly: only the columns that a state comes from are read, and payloads are decoded by the page.

The verifier reads event by event instead (`stored_history`), since it must tell which one is wrong.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from django.db.models import CharField, Func

from bpm.core.evolve import evolve
from bpm.core.ids import Id
from bpm.core.values import from_text
from bpm.models import HistoryEvent
from bpm.shell.history import BY_NAME, decode_values
from bpm.shell.stored_history import PAGE, Folding

_SEQUENCE: Final = 0
_PAYLOAD: Final = 5


class _Text(Func):
    """A time as text in UTC; the events of one command share theirs, which is then read once."""

    template = "CAST(%(expressions)s AS text)"
    output_field: Any = CharField()

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        # Neither the session's time zone nor its style of dates.
        form = """to_char(%(expressions)s AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')"""
        return self.as_sql(compiler, connection, template=form, **extra)


def fold_on(folding: Folding, instance: Id, after: int, upto: int) -> None:
    """Apply the events behind one sequence, up to and including another.

    Statements: 1 per 1,000 events, and 1 where something was erased.

    Raises:
        KeyError, ErasureUnknown, ValueError, TypeError: an event cannot be read, as `Folding.decode` tells.
    """
    seen, at = "", datetime.min.replace(tzinfo=UTC)
    state = folding.state
    for page in _pages(instance, after, upto):
        for (sequence, kind, time, token, node, _, digest), values in zip(page, _payloads(page), strict=True):
            if time != seen:
                seen, at = time, datetime.fromisoformat(time).replace(tzinfo=UTC)
            own = None if token is None else str(token)
            if digest is None:
                event = decode_values(BY_NAME[kind], own, node, values)
            else:
                event = folding.decode_erased(sequence, kind, own, node, digest)
            evolve(state, event, at)
        state.journal.clear()


def _pages(instance: Id, after: int, upto: int) -> Iterator[Sequence[tuple[Any, ...]]]:
    rows = HistoryEvent.objects.filter(instance_id=uuid.UUID(instance), sequence__lte=upto).order_by(
        "sequence"
    )
    wanted = ("sequence", "event_type", _Text("occurred_at"), "token", "node", "payload", "digest")
    while after < upto:
        page = list(rows.filter(sequence__gt=after).values_list(*wanted)[:PAGE])
        yield page
        if len(page) < PAGE:
            return
        after = page[-1][_SEQUENCE]


def _payloads(page: Sequence[tuple[Any, ...]]) -> list[Any]:
    # One call for a page: most payloads are so short that a call for each takes longer than their text.
    texts = [row[_PAYLOAD] or "null" for row in page]
    found = from_text(f"[{','.join(texts)}]")
    return found if len(found) == len(page) else [from_text(text) for text in texts]
