"""Delivering rows of the outbox: some at a time, in one transaction (semantics §11).

    lock the targets, passing over busy ones → take the rows → read, decide → write, and delete the rows

Rows that have no target find their receiver by themselves, each in a transaction of its own.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

from django.db import transaction

from bpm.core import between as b
from bpm.core.errors import Busy, EngineError, InstanceEnded, InvariantViolated, NotFound, Suspended
from bpm.core.ids import NIL, Id
from bpm.core.values import from_text
from bpm.models import Outbox
from bpm.shell.arrivals import Arrived, ArrivedBefore
from bpm.shell.batch import Batch
from bpm.shell.called import CallerEnded, starts_of_calls
from bpm.shell.execute import prepare
from bpm.shell.flush import flush_batch
from bpm.shell.freezing import freeze
from bpm.shell.outcome import Outcome
from bpm.shell.outgoing import Row, outbox_values, row_from
from bpm.shell.postponed import postponed_command
from bpm.shell.requests import Request
from bpm.shell.sql import dialect
from bpm.shell.sql.document import Document, Guard
from bpm.shell.sql.outbox_work import lock_targets, put_off, take_rows, variables_of
from bpm.shell.starts import Start
from bpm.shell.sweeps import is_unreachable
from bpm.shell.unaddressed import find_receiver
from bpm.shell.violations import Lost, translated

BACKOFF_S: Final = (1.0, 5.0, 30.0, 120.0)
"""How long a row waits after its first, second … failure; after the fifth a human must look."""

ATTEMPTS: Final = len(BACKOFF_S) + 1
MAX_ERROR_CHARACTERS: Final = 1_000

_log = logging.getLogger(__name__)
T = TypeVar("T")


class Delivered(NamedTuple):
    """What became of rows: `done` are gone, `failed` are put off; the others were passed over."""

    done: list[int]
    failed: list[int]


def deliver(rows: Sequence[int], *, wait: bool = False) -> Delivered:
    """Deliver those rows that are there, and before which nothing waits.

    Args:
        wait: for targets and rows that somebody else has locked; otherwise these are passed over.

    Statements: constant in the number of rows that have a target; some for each that has none.

    Raises:
        OperationalError, InterfaceError: the database cannot be reached.
    """
    unaddressed: list[Row] = []
    result = Delivered([], [])
    done = _attempt(lambda: _deliver_together(rows, unaddressed, wait=wait), rows, result)
    if done is None:
        for number in rows if len(rows) > 1 else ():
            alone = deliver([number], wait=wait)
            result.done.extend(alone.done)
            result.failed.extend(alone.failed)
        return result
    result.done.extend(done)
    stuck: set[Id] = set()
    for row in unaddressed:
        if row.source in stuck:
            continue
        if _attempt(partial(find_receiver, row), [row.id], result) is None:
            stuck.add(row.source)
        else:
            result.done.append(row.id)
    return result


def _attempt(act: Callable[[], T], rows: Sequence[int], result: Delivered) -> T | None:
    """Return what was delivered, None where that failed; a failure of a single row is counted."""
    try:
        with translated(), transaction.atomic():
            return act()
    except (Lost, Busy, ArrivedBefore):
        return None
    except Exception as error:
        # Whatever one row raises must not keep the others.
        if is_unreachable(error):
            raise
        if len(rows) == 1:
            if isinstance(error, InvariantViolated):
                _freeze_target(rows[0], error)
            _count_failure(rows[0], error)
            result.failed.append(rows[0])
        return None


def _freeze_target(row: int, error: InvariantViolated) -> None:
    target = Outbox.objects.filter(id=row).values_list("target", flat=True).first()
    if target is not None:
        freeze(str(target), f"delivery {row}: {error.code}: {error}")


def _deliver_together(numbers: Sequence[int], unaddressed: list[Row], *, wait: bool) -> list[int]:
    locked = lock_targets(numbers, wait=wait)
    now, raw = take_rows(numbers)
    rows = [row_from(one) for one in raw]
    unaddressed += [row for row in rows if row.target is None]
    rows = [row for row in rows if row.target is not None and (row.target in locked or not row.reached)]
    if not rows:
        return []
    arrived = Arrived()
    requests, owners = _requests(rows, arrived, now)
    batch, opened = prepare(requests, dialect())
    if opened:
        batch.read(locked)
    batch.decide()
    _sort_out(batch, owners, arrived, now)
    flush_batch(batch, dialect(), guard=Guard.LOCKED, arrived=arrived)
    return arrived.delivered


def _requests(
    rows: Sequence[Row], arrived: Arrived, now: datetime
) -> tuple[list[Request | Start], list[Row]]:
    """Return what to carry out, and the row of each; calls that cannot start, and what is too late, are answered."""
    starts = starts_of_calls(rows)
    given = _returned(rows)
    requests: list[Request | Start] = []
    owners: list[Row] = []
    for row in rows:
        content = row.content
        if isinstance(content, b.CallProcess):
            found = starts[row.id]
            if not isinstance(found, Start):
                _settle(row, arrived, _not_called(row, content, found), now)
                continue
            requests.append(found)
        elif not row.reached:
            _settle(row, arrived, _too_late(row, "the instance is not there"), now)
            continue
        else:
            assert not isinstance(content, b.SendMessage | b.StartBySignal), "these have no target"
            if isinstance(content, b.DoLater):
                content = postponed_command(content)
            if isinstance(content, b.CompleteCall | b.FinishFault):
                content = replace(content, variables=given.get(content.called, {}))
            requests.append(Request(content, None, row.target))
        owners.append(row)
    return requests, owners


def _returned(rows: Sequence[Row]) -> dict[Id, dict[str, Any]]:
    called = [row.content.called for row in rows if isinstance(row.content, b.CompleteCall | b.FinishFault)]
    found: dict[Id, dict[str, Any]] = {}
    for instance, name, value in variables_of(called) if called else ():
        found.setdefault(instance, {})[name] = from_text(value)
    return found


def _sort_out(batch: Batch, owners: Sequence[Row], arrived: Arrived, now: datetime) -> None:
    """Note which rows are done with, by what became of each; rows behind one that stays have to stay too."""
    stuck: set[Id | None] = set()
    for row, outcome in zip(owners, batch.outcomes, strict=True):
        if row.target in stuck:
            raise Lost
        if outcome is None or isinstance(outcome, Suspended | Busy):
            stuck.add(row.target)
        else:
            _settle(row, arrived, _answer(row, outcome), now)


def _answer(row: Row, outcome: Outcome) -> b.Outgoing | None:
    """Return what the source is told.

    Raises:
        EngineError: this delivery failed.
    """
    if not isinstance(outcome, EngineError):
        return None
    if isinstance(row.content, b.CallProcess):
        return _not_called(row, row.content, outcome)
    if isinstance(outcome, InstanceEnded):
        return _too_late(row, "the instance has ended")
    if isinstance(outcome, NotFound):
        return None
    raise outcome


def _not_called(row: Row, call: b.CallProcess, error: EngineError) -> b.Outgoing | None:
    if isinstance(error, CallerEnded):
        return _too_late(row, error.message)
    content = b.FailCall(
        token=call.parent_token, called=row.target or NIL, kind="CallFailed", message=error.message
    )
    return b.Outgoing(call.parent_instance, content)


def _too_late(row: Row, reason: str) -> b.Outgoing | None:
    if row.source == NIL or isinstance(row.content, b.NoteDropped | b.NoteUndeliverable):
        return None
    return b.Outgoing(row.source, b.NoteDropped(command=row.command, target=row.target, reason=reason))


def _settle(row: Row, arrived: Arrived, answer: b.Outgoing | None, now: datetime) -> None:
    """Take a row away, with an answer to its source."""
    arrived.delivered.append(row.id)
    if answer is not None:
        arrived.notes.append(outbox_values(row.tenant, row.target or NIL, answer, now, at_once=True))


def _count_failure(number: int, error: Exception) -> None:
    """Count a failure; after the last one the row goes and its source is told."""
    with transaction.atomic():
        now, raw = take_rows([number])
        for row in map(row_from, raw):
            attempt = row.attempts + 1
            text = f"{type(error).__name__}: {error}"[:MAX_ERROR_CHARACTERS].replace("\x00", "")
            _log.error("outbox row %s (%s) failed, attempt %s", number, row.command, attempt, exc_info=error)
            if attempt < ATTEMPTS:
                put_off(number, text, now + timedelta(seconds=BACKOFF_S[attempt - 1]))
            else:
                _give_up(row, text, now)


def _give_up(row: Row, error: str, now: datetime) -> None:
    arrived, document = Arrived(), Document()
    token = row.content.parent_token if isinstance(row.content, b.CallProcess) else None
    note = b.NoteUndeliverable(command=row.command, target=row.target, token=token, error=error)
    hopeless = row.source == NIL or isinstance(row.content, b.NoteUndeliverable | b.NoteDropped)
    _settle(row, arrived, None if hopeless else b.Outgoing(row.source, note), now)
    arrived.add_to(document)
    dialect().write(document, guard=Guard.LOCKED)
