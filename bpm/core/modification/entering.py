"""Entering the scopes between one that is there and the place where something starts (semantics §12).

Mappings are evaluated, boundary events and event subprocesses armed, as when the model's own ways led there; but no
start event begins. An interrupting event subprocess ends what goes on around it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bpm.core import activities
from bpm.core import events as e
from bpm.core.arming import arm_boundary, arm_handlers, disarm_handlers
from bpm.core.ending import end_inside
from bpm.core.errors import Invalid
from bpm.core.failure import NodeFailed
from bpm.core.graph import Activity, Node, StandardLoop
from bpm.core.ids import Id
from bpm.core.layers import ACTIVITY, EVENT_SUBPROCESS, LOOP, open_scope
from bpm.core.modification.instances import one_more, open_body
from bpm.core.modification.levels import Base, Level
from bpm.core.run import Run
from bpm.core.token import Token


def enter_levels(run: Run, base: Base, variables: Mapping[str, Any], reason: str) -> tuple[Id, bool]:
    """Enter what is missing; return the innermost scope, and whether there was anything to enter.

    Args:
        variables: set in the outermost scope that is entered.

    Raises:
        Invalid: a mapping, or what a scope would wait for, cannot be evaluated.
    """
    scope = base.scope
    left = dict(variables)
    for level in base.missing:
        node = run.graph.nodes[level.node]
        try:
            scope = _enter(run, level, node, scope, left, reason)
        except NodeFailed as failure:
            message = f"{node.id} cannot be entered: {failure.message}"
            raise Invalid(message, node=node.id, incident=failure.kind) from None
        left = {}
    return scope, bool(base.missing)


def _enter(run: Run, level: Level, node: Node, scope: Id, variables: Mapping[str, Any], reason: str) -> Id:
    if getattr(node, "triggered", False):
        inner = open_event_subprocess(run, node, scope)
        run.set_variables(inner, variables, local=True)
        return inner
    assert isinstance(node, Activity), "only activities have scopes"
    if level.body:
        body = open_body(run, node, run.token(run.create_waiting(node.id, scope, reason)))
        run.set_variables(body, variables, local=True)
        return body
    work = work_token(run, node, scope, variables, reason)
    inner = run.element(node).open(run, node, work)
    if work.scope == scope:
        run.set_variables(inner, variables, local=True)
    return inner


def work_token(run: Run, node: Activity, scope: Id, variables: Mapping[str, Any], reason: str) -> Token:
    """Return a token with which the activity's own work begins, inside the scopes that stand around it.

    Args:
        scope: the scope around the activity, or its multi-instance body.
        variables: set in the outermost scope that is opened; in none where the activity has no scope of its own.

    Raises:
        NodeFailed: a mapping, or what a boundary event waits for, cannot be evaluated.
    """
    row = run.state.scopes[scope]
    if row.node == node.id:
        token = run.token(one_more(run, node, scope))
        run.set_variables(token.scope, variables, local=True)
    else:
        token = run.token(run.create_waiting(node.id, scope, reason))
        if not activities.is_layered(node):
            return token
        if isinstance(node.loop, StandardLoop):
            token = _first_turn(run, node, token)
        token = _own_scope(run, node, token, variables)
    activities.begin(run, node, token)
    return run.token(token.id)


def _first_turn(run: Run, node: Activity, token: Token) -> Token:
    body = open_scope(run, LOOP, node, token)
    arm_boundary(run, node, body)
    run.set_variables(body, {"loopCounter": 0}, local=True)
    return run.token(run.create_waiting(node.id, body, "loop"))


def _own_scope(run: Run, node: Activity, token: Token, variables: Mapping[str, Any]) -> Token:
    scope = open_scope(run, ACTIVITY, node, token)
    run.set_variables(scope, variables, local=True)
    return run.token(run.create_waiting(node.id, scope, "activity"))


def open_event_subprocess(run: Run, node: Node, scope: Id) -> Id:
    """Open an event subprocess beside what goes on in the scope, or instead of it."""
    starts = [run.graph.nodes[start] for start in run.graph.scopes[node.id].starts]
    if any(getattr(start, "interrupting", False) for start in starts):
        end_inside(run, scope, "interrupted")
        disarm_handlers(run, scope)
    inner = run.new_id()
    run.emit(e.ScopeEntered(scope=inner, node=node.id, kind=EVENT_SUBPROCESS, parent=scope, token=None))
    arm_handlers(run, inner)
    return inner
