"""Signals from outside: for everybody who waits at this moment, or for one instance (semantics §7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from bpm.core import commands as c
from bpm.core.errors import InstanceNotFound, SubscriptionNotFound
from bpm.core.ids import NIL, Id
from bpm.models import Outbox, ProcessInstance, Subscription
from bpm.shell.arrivals import follow_up
from bpm.shell.database_clock import database_now
from bpm.shell.execute import done_or_raise, execute
from bpm.shell.host import require_immediate_transactions
from bpm.shell.outcome import Done
from bpm.shell.outgoing import add_broadcast
from bpm.shell.requests import Request
from bpm.shell.sql import dialect
from bpm.shell.sql.document import Document, Guard


def broadcast(name: str, variables: Mapping[str, Any], *, tenant: str, actor: str = "") -> dict[str, int]:
    """Send a signal to every instance of the tenant that waits for it now, and to signal starts.

    All who get it are written down in one transaction; after its commit each gets it in a command of its own.

    Returns:
        `instances` and `starts`: how many.
    """
    require_immediate_transactions()
    document = Document()
    with transaction.atomic():
        add_broadcast(document, tenant, NIL, name, variables, database_now(), actor)
        written = dialect().write(document, guard=Guard.LOCKED)
        starts = (
            Outbox.objects.filter(id__in=written.sent, target__isnull=True).count() if written.sent else 0
        )
        follow_up(document, written)
    return {"instances": len(written.sent) - starts, "starts": starts}


def signal_instance(
    name: str,
    variables: Mapping[str, Any],
    *,
    tenant: str,
    instance: Id,
    activity: str | None = None,
    actor: str = "",
) -> Done:
    """Send a signal to one instance, or only to what waits in it at one activity.

    Raises:
        InstanceNotFound.
        SubscriptionNotFound: nothing in it waits for the signal there.
        InstanceEnded, Suspended, Busy, VariableInvalid.
    """
    if not ProcessInstance.objects.filter(id=instance, tenant=tenant).exists():
        raise InstanceNotFound(instance=instance)
    rows = Subscription.objects.filter(instance__id=instance, kind="signal", name=name, status="OPEN")
    if activity is not None:
        rows = rows.filter(node=activity)
    waiting = tuple(str(row) for row in rows.order_by("id").values_list("id", flat=True))
    if not waiting:
        raise SubscriptionNotFound(signal=name, instance=instance)
    command = c.TriggerSignal(subscriptions=waiting, variables=variables, actor=actor)
    done = done_or_raise(execute(Request(command, tenant)))
    if not done.answer["triggered"]:
        raise SubscriptionNotFound(signal=name, instance=instance)
    return done
