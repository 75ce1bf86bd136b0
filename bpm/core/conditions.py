"""Conditional events: asked after variables changed, for the changed scope and all below (semantics §7)."""

from __future__ import annotations

from bpm.core.arming import Owner
from bpm.core.errors import Suspended
from bpm.core.event_mappings import inputs_at, seeing
from bpm.core.expressions import Expression
from bpm.core.failure import NodeFailed
from bpm.core.ids import Id
from bpm.core.rows import InstanceStatus, Subscription
from bpm.core.run import Run
from bpm.core.triggering import trigger
from bpm.core.triggers.conditional import Condition, condition_of


def ask_conditions(run: Run) -> None:
    """Trigger the conditional events that variables set since the last call have made true.

    Looks at all open subscriptions of the instance, so it needs the whole instance; only called for with changes while
    some condition is waited for. In document order; one that an earlier one interrupted is not asked any more.

    Raises:
        Suspended: one of a suspended instance is true.
    """
    if not run.changed and not run.opened:
        return
    changed, run.changed = run.changed, []
    opened, run.opened = run.opened, []
    if not run.state.instance.conditions:
        return
    run.state.require_everything("a condition is waited for")
    waiting = [
        row for row in run.state.subscriptions.values() if row.kind == "condition" and row.status == "OPEN"
    ]
    for row in sorted(waiting, key=lambda row: (run.graph.nodes[row.node].order, row.id)):
        if run.state.subscriptions[row.id].status != "OPEN":
            continue
        condition = condition_of(run.graph.nodes[row.node], int(row.name))
        concerned = row.id in opened or _concerned(run, row, condition, changed)
        if concerned and is_true(run, row, condition.expression):
            if run.state.instance.status is InstanceStatus.SUSPENDED:
                raise Suspended("A conditional event would be triggered.", node=row.node)
            trigger(run, row, {})


def _concerned(run: Run, row: Subscription, condition: Condition, changed: list[tuple[Id, str, str]]) -> bool:
    around = {scope.id for scope in run.state.chain(row.scope)}
    return any(
        scope in around
        and (condition.variable is None or condition.variable == name)
        and (not condition.events or what in condition.events)
        for scope, name, what in changed
    )


def is_true(run: Run, row: Subscription, expression: Expression) -> bool:
    """Return whether a condition holds; one that cannot be evaluated does not (a variable may be missing yet)."""
    owner, node = Owner(row.token, row.scope, row.node), run.graph.nodes[row.node]
    try:
        with seeing(run, node, inputs_at(run, node, owner)):
            return run.truth(expression, owner)
    except NodeFailed:
        return False
