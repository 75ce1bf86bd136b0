"""Carrying commands out: one command, or many in one transaction (semantics §11).

A single command on PostgreSQL takes one to three statements and no transaction of its own: it reads without a lock what
this process does not know, and one statement writes everything only if the instance's revision is still the one that
was read. A lost race is tried again, then with the lock. Everything else (batches, a caller's transaction, an
idempotency key, SQLite) locks the instances first, in id order.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction

from bpm.core import commands as c
from bpm.core.errors import Busy, DefinitionNotFound, EngineError, InvariantViolated, NotStartable, Refused
from bpm.shell.arrivals import Arrived
from bpm.shell.batch import Batch
from bpm.shell.definitions import Wanted, find, require_startable
from bpm.shell.flush import flush_batch
from bpm.shell.freezing import freezing_violated, note_violated
from bpm.shell.garbage import CollectionPaused
from bpm.shell.host import require_immediate_transactions
from bpm.shell.idempotency import own_transaction
from bpm.shell.observing import describe_many, describe_one, observed
from bpm.shell.outcome import Done, Outcome
from bpm.shell.requests import Request
from bpm.shell.sql import Dialect, dialect
from bpm.shell.sql.document import Guard
from bpm.shell.starts import Start
from bpm.shell.unread import carry_out_unread
from bpm.shell.violations import Lost, translated

ATTEMPTS = 3
"""Races a single command may lose before it takes the lock."""


@observed(describe_one, batch=False)
def execute(request: Request | Start) -> Outcome:
    """Carry one command out.

    Returns:
        Done, or the refusal; a violated invariant is raised.

    Statements: PostgreSQL 1 to 3 (lock, idempotency and the caller's transaction aside); see docs/reference/statements.
    """
    with CollectionPaused():
        try:
            return _carry_out(request)
        except InvariantViolated as violation:
            note_violated(violation, request)
            raise


def _carry_out(request: Request | Start) -> Outcome:
    database = connections[DEFAULT_DB_ALIAS]
    sql = dialect(database.vendor)
    if database.vendor != "postgresql":
        require_immediate_transactions()
    elif not database.in_atomic_block:
        outcome = carry_out_unread(request, sql)
        if outcome is not None:
            return outcome
        for _ in range(ATTEMPTS):
            try:
                with translated():
                    outcome = _optimistic(request, sql)
            except Lost:
                continue
            except Busy as busy:
                return busy
            except InvariantViolated:
                outcome = None
            if outcome is not None:
                return outcome
            break
    (outcome,) = _locked([request], sql, skip_locked=False)
    return outcome


@observed(describe_many, batch=True)
def execute_many(requests: Sequence[Request | Start]) -> list[Outcome]:
    """Carry commands out in one transaction, each with its own outcome, in the order of the requests.

    Instances that somebody else has locked are done afterwards, each in a transaction of its own (inside an enclosing
    transaction they are waited for); if the write fails, everything is rolled back and each command is tried alone,
    once.

    Statements: constant in the number of commands; see docs/reference/statements.
    """
    if not requests:
        return []
    require_immediate_transactions()
    # To wait for one instance while holding others is a deadlock in the making; so where all are held to the end of an
    # enclosing transaction, all are waited for, in order.
    with CollectionPaused():
        return _frozen_or_told(list(requests), skip_locked=not connection.in_atomic_block)


def _optimistic(request: Request | Start, sql: Dialect) -> Outcome | None:
    """Return the outcome; None for a refusal by what two statements have read, which need not fit together.

    Raises:
        Lost: somebody else was faster.
        InvariantViolated: likewise not to be believed unless it happens under the lock.
    """
    batch, opened = prepare([request], sql)
    if opened:
        batch.read()
    batch.decide()
    outcome = _only(batch)
    if isinstance(outcome, EngineError) and batch.readings > 1:
        return None
    flush_batch(batch, sql, guard=Guard.REVISION)
    return outcome


@observed(describe_one, batch=False)
def execute_arrived(request: Request | Start, arrived: Arrived) -> Outcome:
    """Carry out one command that something has caused, which is removed in the same transaction.

    Returns:
        Done, or the refusal; then what caused it is still there.

    Raises:
        ArrivedBefore: it is not there any more; nothing was done.
    """
    require_immediate_transactions()
    (outcome,) = _locked([request], dialect(), skip_locked=False, arrived=arrived)
    return outcome


def _locked(
    requests: list[Request | Start], sql: Dialect, *, skip_locked: bool, arrived: Arrived | None = None
) -> list[Outcome]:
    own = own_transaction.get()
    try:
        with translated(), transaction.atomic(savepoint=not own):
            batch, opened = prepare(requests, sql)
            if opened:
                batch.lock_and_read(skip_locked=skip_locked)
            batch.decide()
            refused = arrived is not None and not isinstance(batch.outcomes[0], Done)
            flush_batch(batch, sql, guard=Guard.LOCKED, arrived=None if refused else arrived)
    except (InvariantViolated, Lost, Busy) as error:
        if own and len(requests) > 1:
            raise Lost from error
        if isinstance(error, Busy) and not skip_locked:
            return [error] * len(requests)
        if len(requests) == 1:
            if isinstance(error, InvariantViolated):
                raise
            return [error if isinstance(error, Busy) else Busy()]
        return [_alone(request) for request in requests]
    for indexes in batch.busy.values():
        in_order = sorted(indexes)
        waited = _frozen_or_told([requests[index] for index in in_order], skip_locked=False)
        for index, outcome in zip(in_order, waited, strict=True):
            batch.outcomes[index] = outcome
    return [outcome or Busy() for outcome in batch.outcomes]


def _frozen_or_told(requests: list[Request | Start], *, skip_locked: bool) -> list[Outcome]:
    """Carry out commands; the only one that violates an invariant has that as its outcome, and freezes its instance.

    Where the enclosing transaction has no savepoint to go back to, it is raised instead, for that has to end.
    """
    try:
        with freezing_violated(requests[0]):
            return _locked(requests, dialect(), skip_locked=skip_locked)
    except InvariantViolated as violation:
        if own_transaction.get():
            raise
        return [violation] * len(requests)


def _alone(request: Request | Start) -> Outcome:
    try:
        with freezing_violated(request):
            return _carry_out(request)
    except InvariantViolated as violation:
        return violation


_PENDING = Request(c.StartInstance(definition=""))
"""Stands for a start until its definition has been found."""


def prepare(requests: Sequence[Request | Start], sql: Dialect) -> tuple[Batch, bool]:
    """Return the batch with its new instances, and whether it has commands on existing ones.

    Statements: 1 where something starts, else 0.
    """
    starts = [(index, one) for index, one in enumerate(requests) if isinstance(one, Start)]
    plain = [_PENDING if isinstance(one, Start) else one for one in requests]
    batch = Batch(plain, sql)
    if starts:
        _find_definitions(batch, starts)
    return batch, len(starts) < len(requests)


def _find_definitions(batch: Batch, starts: list[tuple[int, Start]]) -> None:
    wanted = [Wanted(one.process, one.version, one.tenant) for _, one in starts]
    distinct = list(dict.fromkeys(wanted))
    now, rows = find(distinct)
    found = dict(zip(distinct, rows, strict=True))
    for (index, one), version in zip(starts, wanted, strict=True):
        row = found[version]
        if isinstance(row, DefinitionNotFound):
            batch.outcomes[index] = row
            continue
        try:
            require_startable(row)
        except NotStartable as refusal:
            batch.outcomes[index] = refusal
            continue
        request = Request(one.command(row), version=row.version)
        batch.requests[index] = request
        batch.start(index, request, now, one.instance)


def _only(batch: Batch) -> Outcome:
    (outcome,) = batch.outcomes
    assert outcome is not None, "a single command is decided or refused"
    return outcome


def done_or_raise(outcome: Outcome) -> Done:
    """Return what was done, or raise the refusal."""
    if isinstance(outcome, EngineError):
        raise outcome
    return outcome


__all__ = ["Refused", "done_or_raise", "execute", "execute_many"]
