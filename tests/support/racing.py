"""Calls that really run at the same time, each in a thread with a database session of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection, connections, transaction

from bpm.core.errors import Busy, IdempotencyInProgress
from bpm.models import ProcessInstance


def race(calls: Sequence[Callable[[], Any]], *, retried: bool = False) -> list[Any]:
    """Let all calls go at once; return what each returned, or the exception it raised.

    Args:
        retried: call again what was told to come back later, as a client would.
    """
    barrier = threading.Barrier(len(calls))
    outcomes: list[Any] = [None] * len(calls)

    def run(place: int) -> None:
        try:
            connection.ensure_connection()
            barrier.wait(timeout=60)
            outcomes[place] = _persistent(calls[place]) if retried else calls[place]()
        except Exception as error:  # noqa: BLE001 - the test looks at it
            outcomes[place] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=90)
        assert not thread.is_alive(), "a call did not come back"
    return outcomes


@contextmanager
def holding(instance: str, seconds: float = 60.0) -> Iterator[None]:
    """Let another session have an instance locked, to the end of the block or for so long."""
    ready, over = threading.Event(), threading.Event()

    def hold() -> None:
        try:
            with transaction.atomic():
                ProcessInstance.objects.select_for_update().get(pk=instance)
                ready.set()
                over.wait(seconds)
        finally:
            connections.close_all()

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        assert ready.wait(30)
        yield
    finally:
        over.set()
        thread.join(timeout=30)


def _persistent(call: Callable[[], Any]) -> Any:
    for _ in range(30):
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
