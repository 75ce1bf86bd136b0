"""Sessions of a replay: who looks at which instance, and at which event. The state is folded when it is asked for."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from django.db.models import QuerySet

from bpm.core.errors import ReplayNotFound, TooLarge
from bpm.core.ids import Id, IdSource, is_id
from bpm.models import ProcessInstance, ReplaySession
from bpm.shell.database_clock import database_now

LASTS: Final = timedelta(hours=1)
"""How long a session lasts after it was last used."""

MAX_SESSIONS: Final = 100
"""Sessions that one principal may have at a time."""


class Session(NamedTuple):
    """A session as it stands.

    Attributes:
        cursor: sequence of the event as of which the state is looked at, -1 before the first.
        last: sequence of the instance's newest event now.
    """

    id: Id
    instance: Id
    cursor: int
    last: int
    expires_at: datetime


def open_session(instance: Id, cursor: int, last: int, *, tenant: str, principal: str) -> Session:
    """Begin a session; the caller has found the instance in its tenant. Statements: 2, PostgreSQL 1 more.

    Raises:
        TooLarge: the principal has 100 sessions.
    """
    now = database_now()
    mine = ReplaySession.objects.filter(tenant=tenant, principal=principal, expires_at__gt=now)
    if mine.count() >= MAX_SESSIONS:
        raise TooLarge("Too many replay sessions are open; close some.", limit=MAX_SESSIONS)
    row = ReplaySession.objects.create(
        id=IdSource(now, secrets.randbits(42)).next(),
        tenant=tenant,
        principal=principal,
        instance=instance,
        cursor=cursor,
        expires_at=now + LASTS,
    )
    return Session(str(row.id), instance, cursor, last, row.expires_at)


def find_session(session: Id, *, tenant: str, principal: str) -> Session:
    """Return a session of this principal. Statements: 2, PostgreSQL 1 more.

    Raises:
        ReplayNotFound: there is none of this id, it is somebody else's, or it has expired, or its instance is gone.
    """
    row = _mine(session, tenant, principal).first()
    newest = ProcessInstance.objects.filter(id=row.instance, tenant=tenant) if row else None
    last = newest.values_list("last_sequence", flat=True).first() if newest is not None else None
    if row is None or last is None:
        raise ReplayNotFound(id=session[:100])
    return Session(str(row.id), str(row.instance), row.cursor, last, row.expires_at)


def move_session(found: Session, cursor: int) -> Session:
    """Let a session look at another event, and last from now on. Statements: 1, PostgreSQL 2."""
    expires_at = database_now() + LASTS
    ReplaySession.objects.filter(id=found.id).update(cursor=cursor, expires_at=expires_at)
    return found._replace(cursor=cursor, expires_at=expires_at)


def close_session(session: Id, *, tenant: str, principal: str) -> None:
    """End a session. Statements: 1, PostgreSQL 2.

    Raises:
        ReplayNotFound.
    """
    deleted, _ = _mine(session, tenant, principal).delete()
    if not deleted:
        raise ReplayNotFound(id=session[:100])


def drop_expired(now: datetime) -> int:
    """Remove sessions whose time is over; return how many. Statements: 1."""
    deleted, _ = ReplaySession.objects.filter(expires_at__lt=now).delete()
    return deleted


def _mine(session: Id, tenant: str, principal: str) -> QuerySet[ReplaySession]:
    if not is_id(session):
        raise ReplayNotFound(id=session[:100])
    rows = ReplaySession.objects.filter(id=session, tenant=tenant, principal=principal)
    return rows.filter(expires_at__gt=database_now())
