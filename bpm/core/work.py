"""Handing work out to workers, and the delays between attempts (semantics §5)."""

from __future__ import annotations

from datetime import datetime

from bpm.core import events as e
from bpm.core.failure import NodeFailed
from bpm.core.graph import Node
from bpm.core.run import Run
from bpm.core.timing import TimingSyntaxError, parse_duration
from bpm.core.token import Token, Wait


def offer_to_workers(run: Run, token: Token, *, topic: str, priority: int, retries: int) -> None:
    """Create an external task and let the token wait. Emits ExternalTaskCreated, TokenBlocked."""
    run.emit(
        e.ExternalTaskCreated(
            task=run.new_id(),
            token=token.id,
            node=token.node,
            topic=topic,
            priority=priority,
            retries=retries,
        )
    )
    run.block(token, Wait.EXTERNAL)


def retry_delay(node: Node, failures: int, now: datetime) -> datetime:
    """Return when the attempt after that many failures may begin, by the node's delays.

    Args:
        failures: 1 after the first failure; the last delay serves all later ones.

    Raises:
        NodeFailed: a delay is no duration (only where it was computed).
    """
    if not node.job_delays:
        return now
    text = node.job_delays[min(failures, len(node.job_delays)) - 1]
    try:
        return parse_duration(text).add_to(now)
    except TimingSyntaxError as error:
        raise NodeFailed("TimerInvalid", str(error)) from None
