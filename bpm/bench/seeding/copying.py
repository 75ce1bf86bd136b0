"""Filling templates in, and writing the copies with COPY."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Final

from django.db import connection, transaction

from bpm.bench.seeding.template import HISTORY_COLUMNS, Template, copied_tables
from bpm.models import HistoryEvent
from bpm.shell.history import chain_hash, digest_of

_BATCH: Final = 2_000


def write_copies(
    templates: Sequence[tuple[Template, int]],
    number: int,
    *,
    first: int,
    days: float,
    note: Callable[[int], None],
) -> None:
    """Write so many copies, the oldest first, spread evenly over the last days.

    Args:
        templates: each with its weight.
        first: number of the first copy; no number may be used twice in a database.
        note: told how many copies are written, after each batch.
    """
    # Not for secrets: which kind of instance comes next.
    dice = random.Random(first)  # noqa: S311
    kinds = dice.choices([one for one, _ in templates], [weight for _, weight in templates], k=number)
    step = timedelta(days=days) / max(number, 1)
    for begin in range(0, number, _BATCH):
        lines: dict[str, list[str]] = {}
        for copy in range(begin, min(begin + _BATCH, number)):
            for table, text in copied(kinds[copy], first + copy, step * (copy - number)):
                lines.setdefault(table, []).append(text)
        _write(lines)
        note(min(begin + _BATCH, number))


def copied(template: Template, number: int, shift: timedelta) -> Iterator[tuple[str, str]]:
    """Yield table and COPY text of one copy: its ids end with the number, its times are moved by whole milliseconds."""
    milliseconds = shift // timedelta(milliseconds=1)
    values = [_moved_id(one, place, number, milliseconds) for place, one in enumerate(template.ids)]
    moved = timedelta(milliseconds=milliseconds)
    values += [(one + moved).isoformat(timespec="microseconds") for one in template.times]
    values.append(f"{template.business_key}-{number}")
    previous, history = "", []
    for event in template.events:
        payload = event.payload.fill(values)
        token = "" if event.token is None else values[event.token]
        digest = digest_of(event.salt, payload)
        previous = chain_hash(
            previous,
            event.sequence,
            event.event_type,
            values[event.at],
            token,
            event.node,
            digest,
            event.actor,
        )
        text = payload.replace("\\", "\\\\")
        history.append(f"{event.before.fill(values)}{text}{event.after}{previous}\n")
    values.append(previous)
    for table, form in template.tables.items():
        yield table, form.fill(values)
    yield HistoryEvent._meta.db_table, "".join(history)


def _moved_id(original: str, place: int, number: int, milliseconds: int) -> str:
    """Return an id of version 7: the moved time, the place among the instance's ids below 4,096, the copy's number."""
    at = int(original[:8] + original[9:13], 16) + milliseconds
    return f"{at >> 16:08x}-{at & 0xFFFF:04x}-7{place & 0xFFF:03x}-8000-{number:012x}"


def _write(lines: dict[str, list[str]]) -> None:
    columns = {table: names for table, (_, names) in copied_tables().items()}
    columns[HistoryEvent._meta.db_table] = list(HISTORY_COLUMNS)
    with transaction.atomic(), connection.connection.cursor() as cursor:
        for table, texts in lines.items():
            names = ", ".join(f'"{name}"' for name in columns[table])
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                copy.write("".join(texts))
