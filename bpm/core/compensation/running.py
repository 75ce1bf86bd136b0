"""Compensation at work: what a throw reaches, in which order it is undone, what happens when it is done (semantics §8).

Each triggered record is compensated in a scope of its own, opened beside the tokens of the scope that holds it:

    compensationHandler   the activity's handler works in it, with the snapshot of the activity's variables
    compensation          a completed scope is re-opened with its snapshot: its compensation event subprocess runs,
                          or what was recorded inside it is compensated in turn

A record is done when its scope completes. Then those that waited for it start, and when none is left the token that
threw goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bpm.core import events as e
from bpm.core.compensation.order import may_start
from bpm.core.compensation.records import (
    UNFINISHED,
    discard,
    newest_first,
    open_records,
    opened_for,
    unfinished,
)
from bpm.core.graph import Activity, Node, NodeId
from bpm.core.ids import Id
from bpm.core.layers import COMPENSATION, EVENT_SUBPROCESS, HANDLER
from bpm.core.lookup import own_variables
from bpm.core.opening import arm_scope, fail_unarmed, first_phase
from bpm.core.rows import CompensationRecord, CompensationStatus, Scope
from bpm.core.token import Token, TokenStatus, Wait
from bpm.core.values import is_hidden

if TYPE_CHECKING:
    from bpm.core.run import Run

MODE = "compensation"
"""Mode of tokens that compensate."""

_S = CompensationStatus


def throw(run: Run, node: Node, token: Token, activity: NodeId | None, *, waits: bool) -> bool:
    """Compensate one activity, or all of the scope around the token; return whether the token goes on at once.

    Emits CompensationThrown, CompensationTriggered …, and TokenBlocked where the token waits.
    """
    run.state.require_everything(f"compensation is thrown at {node.id}")
    records = _reached(run, token.scope, activity)
    group = run.new_id()
    run.emit(e.CompensationThrown(token=token.id, node=node.id, throw=group, activity=activity, waits=waits))
    if not records:
        return True
    if waits:
        run.block(token, Wait.COMPENSATION)
    trigger(run, records, group, token.id if waits else None)
    return not waits


def _reached(run: Run, scope: Id, activity: NodeId | None) -> list[CompensationRecord]:
    """Return what a throw in a scope reaches: its own records; inside an event subprocess also those around it."""
    scopes: list[Id] = []
    for row in run.state.chain(scope):
        scopes += [row.id, *_reopened(run, row)]
        if row.kind not in (EVENT_SUBPROCESS, HANDLER):
            break
    records = open_records(run.state, *scopes)
    return [record for record in records if activity in (None, record.node)]


def _reopened(run: Run, row: Scope) -> list[Id]:
    """Return the completed scopes that a compensating scope stands for."""
    if row.kind != COMPENSATION:
        return []
    return [record.inner for record in opened_for(run.state, row.id) if record.inner is not None]


def trigger(run: Run, records: list[CompensationRecord], group: Id, waiter: Id | None) -> None:
    """Begin to compensate records, given the newest first. Emits CompensationTriggered for each, then starts."""
    targets = _targets(run)
    for record in records:
        run.emit(
            e.CompensationTriggered(
                record=record.id,
                node=record.node,
                throw=group,
                waiter=waiter,
                target=targets.get(record.scope, record.scope),
            )
        )
    _start_free(run, group)


def _targets(run: Run) -> dict[Id, Id]:
    """Return completed scopes with the active ones that were opened for them."""
    return {
        record.inner: record.opened
        for record in run.state.compensations.values()
        if record.status is _S.RUNNING and record.inner is not None and record.opened is not None
    }


def _start_free(run: Run, group: Id) -> None:
    """Start the triggered records of a group that no unfinished one holds back, the newest first."""
    rows = run.state.compensations.values()
    if not any(record.throw == group and record.status is _S.TRIGGERED for record in rows):
        return
    left = [record for record in unfinished(run.state) if record.throw == group]
    bodies = {record.inner: record.node for record in rows if record.inner}
    for record in left:
        instances = bodies.get(record.scope) == record.node
        if record.status is _S.TRIGGERED and may_start(run.graph, record, left, instances=instances):
            _start(run, record)


def _start(run: Run, record: CompensationRecord) -> None:
    """Open the scope in which a record is compensated, and begin there."""
    assert record.target is not None, "a triggered record has a target"
    handler: Any = run.graph.nodes[record.handler] if record.handler is not None else None
    undone = handler is not None and handler.for_compensation
    scope = run.new_id()
    kind = HANDLER if undone else COMPENSATION
    run.emit(e.ScopeEntered(scope=scope, node=record.node, kind=kind, parent=record.target))
    run.emit(e.CompensationStarted(record=record.id, node=record.node, opened=scope))
    run.moved[scope] = None
    _restore(run, record, scope)
    if undone:
        run.create_token(handler.id, scope, MODE, mode=MODE)
        return
    inside = open_records(run.state, record.inner or "")
    if len(inside) == 1 and _is_work_of(run, inside[0], record):
        (record,) = inside
        _join_in(run, record, scope)
        inside = open_records(run.state, record.inner or "")
    if record.handler is not None:
        _run_event_subprocess(run, record.handler, scope)
    elif inside:
        trigger(run, inside, run.new_id(), None)


def _restore(run: Run, record: CompensationRecord, scope: Id) -> None:
    """Give the scope the variables that the activity's own scope had when it completed."""
    own = own_variables(run.state, record.inner) if record.inner is not None else {}
    snapshot = {name: value for name, value in own.items() if not is_hidden(name)}
    run.set_variables(scope, snapshot, local=True)


def _is_work_of(run: Run, record: CompensationRecord, outer: CompensationRecord) -> bool:
    """Return whether a record is that of the work inside an activity's own scope, both being one piece of work."""
    if record.node != outer.node:
        return False
    node = run.graph.nodes[outer.node]
    assert isinstance(node, Activity), "only activities are recorded"
    instance = any(
        one.inner == outer.scope and one.node == outer.node for one in run.state.compensations.values()
    )
    return node.loop is None or instance


def _join_in(run: Run, record: CompensationRecord, scope: Id) -> None:
    """Compensate a record in the scope that is open for the one around it."""
    run.emit(
        e.CompensationTriggered(
            record=record.id, node=record.node, throw=run.new_id(), waiter=None, target=scope
        )
    )
    run.emit(e.CompensationStarted(record=record.id, node=record.node, opened=scope))
    _restore(run, record, scope)


def _run_event_subprocess(run: Run, handler: NodeId, scope: Id) -> None:
    inner = run.new_id()
    run.emit(e.ScopeEntered(scope=inner, node=handler, kind=EVENT_SUBPROCESS, parent=scope))
    failure = arm_scope(run, inner)
    for start in run.graph.scopes[handler].starts:
        phase = first_phase(run.graph, handler)
        fail_unarmed(run, run.create_token(start, inner, MODE, mode=MODE, phase=phase), failure)


def scope_done(run: Run, row: Scope) -> None:
    """Go on after a compensating scope has completed. Emits CompensationCompleted, what follows, TokenResumed …."""
    run.state.require_everything(f"compensation of {row.node} is done")
    done = newest_first(opened_for(run.state, row.id))
    left_over = {record.scope for record in run.state.compensations.values() if record.status is _S.OPEN}
    for scope in (row.id, *(record.inner for record in done)):
        if scope in left_over:
            discard(run, scope, "compensated")
    for record in done:
        run.emit(e.CompensationCompleted(record=record.id, node=record.node))
    if row.parent is not None:
        run.moved[row.parent] = None
    for record in done:
        if record.throw is not None:
            _start_free(run, record.throw)
            _go_on(run, record.throw, record.waiter)


def give_up(run: Run, row: Scope, reason: str) -> list[Token]:
    """Discard what is compensated in a scope that somebody ends; return the tokens that now wait for nothing.

    Emits CompensationDiscarded; what waited for it starts.
    """
    given_up = newest_first(opened_for(run.state, row.id))
    for record in given_up:
        run.emit(e.CompensationDiscarded(record=record.id, node=record.node, reason=reason))
        if record.inner is not None:
            discard(run, record.inner, reason)
    stranded: list[Token] = []
    for record in given_up:
        if record.throw is None:
            continue
        _start_free(run, record.throw)
        token = run.state.tokens.get(record.waiter or "")
        left = any(other.throw == record.throw for other in unfinished(run.state))
        if token is not None and token.wait is Wait.COMPENSATION and not token.final and not left:
            stranded.append(token)
    return stranded


def _go_on(run: Run, group: Id, waiter: Id | None) -> None:
    """Let the token that threw go on, if it still waits and nothing is left to be waited for."""
    token = run.state.tokens.get(waiter or "")
    if token is None or token.status is not TokenStatus.WAITING or token.wait is not Wait.COMPENSATION:
        return
    rows = run.state.compensations.values()
    if not any(record.throw == group and record.status in UNFINISHED for record in rows):
        node = run.graph.nodes[token.node]
        run.element(node).compensated(run, node, token)
