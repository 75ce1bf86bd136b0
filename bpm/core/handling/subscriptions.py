"""What comes from outside for those who wait: messages, signals, and going on at a receive task (semantics §7)."""

from __future__ import annotations

from typing import Any

from bpm.core import commands as c
from bpm.core.errors import SubscriptionNotFound
from bpm.core.handling.guards import require_alive
from bpm.core.run import Run
from bpm.core.token import TokenStatus, Wait
from bpm.core.triggering import trigger


def trigger_message(run: Run, command: c.TriggerMessage) -> dict[str, Any]:
    """Emit SubscriptionTriggered, VariableSet …; then what it leads to. Answers `node`.

    Raises:
        SubscriptionNotFound: it does not wait for a message any more.
        InstanceEnded, Suspended.
    """
    require_alive(run)
    row = run.state.subscriptions.get(command.subscription)
    if row is None or row.status != "OPEN" or row.kind != "message":
        raise SubscriptionNotFound(subscription=command.subscription)
    trigger(run, row, command.variables)
    return {"node": row.node}


def trigger_signal(run: Run, command: c.TriggerSignal) -> dict[str, Any]:
    """Trigger the subscriptions that are still open, in order of creation. Answers `triggered`."""
    require_alive(run)
    triggered = []
    for subscription in sorted(command.subscriptions):
        row = run.state.subscriptions.get(subscription)
        if row is not None and row.status == "OPEN" and row.kind == "signal":
            trigger(run, row, command.variables)
            triggered.append(row.id)
    return {"triggered": triggered}


def continue_receive_task(run: Run, command: c.ContinueReceiveTask) -> dict[str, Any]:
    """Let the token leave; the message is waited for no more.

    Raises:
        SubscriptionNotFound: it does not wait at a receive task.
        InstanceEnded, Suspended.
    """
    require_alive(run)
    token = run.state.tokens.get(command.token)
    node = run.graph.nodes[token.node] if token is not None else None
    waits = token is not None and token.status is TokenStatus.WAITING and token.wait is Wait.MESSAGE
    if token is None or node is None or node.tag != "receiveTask" or not waits:
        raise SubscriptionNotFound(token=command.token)
    run.keep_result(token, command.variables)
    run.element(node).triggered(run, node, token)
    return {"node": node.id}
