"""Freezing instances of which an invariant does not hold, in a transaction of its own (semantics §10)."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import connection, transaction
from django.db.models import F

from bpm.core import operations as o
from bpm.core.errors import Busy, EngineError, InvariantViolated
from bpm.core.ids import Id
from bpm.models import HistoryEvent, ProcessInstance
from bpm.shell.requests import Request
from bpm.shell.sql import dialect
from bpm.shell.sql.queries import INSTANCES
from bpm.shell.starts import Start
from bpm.shell.tables import SPECS

ACTOR: Final = "engine"
MAX_EVIDENCE: Final = 4_000
_ATTEMPTS: Final = 5

_log = logging.getLogger(__name__)


def freeze(instance: Id, evidence: str, *, actor: str = ACTOR) -> bool:
    """Suspend an instance with an incident that says why; return whether that could be written.

    Where its tokens cannot be touched it is frozen without them, and where its own row contradicts its history, the
    row's sequence and hash are first taken from there.
    """
    evidence = evidence[:MAX_EVIDENCE]
    for way in (_freeze, _freeze_bare, _freeze_mended):
        try:
            if way(instance, evidence, actor):
                return True
        except Exception as error:  # noqa: BLE001 - a broken instance may raise anything; the next way needs less of it
            _log.warning("instance %s: %s failed: %r", instance, way.__name__.strip("_"), error)
    _log.critical("instance %s cannot be frozen: %s", instance, evidence)
    return False


def _freeze(instance: Id, evidence: str, actor: str) -> bool:
    return _carry_out(instance, o.FreezeInstance(evidence=evidence, actor=actor))


def _freeze_bare(instance: Id, evidence: str, actor: str) -> bool:
    return _carry_out(instance, o.FreezeInstance(evidence=evidence, actor=actor, bare=True))


def _freeze_mended(instance: Id, evidence: str, actor: str) -> bool:
    with transaction.atomic():
        dialect().lock(INSTANCES, [instance], skip_locked=False)
        rows = HistoryEvent.objects.filter(instance_id=uuid.UUID(instance)).order_by("-sequence")
        newest = rows.values_list("sequence", "hash").first()
        if newest is not None:
            ProcessInstance.objects.filter(id=instance).update(
                last_sequence=newest[0], head=newest[1], revision=F("revision") + 1
            )
    return _freeze_bare(instance, evidence, actor)


def _carry_out(instance: Id, command: o.FreezeInstance) -> bool:
    from bpm.shell.execute import execute

    for _ in range(_ATTEMPTS):
        outcome = execute(Request(command, instance=instance))
        if not isinstance(outcome, EngineError):
            return True
        if not isinstance(outcome, Busy):
            raise outcome
    return False


@contextmanager
def freezing_violated(request: Request | Start) -> Iterator[None]:
    """Freeze the instance of a command that has violated an invariant, and let the error go on.

    Inside an enclosing transaction nothing can be kept: the error then carries the command, for whoever ends that
    transaction to call `freeze_violated`.
    """
    try:
        yield
    except InvariantViolated as violation:
        note_violated(violation, request)
        raise


def note_violated(violation: InvariantViolated, request: Request | Start) -> None:
    """Freeze the command's instance, or remember it where a transaction is open."""
    if isinstance(request, Start) or isinstance(request.command, o.FreezeInstance):
        return
    violation.request = request
    if not connection.in_atomic_block:
        freeze_violated(violation)


def freeze_violated(violation: InvariantViolated) -> None:
    """Freeze the instance whose command has raised this; no transaction is open. Once for each error."""
    request, violation.request = violation.request, None
    if not isinstance(request, Request):
        return
    instance = _instance_of(request)
    if instance is not None:
        command = type(request.command).__name__
        freeze(instance, f"{command} by {request.command.actor or 'engine'}: {violation.code}: {violation}")


def _instance_of(request: Request) -> Id | None:
    if request.table == INSTANCES:
        return request.instance
    sql = dialect()
    query = f"SELECT instance_id FROM {SPECS[request.table].table} WHERE {sql.among('id')}"  # noqa: S608 - own names
    with connection.cursor() as cursor:
        cursor.execute(query, [sql.ids(request.ids)])
        row = cursor.fetchone()
    return None if row is None else sql.text_id(row[0])
