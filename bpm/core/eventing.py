"""What events share wherever they stand: several definitions at one event, waiting, throwing (semantics §7)."""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.arming import Owner
from bpm.core.graph import Node
from bpm.core.reading import Armed
from bpm.core.rows import Subscription, Timer, TimerStatus
from bpm.core.run import Run
from bpm.core.token import Token, Wait
from bpm.core.triggers.registry import TRIGGERS


@dataclass(frozen=True, slots=True, kw_only=True)
class EventNode(Node):
    """An event.

    Attributes:
        triggers: its event definitions; a catching one waits for any of them, a throwing one throws all.
        parallel: a catching one waits for all of them (`parallelMultiple`).
    """

    triggers: tuple[Armed, ...] = ()
    parallel: bool = False


def arm_all(run: Run, node: EventNode, owner: Owner) -> None:
    """Arm every definition of a catching event."""
    for number, (tag, definition) in enumerate(node.triggers):
        TRIGGERS[tag].arm(run, node, owner, definition, number)


def throw_all(run: Run, node: EventNode, token: Token) -> bool:
    """Throw every definition, compensation last, as it is waited for; return whether the token still goes on."""
    ordered = sorted(node.triggers, key=lambda armed: TRIGGERS[armed[0]].wait is Wait.COMPENSATION)
    return all(TRIGGERS[tag].throw(run, node, token, definition) for tag, definition in ordered)


def wait_of(node: EventNode) -> Wait:
    """Return what a token at a catching event waits for."""
    waits = {TRIGGERS[tag].wait for tag, _ in node.triggers}
    return waits.pop() if len(waits) == 1 else Wait.EVENTS


def still_waits(run: Run, node: EventNode, owner: Owner) -> bool:
    """Return whether a parallel multiple event waits for more, one of its rows having been closed."""
    if not node.parallel:
        return False
    rows: list[Timer | Subscription] = [
        row for row in run.state.timers.values() if row.status is TimerStatus.SCHEDULED
    ]
    rows += [row for row in run.state.subscriptions.values() if row.status == "OPEN"]
    return any(row.node == node.id and row.token == owner.token and row.scope == owner.scope for row in rows)


def names_of(node: EventNode) -> frozenset[str] | None:
    """Return the variables that arming or throwing its definitions may read."""
    names: frozenset[str] = frozenset()
    for tag, definition in node.triggers:
        read = TRIGGERS[tag].reads(definition)
        if read is None:
            return None
        names |= read
    return names
