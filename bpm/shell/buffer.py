"""Messages that wait for somebody who waits for them (semantics §7).

A buffered message goes to the first subscription that fits, of an instance or of a definition, the oldest message
first. Sender and receiver both look again after their own commit; the loops look at the rest.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from threading import local
from typing import Final

from django.db import transaction

from bpm.core.errors import Busy
from bpm.core.ids import NIL, Id, IdSource
from bpm.core.values import to_text
from bpm.models import MessageBuffer
from bpm.shell.arrivals import Arrived, ArrivedBefore
from bpm.shell.database_clock import database_now
from bpm.shell.messages import Message
from bpm.shell.reception import give, start_with
from bpm.shell.sql.message_work import Buffered, buffered_after, buffered_for, drop_expired, find_receivers
from bpm.shell.sweeps import Swept, is_unreachable

MAX_AT_ONCE: Final = 200
ATTEMPTS: Final = 5
SET_ASIDE_S: Final = 60.0

_log = logging.getLogger(__name__)


class _Place(local):
    """How far the loop of this thread has looked, and which messages failed until when (monotonic seconds)."""

    def __init__(self) -> None:
        self.seen: Id = NIL
        self.aside: dict[Id, float] = {}


_place = _Place()


def keep(message: Message, ttl_ms: int, message_id: str | None = None) -> datetime:
    """Put a message into the buffer; return until when it waits. It is looked at again after the commit.

    A message id that is there already keeps its first message.
    """
    now = database_now()
    expires_at = now + timedelta(milliseconds=ttl_ms)
    MessageBuffer.objects.bulk_create(
        [
            MessageBuffer(
                id=IdSource(now, secrets.randbits(42)).next(),
                tenant=message.tenant,
                name=message.name or "",
                message_id=message_id,
                correlation=message.correlation_text(),
                payload=to_text(dict(message.variables)),
                created_at=now,
                expires_at=expires_at,
            )
        ],
        ignore_conflicts=True,
    )
    transaction.on_commit(partial(deliver_waiting, [(message.tenant, message.name or "")]), robust=True)
    return expires_at


def deliver_waiting(waits: Sequence[tuple[str, str]]) -> int:
    """Deliver what is buffered for these tenants and names, the oldest first; return how many.

    Statements: 1 where nothing is buffered.
    """
    return sum(_deliver(one) for one in buffered_for(waits, MAX_AT_ONCE))


def match_buffered(limit: int) -> Swept:
    """Look at the next `limit` buffered messages whether somebody waits for them, and drop those whose time is over.

    Each call goes on behind the one before, so that messages nobody waits for keep none from its turn.
    """
    drop_expired()
    found = buffered_after(_place.seen, limit)
    _place.seen = found[-1].id if len(found) == limit else NIL
    present = time.monotonic()
    _place.aside = {message: until for message, until in _place.aside.items() if until > present}
    due = [one for one in found if one.awaited and one.id not in _place.aside]
    return Swept(len(due), [one.id for one in due if _deliver(one)])


def _deliver(one: Buffered) -> bool:
    """Deliver one message if exactly one receiver is there for it now."""
    try:
        for _ in range(ATTEMPTS):
            done = _attempt(one)
            if done is not None:
                return done
    except (ArrivedBefore, Busy):
        return False
    except Exception as error:
        # One message that cannot be delivered must not keep the others.
        if is_unreachable(error):
            raise
        _place.aside[one.id] = time.monotonic() + SET_ASIDE_S
        _log.error("buffered message %s failed", one.id, exc_info=error)
    return False


def _attempt(one: Buffered) -> bool | None:
    """Return whether the message was delivered, None where who was found is gone."""
    found = find_receivers(one.message, 2)
    arrived = Arrived(unbuffered=[one.id])
    receivers, way = (found.waiting, give) if found.waiting else (found.starts, start_with)
    if len(receivers) != 1:
        return False
    return True if way(one.message, receivers[0], arrived) is not None else None
