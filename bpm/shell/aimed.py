"""Messages for one waiting place of one instance, and going on at a receive task (semantics §7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bpm.core import commands as c
from bpm.core.errors import InstanceNotFound, MessageAmbiguous, SubscriptionNotFound
from bpm.core.ids import Id
from bpm.models import ProcessInstance, Subscription, Token
from bpm.shell.execute import done_or_raise, execute
from bpm.shell.outcome import Done
from bpm.shell.requests import Request


def message_to(
    instance: Id,
    variables: Mapping[str, Any],
    *,
    tenant: str,
    name: str | None = None,
    activity: str | None = None,
    actor: str = "",
) -> Done:
    """Give a message to the one place of an instance that waits for it, whatever its correlation key.

    Raises:
        InstanceNotFound.
        SubscriptionNotFound: nothing waits for it there.
        MessageAmbiguous: more than one place does.
        InstanceEnded, Suspended, Busy.
    """
    _require_instance(instance, tenant)
    rows = Subscription.objects.filter(instance__id=instance, kind="message", status="OPEN")
    if name is not None:
        rows = rows.filter(name=name)
    if activity is not None:
        rows = rows.filter(node=activity)
    waiting = list(rows.order_by("id").values_list("id", flat=True)[:2])
    if not waiting:
        raise SubscriptionNotFound(instance=instance, message=name, activity=activity)
    if len(waiting) > 1:
        raise MessageAmbiguous(instance=instance, message=name, activity=activity)
    command = c.TriggerMessage(subscription=str(waiting[0]), variables=variables, actor=actor)
    return done_or_raise(execute(Request(command, tenant)))


def continue_receive_task(
    instance: Id, activity: str, variables: Mapping[str, Any], *, tenant: str, actor: str = ""
) -> Done:
    """Go on at a receive task without its message; of several tokens there the oldest goes.

    Raises:
        InstanceNotFound.
        SubscriptionNotFound: no token waits at a receive task of that id.
        InstanceEnded, Suspended, Busy.
    """
    _require_instance(instance, tenant)
    rows = Token.objects.filter(instance__id=instance, node=activity, final=False, wait="message")
    token = rows.order_by("id").values_list("id", flat=True).first()
    if token is None:
        raise SubscriptionNotFound(instance=instance, activity=activity)
    command = c.ContinueReceiveTask(token=str(token), variables=variables, actor=actor)
    return done_or_raise(execute(Request(command, tenant)))


def _require_instance(instance: Id, tenant: str) -> None:
    if not ProcessInstance.objects.filter(id=instance, tenant=tenant).exists():
        raise InstanceNotFound(instance=instance)
