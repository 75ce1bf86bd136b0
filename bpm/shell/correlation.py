"""Correlating a message: exactly one receiver, unless it is for everybody (semantics §7)."""

from __future__ import annotations

from typing import Any, Final

from bpm.core.errors import Busy, Invalid, MessageAmbiguous, MessageUnmatched, TooLarge
from bpm.shell.buffer import deliver_waiting, keep
from bpm.shell.execute import execute_many
from bpm.shell.messages import Message
from bpm.shell.outcome import Done
from bpm.shell.reception import GONE, give, start_with, trigger
from bpm.shell.sql.message_work import Receivers, Waiting, find_receivers

ATTEMPTS: Final = 10
MOST: Final = 10_000
"""Receivers of one message that is for everybody."""
BATCH: Final = 50


def send(
    message: Message, *, everybody: bool = False, ttl_ms: int | None = None, message_id: str | None = None
) -> dict[str, Any]:
    """Give a message to whom it is for.

    A waiting subscription is preferred to a start. Messages of the same name that are buffered go first.

    Args:
        everybody: every match gets it, none is enough.
        ttl_ms: without a match it waits that long for the first one.

    Returns:
        `outcome` (`triggered started buffered none`), `receivers`, `expires_at` of a buffered one, and of a message for
        everybody the instances that were `missed`, because they were busy or could not take it.

    Raises:
        Invalid: nothing says who is meant.
        MessageAmbiguous: more than one receiver.
        MessageUnmatched: none, and no time to live.
        TooLarge: more than 10,000 receivers of a message for everybody; none has got it.
        Busy: the receiver stayed locked, or vanished again and again.
    """
    _check(message, ttl_ms)
    looked = False
    for _ in range(ATTEMPTS):
        found = find_receivers(message, MOST + 1 if everybody else 2)
        if found.buffered and not looked:
            looked = True
            deliver_waiting([(message.tenant, message.name or "")])
            continue
        if everybody and max(len(found.waiting), len(found.starts)) > MOST:
            raise TooLarge(
                f"More than {MOST:,} wait for this message; say more exactly who is meant.", limit=MOST
            )
        if everybody and (ttl_ms is None or found.waiting or found.starts):
            return _to_everybody(message, found)
        receivers = _to_one(message, found)
        if receivers is not None:
            return _answer(receivers) if receivers else _keep(message, ttl_ms, message_id)
    raise Busy


def _check(message: Message, ttl_ms: int | None) -> None:
    named = message.business_key is not None or message.instance is not None or message.keys
    if message.name is None and not named:
        raise Invalid("A message needs a name, or something that says for whom it is.")
    if message.name is None and ttl_ms is not None:
        raise Invalid("Only a message with a name can wait.")
    if message.start_only and not message.starts:
        raise Invalid("A message that only starts has a name, and neither keys nor an instance.")


def _to_one(message: Message, found: Receivers) -> list[dict[str, Any]] | None:
    """Return the receiver, nothing where there is none; None where it vanished."""
    receivers, way = (found.waiting, give) if found.waiting else (found.starts, start_with)
    if len(receivers) > 1:
        raise MessageAmbiguous(message=message.name)
    if not receivers:
        return []
    done = way(message, receivers[0])
    if done is None:
        return None
    return [_receiver(done, receivers[0], started=way is start_with)]


def _to_everybody(message: Message, found: Receivers) -> dict[str, Any]:
    """Give it to each in a command of its own; who has vanished meanwhile gets none."""
    receivers, missed = [], []
    for place in range(0, len(found.waiting), BATCH):
        part = found.waiting[place : place + BATCH]
        for one, outcome in zip(part, execute_many([trigger(message, one) for one in part]), strict=True):
            if isinstance(outcome, Done):
                receivers.append(_receiver(outcome, one, started=False))
            elif not isinstance(outcome, GONE):
                missed.append(one.owner)
    for one in found.starts:
        done = start_with(message, one)
        if done is not None:
            receivers.append(_receiver(done, one, started=True))
    return {**_answer(receivers), "missed": missed}


def _keep(message: Message, ttl_ms: int | None, message_id: str | None) -> dict[str, Any]:
    if ttl_ms is None:
        raise MessageUnmatched(message=message.name)
    expires_at = keep(message, ttl_ms, message_id)
    return {**_answer([]), "outcome": "buffered", "expires_at": expires_at.isoformat()}


def _answer(receivers: list[dict[str, Any]]) -> dict[str, Any]:
    outcome = "none"
    if receivers:
        outcome = "started" if all(one["started"] for one in receivers) else "triggered"
    return {"outcome": outcome, "receivers": receivers, "expires_at": None, "missed": []}


def _receiver(done: Done, receiver: Waiting, *, started: bool) -> dict[str, Any]:
    return {
        "instance_id": done.instance_id,
        "process_def_id": done.process_def_id,
        "definition_id": done.definition_id,
        "business_key": done.business_key,
        "status": done.status,
        "node_id": receiver.node,
        "started": started,
    }
