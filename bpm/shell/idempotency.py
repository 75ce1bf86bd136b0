"""Idempotency keys: the same call again gets the first answer and does nothing (semantics §11)."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection, transaction

from bpm.core.errors import (
    AnswerNotKept,
    Busy,
    IdempotencyInProgress,
    IdempotencyMismatch,
    InvariantViolated,
)
from bpm.core.values import from_text, to_text
from bpm.shell.configuration import setting
from bpm.shell.violations import Lost, translated

MAX_ANSWER_BYTES = 64_000

_QUERY = (
    "INSERT INTO bpm_idempotencyrecord AS r (tenant, principal, key, fingerprint, created_at) "
    "VALUES (%s, %s, %s, %s, NOW) ON CONFLICT (tenant, principal, key) DO UPDATE "
    "SET fingerprint = excluded.fingerprint, created_at = excluded.created_at, answer = NULL "
    "WHERE r.created_at < OLD RETURNING id"
)
_TAKE = {
    # The database's clock: those of the machines need not agree.
    "postgresql": _QUERY.replace("NOW", "clock_timestamp()").replace("OLD", "clock_timestamp() - %s"),
    "sqlite": _QUERY.replace("NOW", "%s").replace("OLD", "%s"),
}
"""By database; takes the record, then `_times`."""

own_transaction: ContextVar[bool] = ContextVar("bpm_own_transaction", default=False)
"""Whether the open transaction is an idempotent call's: a failure ends it as a whole, so no savepoint is needed."""


@dataclass(frozen=True, slots=True)
class Idempotency:
    """A caller's key.

    Attributes:
        principal: who calls; keys of different callers are apart.
        key: 1 to 255 printable characters.
        fingerprint: hash of method, path and body.
    """

    principal: str
    key: str
    fingerprint: str


def _itself(answer: Any) -> Any:
    return answer


def once(
    key: Idempotency | None,
    tenant: str,
    produce: Callable[[], Any],
    *,
    keep: Callable[[Any], Any] = _itself,
    restore: Callable[[Any], Any] = _itself,
) -> Any:
    """Return what `produce` returns, or, under a key that was used before, the first answer.

    Args:
        keep: makes of an answer what is kept (None: nothing, the next call is a new one); `restore` makes the answer
            of that again.

    The record and what `produce` does are one transaction; a refusal leaves no record.

    Statements: two around those of `produce`, none without a key.

    Raises:
        IdempotencyMismatch: the key stands for another call.
        IdempotencyInProgress: the first call is still running after the lock's time-out.
        AnswerNotKept: the first call was carried out; its answer had more than 64 kB.
    """
    if key is None:
        return produce()
    try:
        try:
            answer, kept = _once(key, tenant, produce, keep, own=True)
        except Lost:
            answer, kept = _once(key, tenant, produce, keep, own=False)
    except InvariantViolated as violation:
        if not connection.in_atomic_block:
            _freeze(violation)
        raise
    return restore(answer) if kept else answer


def _freeze(violation: InvariantViolated) -> None:
    # Commands are carried out under a key, so what freezes by a command is above this module.
    from bpm.shell.freezing import freeze_violated

    freeze_violated(violation)


def _once(
    key: Idempotency, tenant: str, produce: Callable[[], Any], keep: Callable[[Any], Any], *, own: bool
) -> tuple[Any, bool]:
    """Return the answer, and whether it is the kept one."""
    with transaction.atomic():
        record = _take(key, tenant)
        if record is None:
            return _answer(key, tenant), True
        mark = own_transaction.set(own)
        try:
            answer = produce()
        finally:
            own_transaction.reset(mark)
        kept = keep(answer)
        if kept is None:
            _forget(record)
            return answer, False
        text = to_text(kept)
        if len(text) <= MAX_ANSWER_BYTES:
            _keep(record, text)
        return answer, False


def _take(key: Idempotency, tenant: str) -> int | None:
    """Insert the record, or wait for who did. Return its id, None if it is somebody's already."""
    try:
        with translated(), connection.cursor() as cursor:
            cursor.execute(
                _TAKE[connection.vendor], [tenant, key.principal, key.key, key.fingerprint, *_times()]
            )
            row = cursor.fetchone()
    except Busy as busy:
        raise IdempotencyInProgress(key=key.key) from busy
    return None if row is None else int(row[0])


def _times() -> list[Any]:
    """Return what `_TAKE` has to know of the time."""
    kept = timedelta(hours=setting("IDEMPOTENCY_HOURS"))
    if connection.vendor == "postgresql":
        return [kept]
    now = datetime.now(UTC).replace(tzinfo=None)
    return [str(now), str(now - kept)]


def _answer(key: Idempotency, tenant: str) -> Any:
    query = "SELECT fingerprint, answer FROM bpm_idempotencyrecord WHERE tenant = %s AND principal = %s AND key = %s"
    with connection.cursor() as cursor:
        cursor.execute(query, [tenant, key.principal, key.key])
        fingerprint, answer = cursor.fetchone()
    if fingerprint != key.fingerprint:
        raise IdempotencyMismatch(key=key.key)
    if answer is None:
        raise AnswerNotKept(key=key.key)
    return from_text(answer)


def _forget(record: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM bpm_idempotencyrecord WHERE id = %s", [record])


def _keep(record: int, text: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE bpm_idempotencyrecord SET answer = %s WHERE id = %s", [text, record])
