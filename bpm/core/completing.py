"""What goes on when an inner scope is done: the token that waited for it, or the loop around it (semantics §4).

An instance of a multi-instance activity may throw an event as it completes, as the activity's behaviour says.
"""

from __future__ import annotations

from bpm.core.compensation.running import scope_done as compensated
from bpm.core.ending import end_inside
from bpm.core.graph import Activity, MultiInstance, StandardLoop
from bpm.core.layers import UNDOING
from bpm.core.loops import again, begin_instance, item_name, own_count, own_variable, turn
from bpm.core.rows import Scope
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.triggers.registry import TRIGGERS


def scope_done(run: Run, row: Scope) -> None:
    """Go on after an inner scope has completed: whatever waited for it."""
    if row.kind in UNDOING:
        compensated(run, row)
    elif row.outer_token is not None:
        run.wake(run.token(row.outer_token))
    elif row.parent is not None:
        run.moved[row.parent] = None


def instance_done(run: Run, node: Activity, token: Token) -> None:
    """One instance's activity scope has completed: count, ask the completion condition, begin the next one.

    Raises:
        NodeFailed: a condition cannot be evaluated.
    """
    if isinstance(node.loop, StandardLoop):
        _turn_done(run, node, node.loop, token)
    elif isinstance(node.loop, MultiInstance):
        _multi_done(run, node, node.loop, token)


def _turn_done(run: Run, node: Activity, loop: StandardLoop, token: Token) -> None:
    done = own_count(run, token.scope, "loopCounter") + 1
    if again(run, loop, token, done):
        turn(run, node, token.scope, token.mode, done)
    run.end(run.token(token.id), "end")


def _multi_done(run: Run, node: Activity, loop: MultiInstance, token: Token) -> None:
    body = token.scope
    completed = own_count(run, body, "nrOfCompletedInstances") + 1
    count = own_count(run, body, "nrOfInstances")
    more = loop.sequential and completed < count
    active = 1 if more else max(own_count(run, body, "nrOfActiveInstances") - 1, 0)
    counts = {"nrOfCompletedInstances": completed, "nrOfActiveInstances": active}
    run.set_variables(body, counts, local=True)
    if not _behave(run, loop, node, token, completed):
        return
    if loop.completion is not None and run.truth(loop.completion, token):
        end_inside(run, body, "completionCondition", spare=token.id)
    elif more:
        item = own_variable(run, body, item_name(completed)) if loop.collection is not None else None
        begin_instance(run, node, loop, body, token.mode, completed, item)
    run.end(run.token(token.id), "end")


def _behave(run: Run, loop: MultiInstance, node: Activity, token: Token, completed: int) -> bool:
    """Throw what the behaviour wants thrown now; return whether the instance is still there after that."""
    if loop.behavior == "One" and completed > 1:
        return True
    for condition, (tag, definition) in loop.events:
        if condition is None or run.truth(condition, token):
            TRIGGERS[tag].throw(run, node, token, definition)
            if run.token(token.id).final:
                return False
    return True
