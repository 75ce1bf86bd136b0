"""What was waited for has come: closes the row and tells the element (semantics §6, §7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bpm.core import events as e
from bpm.core.event_mappings import hand_on, stays_local
from bpm.core.failure import NodeFailed
from bpm.core.layers import layer_of
from bpm.core.rows import Subscription, Timer
from bpm.core.run import Run
from bpm.core.token import TokenStatus
from bpm.core.triggers.timer import reschedule


def trigger(run: Run, row: Timer | Subscription, variables: Mapping[str, Any]) -> None:
    """Close the row (or keep it, where it waits for the next one) and hand on to its node.

    Emits TimerFired or SubscriptionTriggered, then VariableSet for what came along.
    """
    node = run.graph.nodes[row.node]
    together = getattr(node, "parallel", False)
    remains = row.token is None and not together and not run.element(node).interrupts(node)
    if isinstance(row, Timer):
        run.emit(e.TimerFired(timer=row.id, token=row.token, node=row.node))
        if remains:
            reschedule(run, row)
    else:
        run.emit(
            e.SubscriptionTriggered(subscription=row.id, token=row.token, node=row.node, remains=remains)
        )
    local = stays_local(node, variables)
    run.set_variables(row.scope, {name: value for name, value in variables.items() if name not in local})
    begun = len(run.events)
    if row.token is None:
        run.element(node).caught(run, node, row.scope)
        hand_on(run, node, row.scope, local, begun)
        return
    token = run.token(row.token)
    if local and layer_of(run, node, token) is not None:
        run.set_variables(row.scope, local, local=True)
    elif local:
        run.brought[token.id] = local
    try:
        run.element(node).triggered(run, node, token)
    except NodeFailed as failure:
        if run.token(token.id).status is TokenStatus.WAITING:
            run.fail(run.token(token.id), failure)
