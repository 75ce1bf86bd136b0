"""Carrying a command out by what this process knows already: one statement, which reads nothing (semantics §11).

What is known is the version that was found last, the working set that the command before has left, and the database's
clock as it was last read. All of it may be old by now, so the statement writes only if none of it is.
"""

from __future__ import annotations

from datetime import datetime

from bpm.core.errors import Busy, InvariantViolated
from bpm.core.ids import is_id
from bpm.shell.batch import Batch
from bpm.shell.clock import frozen_now
from bpm.shell.definitions import Wanted, known_version
from bpm.shell.flush import flush_batch
from bpm.shell.kept_sets import kept_sets
from bpm.shell.outcome import Done, Outcome
from bpm.shell.requests import Request
from bpm.shell.running_clock import running_clock
from bpm.shell.sql import Dialect
from bpm.shell.sql.document import Guard
from bpm.shell.starts import Start
from bpm.shell.violations import Lost, translated


def carry_out_unread(request: Request | Start, sql: Dialect) -> Outcome | None:
    """Carry a command out without reading anything; None where it has to be read for, and nothing was done.

    Only what was written is true. A refusal, a violated invariant, or that there is nothing to do: each may come from
    what is old, so none of them is an outcome here. That somebody else has the instance is one.

    Statements: PostgreSQL 1, or 0.
    """
    now = None if frozen_now() else running_clock.now()
    batch = _known(request, sql, now) if now is not None else None
    if batch is None:
        return None
    try:
        batch.decide()
        (outcome,) = batch.outcomes
        if not isinstance(outcome, Done) or not batch.written:
            return None
        with translated():
            flush_batch(batch, sql, guard=_guard(request))
    except Busy as busy:
        return busy
    except (InvariantViolated, Lost):
        # Perhaps it was the clock that was not right.
        running_clock.forget()
        return None
    return outcome


def _guard(request: Request | Start) -> Guard:
    latest = isinstance(request, Start) and request.version is None and not is_id(request.process)
    return Guard.LATEST if latest else Guard.KNOWN


def _known(request: Request | Start, sql: Dialect, now: datetime) -> Batch | None:
    """Return the command as a batch with all that it needs, or None where this process does not have that."""
    if isinstance(request, Start):
        row = known_version(Wanted(request.process, request.version, request.tenant))
        if row is None:
            return None
        start = Request(request.command(row), version=row.version)
        batch = Batch([start], sql)
        batch.start(0, start, now, request.instance)
        return batch
    ids = request.ids
    state = kept_sets.take(request.table, ids[0]) if len(ids) == 1 else None
    batch = Batch([request], sql)
    return batch if state is not None and batch.adopt(state, now) else None
