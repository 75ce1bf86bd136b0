"""What events share wherever they stand: several definitions at one event, waiting, throwing (semantics §7)."""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.arming import Owner
from bpm.core.event_mappings import inputs_at, seeing
from bpm.core.failure import NodeFailed
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
    """Arm every definition of a catching event; its inputs are seen by them."""
    with seeing(run, node, inputs_at(run, node, owner) if node.inputs else {}):
        for number, (tag, definition) in enumerate(node.triggers):
            TRIGGERS[tag].arm(run, node, owner, definition, number)


def throw_all(run: Run, node: EventNode, token: Token) -> bool:
    """Throw every definition, compensation last, as it is waited for; return whether the token still goes on."""
    ordered = sorted(node.triggers, key=lambda armed: TRIGGERS[armed[0]].wait is Wait.COMPENSATION)
    with seeing(run, node, inputs_at(run, node, token) if node.inputs else {}):
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


def wait_again(run: Run, node: EventNode, owner: Owner) -> None:
    """Wait anew for all definitions of a parallel multiple event that interrupts nothing, each having come.

    Not where one of them comes only once, a point in time. A condition that is still true does not come again by that.
    What cannot be evaluated is an incident, and the event does not come any more.
    """
    if not node.parallel or any(getattr(one, "kind", "") in ("date", "duration") for _, one in node.triggers):
        return
    opened, mark, length = list(run.opened), run.state.mark(), len(run.events)
    try:
        arm_all(run, node, owner)
    except NodeFailed as failure:
        run.state.rollback(mark)
        del run.events[length:]
        run.open_incident(failure.kind, failure.message, node.id, None)
    run.opened = opened


def names_of(node: EventNode) -> frozenset[str] | None:
    """Return the variables that arming or throwing its definitions may read."""
    names: frozenset[str] = frozenset()
    for tag, definition in node.triggers:
        read = TRIGGERS[tag].reads(definition)
        if read is None:
            return None
        names |= read
    return names
