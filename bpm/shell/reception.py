"""Giving a message to one receiver (semantics §7)."""

from __future__ import annotations

from bpm.core import commands as c
from bpm.core.errors import EngineError, InstanceEnded, NotFound, Suspended
from bpm.shell.arrivals import Arrived
from bpm.shell.execute import execute, execute_arrived
from bpm.shell.messages import Message
from bpm.shell.outcome import Done
from bpm.shell.requests import Request
from bpm.shell.sql.message_work import Waiting
from bpm.shell.triggered_starts import start_by_subscription

GONE = (NotFound, InstanceEnded, Suspended)
"""Refusals that say that the receiver is none any more."""


def give(message: Message, receiver: Waiting, arrived: Arrived | None = None) -> Done | None:
    """Trigger a waiting subscription.

    Args:
        arrived: where the message was kept; it is removed in the same transaction.

    Returns:
        None where the receiver is gone: somebody else may be there instead.

    Raises:
        ArrivedBefore: the message is not there any more.
        EngineError: the receiver is there, but busy or not able.
    """
    request = trigger(message, receiver)
    return _taken(execute(request) if arrived is None else execute_arrived(request, arrived))


def start_with(message: Message, receiver: Waiting, arrived: Arrived | None = None) -> Done | None:
    """Start an instance at a message start; as `give`."""
    outcome = start_by_subscription(
        receiver.subscription,
        variables=message.variables,
        business_key=message.business_key,
        actor=message.actor,
        arrived=arrived,
    )
    return _taken(outcome)


def trigger(message: Message, receiver: Waiting) -> Request:
    """Return the command that gives a message to a waiting subscription."""
    return Request(
        c.TriggerMessage(subscription=receiver.subscription, variables=message.variables, actor=message.actor)
    )


def _taken(outcome: Done | EngineError | None) -> Done | None:
    if isinstance(outcome, EngineError) and not isinstance(outcome, GONE):
        raise outcome
    return outcome if isinstance(outcome, Done) else None
