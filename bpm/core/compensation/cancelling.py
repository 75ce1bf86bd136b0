"""Cancelling a transaction: what goes on in it ends, what was done is compensated, then it is left (semantics §8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bpm.core.arming import disarm_handlers
from bpm.core.compensation.running import throw
from bpm.core.ending import end_inside, end_scope
from bpm.core.faults import holds_boundary
from bpm.core.graph import Activity, Node
from bpm.core.layers import ACTIVITY, LAYERS
from bpm.core.rows import Scope
from bpm.core.token import Token

if TYPE_CHECKING:
    from bpm.core.run import Run

CANCEL: Final = "cancelEventDefinition"


def cancel(run: Run, node: Node, token: Token) -> None:
    """Cancel the transaction around a token, which waits at its event until all is compensated."""
    end_inside(run, token.scope, "cancelled", spare=token.id)
    disarm_handlers(run, token.scope)
    if throw(run, node, run.token(token.id), None, waits=True):
        leave_transaction(run, token)


def leave_transaction(run: Run, token: Token) -> None:
    """Leave the transaction that a token has cancelled: by its cancel boundary event, else the path ends."""
    row = run.state.scopes[token.scope]
    if not leave_cancelled(run, row):
        abandon(run, row, "cancelled")


def leave_cancelled(run: Run, row: Scope) -> bool:
    """Go on at the cancel boundary event of a subprocess, which ends it; return whether it has one."""
    around = row
    while around.parent is not None:
        around = run.state.scopes[around.parent]
        if around.node != row.node or around.kind not in LAYERS:
            return False
        if holds_boundary(run, around):
            break
    node = run.graph.nodes[row.node]
    assert isinstance(node, Activity), "only a subprocess is cancelled"
    for name in node.boundary:
        event: Any = run.graph.nodes[name]
        if any(tag == CANCEL for tag, _ in event.triggers):
            run.element(event).caught(run, event, around.id)
            return True
    return False


def abandon(run: Run, row: Scope, reason: str) -> None:
    """End a subprocess and the token that waited for it; an instance of a loop counts as done."""
    end_scope(run, row.id, reason)
    assert row.outer_token is not None, "a token waits for a subprocess"
    outer = run.token(row.outer_token)
    around = run.state.scopes[outer.scope]
    if around.node == row.node and around.kind == ACTIVITY:
        abandon(run, around, reason)
    elif around.node == row.node and around.kind in LAYERS:
        run.wake(outer)
    else:
        run.end(outer, reason)
