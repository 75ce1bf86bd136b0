"""The scopes that an activity puts around its work: how they are told apart, opened and closed (semantics §4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from bpm.core import events as e
from bpm.core.graph import Activity, MultiInstance, Node
from bpm.core.ids import Id
from bpm.core.token import Token, Wait

if TYPE_CHECKING:
    from bpm.core.run import Run

ACTIVITY: Final = "activity"
BODY: Final = "multiInstance"
LOOP: Final = "loop"
LAYERS: Final = frozenset({ACTIVITY, BODY, LOOP})


def layer_of(run: Run, node: Node, token: Token) -> str | None:
    """Return the kind of the node's own scope in which the token stands, None outside all of them."""
    scope = run.state.scopes[token.scope]
    return scope.kind if scope.node == node.id and scope.kind in LAYERS else None


def has_job(node: Node, layer: str | None, side: str) -> bool:
    """Return whether a job stands before or after the node, or before or after each instance inside a loop's body."""
    if layer is None:
        return node.before if side == "before" else node.after
    loop = node.loop if isinstance(node, Activity) else None
    if not isinstance(loop, MultiInstance):
        return False
    return loop.before and layer == ACTIVITY if side == "before" else loop.after and layer == BODY


def open_scope(run: Run, kind: str, node: Node, token: Token) -> Id:
    """Open a scope for which a token waits. Emits ScopeEntered, TokenBlocked."""
    scope = run.new_id()
    run.emit(e.ScopeEntered(scope=scope, node=node.id, kind=kind, parent=token.scope, token=token.id))
    run.block(token, Wait.SCOPE)
    return scope


def open_activity(run: Run, node: Node, token: Token, variables: Mapping[str, Any]) -> None:
    """Open the scope of one piece of work, with its loop variables, and let a token begin it."""
    scope = open_scope(run, ACTIVITY, node, token)
    run.set_variables(scope, variables, local=True)
    run.create_token(node.id, scope, "activity", mode=token.mode)


AD_HOC: Final = "adHoc"
"""Kind of the scope inside an ad-hoc subprocess."""
EVENT_SUBPROCESS: Final = "eventSubprocess"
"""Kind of a scope that an event subprocess opened beside the tokens of the scope around it; no token waits for it."""

COMPENSATION: Final = "compensation"
"""Kind of a scope that re-opens a completed one to compensate it; no token waits for it."""
HANDLER: Final = "compensationHandler"
"""Kind of a scope in which a compensation handler works, with the variables of what it compensates; likewise."""
UNDOING: Final = frozenset({COMPENSATION, HANDLER})
BESIDE: Final = frozenset({EVENT_SUBPROCESS, *UNDOING})
"""Kinds of scopes for which no token waits: the scope around them waits by being open."""
