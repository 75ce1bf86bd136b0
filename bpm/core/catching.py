"""Where a token goes on whose event has come: where it waits, or behind the event-based gateway (semantics §3)."""

from __future__ import annotations

from bpm.core import events as e
from bpm.core.graph import Node
from bpm.core.phases import AFTER, CAUGHT
from bpm.core.run import Run
from bpm.core.token import Token


def go_on_at(run: Run, node: Node, token: Token) -> None:
    """Let a token leave the node that caught something.

    Emits TokenResumed; for a token that waits at an event-based gateway before the node also TokenCompleted and
    TokenArrived at the node, whose work is done by that.
    """
    if token.node == node.id:
        run.wake(token)
        return
    flow = next(flow for flow in node.incoming if run.graph.flows[flow].source == token.node)
    run.emit(e.TokenResumed(token=token.id, node=token.node, phase=AFTER))
    run.emit(e.TokenCompleted(token=token.id, node=token.node))
    run.emit(e.TokenArrived(token=token.id, node=node.id, flow=flow, phase=CAUGHT))
    run.enqueue(token.id)
