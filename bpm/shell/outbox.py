"""The outbox: what instances send each other, delivered after the commit that sent it (semantics §11).

The process that has committed delivers what its command has caused, and what that causes, breadth first, within bounds.
What is left, or was left by a crash, the loops deliver.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Final

from bpm.core.ids import Id
from bpm.shell.clock import frozen_now
from bpm.shell.deliveries import deliver
from bpm.shell.host import require_immediate_transactions
from bpm.shell.sql.outbox_work import due_rows, rows_for
from bpm.shell.sweeps import Swept

MAX_ROWS: Final = 200
MAX_SECONDS: Final = 2.0
BATCH: Final = 50
"""Rows of one transaction: no instance is locked longer than that takes."""

_draining: ContextVar[deque[int] | None] = ContextVar("bpm_draining", default=None)


def drain(rows: Sequence[int]) -> int:
    """Deliver rows, and what that causes, breadth first: at most 200 rows or 2 seconds. Return how many.

    Called within a delivery it only enters the rows into the queue of the drain at work.
    """
    queue = _draining.get()
    if queue is not None:
        queue.extend(rows)
        return 0
    queue = deque(rows)
    mark = _draining.set(queue)
    try:
        return _drain(queue)
    finally:
        _draining.reset(mark)


def _drain(queue: deque[int]) -> int:
    deadline = time.monotonic() + MAX_SECONDS
    done = 0
    while queue and done < MAX_ROWS and time.monotonic() < deadline:
        batch = [queue.popleft() for _ in range(min(len(queue), BATCH, MAX_ROWS - done))]
        result = deliver(batch)
        done += len(result.done)
        for row in sorted({*batch} - {*result.done, *result.failed}):
            # Somebody else works on its target at this moment; that is over soon.
            if time.monotonic() < deadline:
                done += len(deliver([row], wait=True).done)
    return done


def drain_for(instances: Sequence[Id]) -> int:
    """Deliver what waits for instances: they have just been activated. Statements: 1 where nothing waits."""
    return drain(rows_for(instances, MAX_ROWS))


def deliver_due(limit: int) -> Swept:
    """Deliver what the processes that sent it have left, the oldest first, at most `limit` rows.

    Statements: 1 where nothing is due.
    """
    require_immediate_transactions()
    found = due_rows(frozen_now(), limit)
    done: list[int] = []
    for start in range(0, len(found), BATCH):
        done += deliver(found[start : start + BATCH]).done
    return Swept(len(found), done)
