"""Adding instances to a multi-instance body, and taking them away (semantics §4, §12)."""

from __future__ import annotations

from typing import Any

from bpm.core.arming import arm_boundary
from bpm.core.errors import Conflict
from bpm.core.graph import Activity, MultiInstance
from bpm.core.ids import Id
from bpm.core.layers import ACTIVITY, BODY, open_scope
from bpm.core.loops import item_name, own_count, own_variable
from bpm.core.run import Run
from bpm.core.token import Token


def open_body(run: Run, node: Activity, token: Token) -> Id:
    """Open a body without an instance yet. Emits ScopeEntered, TokenBlocked, VariableSet …."""
    body = open_scope(run, BODY, node, token)
    counts = {"nrOfInstances": 0, "nrOfCompletedInstances": 0, "nrOfActiveInstances": 0}
    run.set_variables(body, counts, local=True)
    arm_boundary(run, node, body)
    return body


def one_more(run: Run, node: Activity, body: Id) -> Id:
    """Add an instance to a body and return the token of its work, which has not begun.

    In sequential order it takes the place of the one that was taken away, with its item if it had one.

    Raises:
        Conflict: in sequential order there is one already.
    """
    loop = node.loop
    assert isinstance(loop, MultiInstance), "only multi-instance activities have such a body"
    count = own_count(run, body, "nrOfInstances")
    number, active = count, own_count(run, body, "nrOfActiveInstances") + 1
    if loop.sequential:
        if run.state.scopes[body].live_tokens:
            raise Conflict(f"The instances of {node.id} run one after another, and one runs.", scope=body)
        number, active = own_count(run, body, "nrOfCompletedInstances"), 1
    run.set_variables(
        body, {"nrOfInstances": max(count, number + 1), "nrOfActiveInstances": active}, local=True
    )
    variables: dict[str, Any] = {"loopCounter": number}
    if loop.collection is not None and loop.element:
        known = loop.sequential and run.state.variable(body, item_name(number)) is not None
        variables[loop.element] = own_variable(run, body, item_name(number)) if known else None
    token = run.create_waiting(node.id, body, "multiInstance")
    scope = open_scope(run, ACTIVITY, node, run.token(token))
    run.set_variables(scope, variables, local=True)
    return run.create_waiting(node.id, scope, "activity")


def one_less(run: Run, body: Id) -> None:
    """An instance was taken away."""
    active = own_count(run, body, "nrOfActiveInstances") - 1
    run.set_variables(body, {"nrOfActiveInstances": max(active, 0)}, local=True)
