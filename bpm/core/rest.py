"""What happens when all tokens of a command have come to rest: joins that can fire now, scopes that are done.

Order within one round: inclusive joins and merges, scope by scope; then scopes without a live token; until nothing
changes. At last the instance's own status (semantics §1, §3, §4).
"""

from __future__ import annotations

from bpm.core import events as e
from bpm.core.ids import Id
from bpm.core.inclusive import fire_inclusive
from bpm.core.merging import merge_groups
from bpm.core.rows import InstanceStatus, ScopeStatus
from bpm.core.run import Run


def come_to_rest(run: Run) -> None:
    """Move everything that can move, then settle joins, scopes and the instance's status."""
    while run.busy or run.moved:
        run.settle()
        moved = [scope for scope in run.moved if run.state.scopes[scope].status is ScopeStatus.ACTIVE]
        run.moved.clear()
        for scope in moved:
            _settle_joins(run, scope)
        if run.busy:
            run.moved.update(dict.fromkeys(moved))
        else:
            for scope in moved:
                _complete(run, scope)
    _settle_status(run)


def _settle_joins(run: Run, scope: Id) -> None:
    open_joins = run.state.scopes[scope].open_joins
    for name in list(open_joins):
        if run.graph.nodes[name].joins == "inclusive":
            fire_inclusive(run, scope)
            break
    if not run.busy and any(count > 1 for count in open_joins.values()):
        merge_groups(run, scope)


def _complete(run: Run, scope: Id) -> None:
    row = run.state.scopes[scope]
    if row.status is not ScopeStatus.ACTIVE or row.live_tokens or row.live_scopes:
        return
    run.emit(e.ScopeCompleted(scope=scope, node=row.node))
    if row.outer_token is not None:
        run.wake(run.token(row.outer_token))
    elif row.parent is not None:
        run.moved[row.parent] = None
    else:
        run.emit(e.InstanceCompleted())


def _settle_status(run: Run) -> None:
    instance = run.state.instance
    if instance.status is InstanceStatus.RUNNING and instance.stuck:
        run.emit(e.InstanceFailed())
    elif instance.status is InstanceStatus.FAILED and not instance.stuck:
        run.emit(e.InstanceRecovered())
