"""What scopes and tokens of a migrated instance wait for (semantics §12).

What is mapped is kept as it is, or armed anew where the plan says so; what is not mapped is taken away; what only the
new version has is armed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bpm.core import events as e
from bpm.core.activities import is_layered
from bpm.core.arming import Owner, arm_boundary, disarm_token, rows_of_scope
from bpm.core.ending import cancel_row
from bpm.core.eventing import EventNode
from bpm.core.faults import holds_boundary
from bpm.core.graph import Activity, Node, NodeId
from bpm.core.ids import Id
from bpm.core.layers import ACTIVITY, EVENT_SUBPROCESS, LAYERS, UNDOING, layer_of
from bpm.core.migration.plan import Mapped
from bpm.core.rows import (
    ExternalStatus,
    InstanceStatus,
    JobStatus,
    Scope,
    ScopeStatus,
    Subscription,
    Timer,
    TimerStatus,
)
from bpm.core.run import Run
from bpm.core.token import Token, TokenStatus, Wait

_BEGUN = frozenset(
    {Wait.USER, Wait.EXTERNAL, Wait.MESSAGE, Wait.CALL, Wait.SCOPE, Wait.BACKOFF, Wait.PROPAGATION}
)


def take_away(run: Run, mapped: Mapped) -> None:
    """Cancel what is waited for at events that are not mapped; the instance is still of the old version."""
    rows: list[Timer | Subscription] = [
        row for row in run.state.timers.values() if row.status is TimerStatus.SCHEDULED
    ]
    rows += [row for row in run.state.subscriptions.values() if row.status == "OPEN"]
    for row in sorted(rows, key=lambda row: row.id, reverse=True):
        if row.node not in mapped:
            cancel_row(run, row, "migration")


def wait_again(run: Run, mapped: Mapped, *, update: bool) -> None:
    """Arm what the new version waits for; `update`: also what is mapped, in its place.

    Raises:
        NodeFailed: what would be waited for cannot be evaluated.
    """
    images = frozenset(mapped.values())
    for row in [row for row in run.state.scopes.values() if row.status is ScopeStatus.ACTIVE]:
        _arm_scope(run, row, images, update=update)
    for token in _live(run):
        _wrap(run, token)
    for token in _live(run):
        _arm_token(run, run.token(token.id), images, update=update)


def _live(run: Run) -> list[Token]:
    live = [token for token in run.state.tokens.values() if not token.final]
    return sorted(live, key=lambda token: token.id)


def _arm_scope(run: Run, row: Scope, images: frozenset[NodeId], *, update: bool) -> None:
    if row.kind in LAYERS:
        if holds_boundary(run, row):
            node = run.graph.nodes[row.node]
            assert isinstance(node, Activity), "only activities have such scopes"
            _arm(run, row.id, node.boundary, images, update=update)
    elif row.kind not in UNDOING:
        inside = run.graph.scopes.get(row.node)
        handlers = inside.handlers if inside is not None else ()
        starts = [start for handler in handlers for start in run.graph.scopes[handler].starts]
        _arm(run, row.id, starts if _goes_on(run, row) else (), images, update=update)


def _goes_on(run: Run, row: Scope) -> bool:
    """Return whether event subprocesses can still begin in a scope: it was not interrupted and is not completing."""
    if not row.live_tokens:
        return False
    inner = [
        one for one in run.state.scopes.values() if one.parent == row.id and one.kind == EVENT_SUBPROCESS
    ]
    starts = [
        run.graph.nodes[start]
        for one in inner
        if one.status is ScopeStatus.ACTIVE
        for start in run.graph.scopes[one.node].starts
    ]
    return not any(getattr(start, "interrupting", False) for start in starts)


def _arm(run: Run, scope: Id, wanted: Sequence[NodeId], images: frozenset[NodeId], *, update: bool) -> None:
    had = {row.node for row in rows_of_scope(run, scope)}
    for name in wanted:
        node = run.graph.nodes[name]
        if name in had and update:
            _cancel(run, (row for row in rows_of_scope(run, scope) if row.node == name))
        if (name in had and update) or name not in images:
            run.element(node).arm(run, node, Owner(None, scope, name))


def _cancel(run: Run, rows: Iterable[Timer | Subscription]) -> None:
    for row in list(rows):
        cancel_row(run, row, "migration")


# tokens


def _arm_token(run: Run, token: Token, images: frozenset[NodeId], *, update: bool) -> None:
    """Wait anew at a catching event, and behind an event-based gateway for what is new there."""
    node: Any = run.graph.nodes[token.node]
    status = TokenStatus(token.resumes_as) if token.resumes_as else token.status
    if status is not TokenStatus.WAITING or not (node.tag == "eventBasedGateway" or _catches(node, token)):
        return
    targets = [run.graph.nodes[run.graph.flows[flow].target] for flow in node.outgoing]
    waited = targets if node.tag == "eventBasedGateway" else [node]
    if update:
        disarm_token(run, token.id, "migration")
    for target in waited:
        if update or target.id not in images:
            run.element(target).arm(run, target, Owner(token.id, token.scope, target.id))


def _catches(node: Node, token: Token) -> bool:
    return node.tag == "receiveTask" or (isinstance(node, EventNode) and node.tag == "intermediateCatchEvent")


def _wrap(run: Run, token: Token) -> None:
    """Put a scope of its own around what goes on at an activity that works in one now and did not before.

    Its input mappings are not evaluated any more, its output mappings will be. The token goes on inside, another one
    waits for it: TokenCreated, TokenArrived, ScopeEntered, TokenBlocked, TokenMoved, ScopeMoved.
    """
    node = run.graph.nodes[token.node]
    if not isinstance(node, Activity) or not is_layered(node) or layer_of(run, node, token) is not None:
        return
    if node.loop is not None or not _has_begun(run, token) or _has_layer(run, token):
        return
    outer = run.create_waiting(
        node.id,
        token.scope,
        "migration",
        flow=token.flow,
        groups=token.groups,
        parallel_group=token.parallel_group,
        mode=token.mode,
    )
    scope = run.new_id()
    run.emit(e.ScopeEntered(scope=scope, node=node.id, kind=ACTIVITY, parent=token.scope, token=outer))
    run.block(run.token(outer), Wait.SCOPE)
    run.emit(e.TokenMoved(token=token.id, node=node.id, scope=scope))
    for row in [row for row in run.state.scopes.values() if row.outer_token == token.id]:
        if row.status is ScopeStatus.ACTIVE:
            run.emit(e.ScopeMoved(scope=row.id, node=row.node, parent=scope))
    if run.state.instance.status is InstanceStatus.SUSPENDED:
        run.emit(e.TokenSuspended(token=outer, node=node.id))
    arm_boundary(run, node, scope)


def _has_layer(run: Run, token: Token) -> bool:
    """Return whether a scope of the activity's own is around its work already."""
    return any(
        row.outer_token == token.id and row.kind in LAYERS and row.status is ScopeStatus.ACTIVE
        for row in run.state.scopes.values()
    )


def _has_begun(run: Run, token: Token) -> bool:
    """Return whether the activity's work is under way, and not only a job before it."""
    status = TokenStatus(token.resumes_as) if token.resumes_as else token.status
    if status is TokenStatus.WAITING:
        return token.wait in _BEGUN
    if status is TokenStatus.EXECUTING:
        return True
    jobs = run.state.jobs.values()
    handled = any(
        job.token == token.id and job.kind == "handler" and job.status in (JobStatus.READY, JobStatus.FAILED)
        for job in jobs
    )
    tasks = run.state.external_tasks.values()
    return handled or any(task.token == token.id and task.status is ExternalStatus.FAILED for task in tasks)
