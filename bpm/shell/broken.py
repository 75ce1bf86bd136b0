"""Finding which instance of a batch violates an invariant, so that the others go on (semantics §10)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import connection, transaction

from bpm.core.errors import Busy, InvariantViolated
from bpm.shell.batch import Batch
from bpm.shell.flush import flush_batch
from bpm.shell.freezing import note_violated
from bpm.shell.requests import Request
from bpm.shell.sql import dialect
from bpm.shell.sql.document import Guard
from bpm.shell.violations import Lost, translated


class BrokenAmong(Exception):
    """One of these commands has violated an invariant; all of their transaction is taken back."""

    def __init__(self, violation: InvariantViolated, requests: Sequence[Request]) -> None:
        super().__init__(str(violation))
        self.violation = violation
        self.requests = list(requests)


@contextmanager
def broken_among(requests: Sequence[Request]) -> Iterator[None]:
    """Say of a violated invariant which commands it may come from. Raises: BrokenAmong."""
    try:
        with translated():
            yield
    except InvariantViolated as violation:
        raise BrokenAmong(violation, requests) from violation


def freeze_broken(broken: BrokenAmong) -> InvariantViolated:
    """Try each of the commands alone, take it back, and freeze the instances of those that violate an invariant.

    Returns:
        A violation that was found, else the one that was raised.

    Raises:
        InvariantViolated: the first that was found, inside an enclosing transaction: whoever ends that has to freeze.
    """
    found = broken.violation
    for request in broken.requests:
        violation = _tried(request)
        if violation is not None:
            found = violation
            note_violated(violation, request)
            if connection.in_atomic_block:
                raise violation
    return found


def _tried(request: Request) -> InvariantViolated | None:
    try:
        with translated(), transaction.atomic():
            batch = Batch([request], dialect())
            batch.lock_and_read(skip_locked=True)
            batch.decide()
            flush_batch(batch, dialect(), guard=Guard.LOCKED)
            transaction.set_rollback(True)
    except InvariantViolated as violation:
        return violation
    except (Lost, Busy):
        pass
    return None
