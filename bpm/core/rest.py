"""What happens when all tokens of a command have come to rest: joins that can fire now, scopes that are done.

Order within one round: tokens move, conditions are asked after each node that set variables; then inclusive joins and
merges, scope by scope; then scopes without a live token; until nothing changes. At last the instance's own status
(semantics §1, §3, §4, §7).
"""

from __future__ import annotations

from bpm.core import events as e
from bpm.core.arming import disarm, disarm_handlers
from bpm.core.between import CompleteCall
from bpm.core.compensation import saga
from bpm.core.compensation.records import record_completed
from bpm.core.completing import scope_done
from bpm.core.conditions import ask_conditions
from bpm.core.ids import Id
from bpm.core.inclusive import fire_inclusive
from bpm.core.layers import AD_HOC, BODY
from bpm.core.loops import gather_results
from bpm.core.merging import merge_groups
from bpm.core.opening import tell_end
from bpm.core.rows import InstanceStatus, ScopeStatus
from bpm.core.run import Run


def come_to_rest(run: Run) -> None:
    """Move everything that can move, then settle joins, scopes and the instance's status."""
    while True:
        ask_conditions(run)
        while run.move_one():
            ask_conditions(run)
        moved = [scope for scope in run.moved if run.state.scopes[scope].status is ScopeStatus.ACTIVE]
        run.moved.clear()
        for scope in moved:
            _settle_joins(run, scope)
        if run.busy:
            run.moved.update(dict.fromkeys(moved))
            continue
        for scope in moved:
            _complete(run, scope)
        if run.settled:
            break
    _settle_status(run)


def _settle_joins(run: Run, scope: Id) -> None:
    if run.state.instance.status is InstanceStatus.SUSPENDED:
        return
    open_joins = run.state.scopes[scope].open_joins
    if any(run.graph.nodes[name].joins in ("inclusive", "complex") for name in open_joins):
        fire_inclusive(run, scope)
    if any(count > 1 for count in open_joins.values()) and not run.busy:
        merge_groups(run, scope)


def _complete(run: Run, scope: Id) -> None:
    row = run.state.scopes[scope]
    if row.status is not ScopeStatus.ACTIVE or row.live_tokens:
        return
    if row.kind == AD_HOC:
        node = run.graph.nodes[row.node]
        if run.element(node).emptied(run, node, row):
            return
    if row.live_scopes:
        disarm_handlers(run, scope)
        return
    if row.closing in saga.COMPENSATING:
        saga.complete(run, row)
        if row.parent is not None:
            return
    if row.kind == BODY:
        gather_results(run, row)
    tell_end(run, row)
    disarm(run, scope, "completed")
    run.emit(e.ScopeCompleted(scope=scope, node=row.node))
    record_completed(run, row)
    if row.parent is None:
        run.emit(e.InstanceCompleted())
        _tell_caller(run)
    else:
        scope_done(run, row)


def _tell_caller(run: Run) -> None:
    instance = run.state.instance
    if instance.parent_instance is not None:
        content = CompleteCall(token=instance.parent_token or "", called=instance.id)
        run.send(instance.parent_instance, content)


def _settle_status(run: Run) -> None:
    instance = run.state.instance
    if instance.stuck:
        if instance.status is InstanceStatus.RUNNING:
            run.emit(e.InstanceFailed())
    elif instance.status is InstanceStatus.FAILED:
        run.emit(e.InstanceRecovered())
