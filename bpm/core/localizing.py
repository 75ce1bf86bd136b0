"""Giving a waiting activity a scope of its own, for local variables that somebody sets (semantics §1, §9)."""

from __future__ import annotations

from bpm.core import events as e
from bpm.core.errors import Invalid
from bpm.core.graph import Activity
from bpm.core.ids import Id
from bpm.core.layers import ACTIVITY, layer_of, open_scope
from bpm.core.rows import UserStatus
from bpm.core.run import Run
from bpm.core.token import Token, TokenStatus, Wait


def local_scope(run: Run, token: Token) -> Id:
    """Return the activity's own scope around what the token waits for; opened now where it has none.

    Then emits TokenResumed, ScopeEntered, TokenBlocked for the token, and for a new token inside, which takes the user
    task over, TokenCreated, TokenArrived, TokenBlocked, UserTaskMoved.

    Raises:
        Invalid: the token does not wait at an activity, or for something that cannot be taken over.
    """
    node = run.graph.nodes[token.node]
    if layer_of(run, node, token) == ACTIVITY:
        return token.scope
    task = _task_of(run, token)
    if not isinstance(node, Activity) or task is None or token.status is not TokenStatus.WAITING:
        raise Invalid(f"{token.node} has no scope of its own for local variables.", token=token.id)
    run.emit(e.TokenResumed(token=token.id, node=node.id))
    scope = open_scope(run, ACTIVITY, node, run.token(token.id))
    inner = run.create_waiting(node.id, scope, "activity", mode=token.mode)
    run.emit(e.TokenBlocked(token=inner, node=node.id, wait=Wait.USER))
    run.emit(e.UserTaskMoved(task=task, token=inner, node=node.id))
    return scope


def _task_of(run: Run, token: Token) -> Id | None:
    rows = run.state.user_tasks.values()
    return next((row.id for row in rows if row.token == token.id and row.status is UserStatus.OPEN), None)
