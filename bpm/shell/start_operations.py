"""What operators do with the starts that wait at a definition: change, disarm, trigger one (semantics §6, §7, §12).

The key's row is locked first, then the start's. Every change is an event of the key.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from bpm.core.errors import DefinitionNotFound, Invalid, SubscriptionNotFound
from bpm.core.ids import Id, IdSource
from bpm.core.priorities import HIGHEST_PRIORITY
from bpm.models import Definition, Subscription, Timer
from bpm.shell.database_clock import database_now
from bpm.shell.definition_operations import lock_versions, note
from bpm.shell.execute import done_or_raise, execute
from bpm.shell.outcome import Done
from bpm.shell.start_timers import fire_start
from bpm.shell.starts import Start
from bpm.shell.violations import translated

Armed = Timer | Subscription


def start_timer_of(timer: Id, tenant: str) -> Id | None:
    """Return the definition at which a timer start waits, None where the timer is none. Statements: 1."""
    rows = Timer.objects.filter(id=timer, tenant=tenant, definition__isnull=False)
    found = rows.values_list("definition_id", flat=True).first()
    return None if found is None else str(found)


def change_start(
    definition: Id, start: Id, tenant: str, actor: str, *, due_at: datetime | None, priority: int | None
) -> Armed:
    """Let a timer start become due at another time, or fire before or after others; return it.

    A cycle goes on from the time at which it is due now.

    Raises:
        DefinitionNotFound.
        SubscriptionNotFound: nothing is armed there under that id.
        Invalid: nothing is to be changed, or it is no timer.
    """
    if due_at is None and priority is None:
        raise Invalid("Say a new due time or a new priority.")
    if priority is not None and not -HIGHEST_PRIORITY <= priority <= HIGHEST_PRIORITY:
        raise Invalid("A priority is a whole number of 64 bits.")
    with translated(), transaction.atomic():
        version, row = _locked(definition, start, tenant)
        if not isinstance(row, Timer):
            raise Invalid("Only a timer start becomes due.", start=start, kind=row.kind)
        if due_at is not None:
            # It begins a series of its own: the old one may have had this very due time.
            row.due_at, row.series = due_at, _new_id()
        if priority is not None:
            row.priority = priority
        row.save(update_fields=["due_at", "series", "priority"])
        told = None if due_at is None else due_at.isoformat()
        note(version, "StartChanged", actor, start=start, node=row.node, due_at=told, priority=priority)
    return row


def disarm_start(definition: Id, start: Id, tenant: str, actor: str) -> Armed:
    """Take a start away until another version is deployed; return it. Raises: as `change_start`."""
    with translated(), transaction.atomic():
        version, row = _locked(definition, start, tenant)
        row.status, row.closed_at = "CANCELLED", database_now()
        row.save(update_fields=["status", "closed_at"])
        note(version, "StartDisarmed", actor, start=start, node=row.node)
    return row


def trigger_start(
    definition: Id,
    start: Id,
    tenant: str,
    actor: str,
    *,
    variables: Mapping[str, Any],
    business_key: str | None = None,
) -> tuple[Armed, Done]:
    """Start an instance there now, as if what it waits for had come; a timer's due time is used up by that.

    Raises:
        DefinitionNotFound, SubscriptionNotFound.
        NotStartable: the version is suspended.
    """
    with translated(), transaction.atomic():
        version, row = _locked(definition, start, tenant)
        one = Start(
            process=definition,
            tenant=tenant,
            business_key=business_key,
            variables=variables,
            node=row.node,
            trigger="timer:" if isinstance(row, Timer) else f"{row.kind}:{row.name}",
            actor=actor,
        )
        timer = row if isinstance(row, Timer) else None
        done = done_or_raise(execute(one)) if timer is None else fire_start(timer, database_now(), one)
        note(version, "StartTriggered", actor, start=start, node=row.node, instance=done.instance_id)
    return row, done


def _new_id() -> Id:
    return IdSource(database_now(), secrets.randbits(42)).next()


def _locked(definition: Id, start: Id, tenant: str) -> tuple[Definition, Armed]:
    found = Definition.objects.filter(pk=definition, tenant=tenant, deleted_at__isnull=True).first()
    if found is None:
        raise DefinitionNotFound(definition=definition)
    (version,) = lock_versions([found])
    timers = Timer.objects.filter(id=start, definition=version, status="SCHEDULED")
    others = Subscription.objects.filter(id=start, definition=version, status="OPEN")
    if connection.features.has_select_for_update:
        timers, others = timers.select_for_update(), others.select_for_update()
    row: Armed | None = timers.first() or others.first()
    if row is None:
        raise SubscriptionNotFound("No such start is armed at this version.", start=start)
    return version, row
