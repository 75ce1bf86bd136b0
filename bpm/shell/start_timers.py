"""Firing timer starts that are due (semantics §6)."""

from __future__ import annotations

import logging
import secrets
import time
from datetime import datetime
from typing import Final

from django.db import connection, transaction

from bpm.core.errors import Busy
from bpm.core.ids import Id, IdSource
from bpm.models import Timer
from bpm.shell.clock import frozen_now
from bpm.shell.database_clock import database_now
from bpm.shell.definition_starts import after
from bpm.shell.execute import done_or_raise, execute
from bpm.shell.outcome import Done
from bpm.shell.sql.loop_work import due_starts
from bpm.shell.starts import Start
from bpm.shell.sweeps import Swept, is_unreachable
from bpm.shell.violations import Lost, translated

SET_ASIDE_S: Final = 60.0

_aside: dict[Id, float] = {}
"""Timers that failed, until when (monotonic seconds)."""

_log = logging.getLogger(__name__)


def fire_due_starts(limit: int) -> Swept:
    """Start an instance for each timer start that is due, the longest due first, each in its own transaction.

    Statements: 1 where nothing is due.
    """
    present = time.monotonic()
    for timer in [timer for timer, until in _aside.items() if until <= present]:
        del _aside[timer]
    found = [timer for timer in due_starts(frozen_now(), limit + len(_aside)) if timer not in _aside][:limit]
    return Swept(len(found), [timer for timer in found if _fire(timer)])


def _fire(timer: Id) -> bool:
    try:
        with translated(), transaction.atomic():
            return _fire_locked(timer)
    except (Lost, Busy):
        return False
    except Exception as error:
        # One definition that cannot start must not keep the others.
        if is_unreachable(error):
            raise
        _aside[timer] = time.monotonic() + SET_ASIDE_S
        _log.error("timer start %s failed, set aside for %.0f s", timer, SET_ASIDE_S, exc_info=error)
        return False


def _fire_locked(number: Id) -> bool:
    now = database_now()
    timer = _lock(number)
    if timer is None or timer.due_at > now:
        return False
    start = Start(
        process=str(timer.definition_id),
        tenant=timer.tenant,
        node=timer.node,
        trigger="timer:",
        actor="engine",
    )
    fire_start(timer, now, start)
    return True


def fire_start(timer: Timer, now: datetime, start: Start) -> Done:
    """Use up the due time of a timer start, put the next one on the table, and start an instance.

    The caller has locked the row.

    Raises: the refusal of the start.
    """
    following = after(timer, now)
    Timer.objects.filter(id=timer.id).update(status="FIRED", closed_at=now)
    if following is not None:
        Timer.objects.create(
            id=IdSource(now, secrets.randbits(42)).next(),
            definition_id=timer.definition_id,
            tenant=timer.tenant,
            node=timer.node,
            kind=timer.kind,
            status="SCHEDULED",
            due_at=following.due_at,
            series=timer.series,
            number=following.number,
            anchor=timer.anchor,
            expression=timer.expression,
            priority=timer.priority,
            created_at=now,
        )
    return done_or_raise(execute(start))


def _lock(number: Id) -> Timer | None:
    rows = Timer.objects.filter(id=number, status="SCHEDULED", definition__suspended=False)
    if connection.features.has_select_for_update:
        rows = rows.select_for_update(skip_locked=True, of=("self",))
    return rows.first()
