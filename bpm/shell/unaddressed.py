"""Rows of the outbox that find their receiver by themselves: thrown messages, starts by signals (semantics §7)."""

from __future__ import annotations

from django.db import transaction

from bpm.core import between as b
from bpm.core.errors import Busy
from bpm.core.ids import Id
from bpm.shell.arrivals import Arrived, ArrivedBefore
from bpm.shell.buffer import ATTEMPTS, deliver_waiting, keep
from bpm.shell.configuration import setting
from bpm.shell.messages import Message
from bpm.shell.outgoing import Row
from bpm.shell.reception import give, start_with
from bpm.shell.sql import dialect
from bpm.shell.sql.document import Document, Guard
from bpm.shell.sql.message_work import find_receivers
from bpm.shell.triggered_starts import start_by_subscription


def find_receiver(row: Row) -> int:
    """Deliver a row in the caller's transaction; return 1.

    A message that nobody, or more than one, waits for is buffered. A signal start that is armed no more is dropped.

    Raises:
        ArrivedBefore: the row is not there any more.
        EngineError: the receiver is there, but busy or not able.
    """
    if isinstance(row.content, b.SendMessage):
        _send(row, row.content)
    else:
        assert isinstance(row.content, b.StartBySignal), "everything else has a target"
        _start(row, row.content.subscription, row.content)
    return 1


def _send(row: Row, content: b.SendMessage) -> None:
    message = Message(
        tenant=row.tenant, name=content.name, key=content.key, variables=content.variables, actor="engine"
    )
    looked = False
    for _ in range(ATTEMPTS):
        found = find_receivers(message, 2)
        if found.buffered and not looked:
            looked = True
            deliver_waiting([(row.tenant, content.name)])
            continue
        receivers, way = (found.waiting, give) if found.waiting else (found.starts, start_with)
        if len(receivers) != 1:
            with transaction.atomic():
                _remove(row)
                keep(message, setting("THROWN_MESSAGE_TTL_S") * 1_000)
            return
        if way(message, receivers[0], Arrived(delivered=[row.id])) is not None:
            return
    raise Busy


def _start(row: Row, subscription: Id, content: b.StartBySignal) -> None:
    arrived = Arrived(delivered=[row.id])
    outcome = start_by_subscription(
        subscription, variables=content.variables, actor=content.actor, arrived=arrived
    )
    if outcome is None:
        _remove(row)
    elif isinstance(outcome, Exception):
        raise outcome


def _remove(row: Row) -> None:
    document = Document()
    Arrived(delivered=[row.id]).add_to(document)
    if dialect().write(document, guard=Guard.LOCKED).arrived != 1:
        raise ArrivedBefore
