"""Freezing what is broken, erasing personal data, and sessions of a replay."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from bpm.core import errors
from bpm.engine.answers import Answer, answer_once, identifier
from bpm.shell import erasure, replay_sessions
from bpm.shell.freezing import freeze as freeze_instance
from bpm.shell.idempotency import Idempotency


def freeze(instance_id: str, evidence: str, *, actor: str = "engine") -> bool:
    """Suspend an instance of which an invariant does not hold, with an incident; an operator's release ends it.

    The engine does this by itself for what its commands and its sweep find. A project that carries commands out in its
    own transaction calls it after that has been rolled back.

    Returns:
        Whether it could be written; the log says why not.

    Raises:
        InstanceNotFound: the text is no id.
    """
    return freeze_instance(identifier(instance_id, errors.InstanceNotFound), evidence, actor=actor)


def erase_personal_data(
    instance_id: str,
    *,
    variables: Collection[str] | None = None,
    reason: str = "",
    tenant: str | None = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Empty values and free text in an instance's history, and in the rows of one that has ended.

    Of an instance that has not ended only what is no longer current is erased. Digests and hashes stay, so the history
    can still be verified; an event says what was erased.

    Args:
        variables: only values of variables with these names.
        tenant: None: any.

    Returns:
        `instance_id`, `erased_events`, `erased_values` (of rows).

    Raises:
        InstanceNotFound.
    """
    wanted = identifier(instance_id, errors.InstanceNotFound)

    def produce() -> Answer:
        done = erasure.erase(wanted, tenant=tenant, variables=variables, reason=reason, actor=actor)
        return {"instance_id": wanted, "erased_events": done.events, "erased_values": done.values}

    return answer_once(key, tenant or "", produce)


def open_replay(
    instance_id: str, cursor: int, last: int, *, tenant: str, principal: str, key: Idempotency | None = None
) -> Answer:
    """Begin a replay session of an instance that the caller has found. Raises: TooLarge."""
    wanted = identifier(instance_id, errors.InstanceNotFound)
    opened = partial(replay_sessions.open_session, wanted, cursor, last, tenant=tenant, principal=principal)
    return answer_once(key, tenant, lambda: _answer(opened()))


def find_replay(session_id: str, *, tenant: str, principal: str) -> Answer:
    """Return a session of this principal. Raises: ReplayNotFound."""
    return _answer(replay_sessions.find_session(session_id, tenant=tenant, principal=principal))


def seek_replay(
    session_id: str, cursor: int, *, tenant: str, principal: str, key: Idempotency | None = None
) -> Answer:
    """Let a session look at the event of a sequence, -1 before the first.

    Raises:
        ReplayNotFound.
        Invalid: there is no such event.
    """

    def produce() -> Answer:
        found = replay_sessions.find_session(session_id, tenant=tenant, principal=principal)
        if not -1 <= cursor <= found.last:
            raise errors.Invalid(f"The events of this instance are 0 to {found.last}.", cursor=cursor)
        return _answer(replay_sessions.move_session(found, cursor))

    return answer_once(key, tenant, produce)


def step_replay(
    session_id: str, events: int = 1, *, tenant: str, principal: str, key: Idempotency | None = None
) -> Answer:
    """Let a session go on by events, back by a negative number; it stops at the first and at the newest one.

    Raises: ReplayNotFound.
    """

    def produce() -> Answer:
        found = replay_sessions.find_session(session_id, tenant=tenant, principal=principal)
        moved = max(-1, min(found.last, found.cursor + events))
        return _answer(replay_sessions.move_session(found, moved))

    return answer_once(key, tenant, produce)


def close_replay(session_id: str, *, tenant: str, principal: str, key: Idempotency | None = None) -> None:
    """End a session. Raises: ReplayNotFound."""

    def produce() -> Answer:
        replay_sessions.close_session(session_id, tenant=tenant, principal=principal)
        return {}

    answer_once(key, tenant, produce)


def _answer(session: replay_sessions.Session) -> Answer:
    return {
        "session_id": session.id,
        "instance_id": session.instance,
        "cursor": session.cursor,
        "last_sequence": session.last,
        "expires_at": session.expires_at.isoformat(),
    }


__all__ = [
    "close_replay",
    "erase_personal_data",
    "find_replay",
    "freeze",
    "open_replay",
    "seek_replay",
    "step_replay",
]
