"""Calls that really run at the same time, each in a thread with a database session of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection, connections, transaction

from bpm.core.errors import Busy, IdempotencyInProgress
from bpm.models import ProcessInstance

PATIENCE_S = 60


def race(calls: Sequence[Callable[[], Any]], *, retried: bool = False, patient: bool = True) -> list[Any]:
    """Let all calls go at once; return what each returned, or the exception it raised.

    Args:
        retried: call again what was told to come back later, as a client would.
        patient: wait for locks as long as it takes, so that nobody is refused because a holder's thread stood still.
    """
    barrier = threading.Barrier(len(calls))
    outcomes: list[Any] = [None] * len(calls)

    def run(place: int) -> None:
        try:
            connection.ensure_connection()
            if patient:
                wait_for_locks()
            barrier.wait(timeout=PATIENCE_S)
            outcomes[place] = _persistent(calls[place]) if retried else calls[place]()
        except Exception as error:  # noqa: BLE001 - the test looks at it
            outcomes[place] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=2 * PATIENCE_S)
        assert not thread.is_alive(), "a call did not come back"
    return outcomes


def wait_for_locks() -> None:
    """Let this thread's session wait for locks, and sit in transactions, for longer than any pause of the machine."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for name in ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"):
                cursor.execute(f"SET {name} = '{2 * PATIENCE_S}s'")


@contextmanager
def holding(instance: str) -> Iterator[Callable[[], None]]:
    """Let another session have an instance locked, to the end of the block or until what is yielded was called."""
    ready, over = threading.Event(), threading.Event()

    def hold() -> None:
        try:
            wait_for_locks()
            with transaction.atomic():
                ProcessInstance.objects.select_for_update().get(pk=instance)
                ready.set()
                over.wait(PATIENCE_S)
        finally:
            connections.close_all()

    thread = threading.Thread(target=hold)

    def release() -> None:
        over.set()
        thread.join(timeout=PATIENCE_S)

    thread.start()
    try:
        assert ready.wait(PATIENCE_S)
        yield release
    finally:
        release()


def _persistent(call: Callable[[], Any]) -> Any:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        try:
            return call()
        except (Busy, IdempotencyInProgress):
            continue
    return call()


def answers(outcomes: Sequence[Any]) -> list[Any]:
    """Return the outcomes that are no exceptions."""
    return [outcome for outcome in outcomes if not isinstance(outcome, Exception)]


def refusals(outcomes: Sequence[Any]) -> list[Exception]:
    """Return the exceptions among the outcomes."""
    return [outcome for outcome in outcomes if isinstance(outcome, Exception)]
