"""Compensation records: written when an activity completes, kept or discarded with its scope (semantics §8).

A record stands in the scope in which its activity completed. When that scope completes itself and has such records, or
can be compensated as a whole, it leaves one record in the scope around it, which points to it: so what lies deeper is
reached from further out, level by level. Nothing is copied: the variables of a completed scope do not change any more,
they are the snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from bpm.core import events as e
from bpm.core.graph import Activity, Graph, Node, NodeId
from bpm.core.ids import Id
from bpm.core.layers import ACTIVITY, BODY, EVENT_SUBPROCESS, LOOP, UNDOING
from bpm.core.rows import CompensationRecord, CompensationStatus, Scope
from bpm.core.state import State
from bpm.core.token import Token

if TYPE_CHECKING:
    from bpm.core.run import Run

_S = CompensationStatus
UNFINISHED = frozenset({_S.TRIGGERED, _S.RUNNING})


def record_left(run: Run, node: Node, token: Token) -> None:
    """Record an activity that is left and had no scope of its own, if it has a handler."""
    if not isinstance(node, Activity) or node.compensation is None or node.layered:
        return
    if node.id not in run.graph.scopes:
        _record(run, token.scope, node.id, node.compensation, None)


def record_completed(run: Run, row: Scope) -> None:
    """Record what a scope that has just completed leaves for compensation, in the scope around it."""
    if row.parent is None or row.kind in UNDOING:
        return
    handler = _handler(run.graph, row)
    if handler is not None or row.compensable:
        _record(run, row.parent, row.node, handler, row.id)


def _handler(graph: Graph, row: Scope) -> NodeId | None:
    """Return what compensates the activity whose scope this is, None where that is another scope's affair."""
    node = graph.nodes[row.node]
    assert isinstance(node, Activity), "only activities have scopes"
    if row.kind in (BODY, LOOP):
        return None
    if row.kind == EVENT_SUBPROCESS:
        return graph.scopes[node.id].compensation
    if row.kind == ACTIVITY:
        return node.compensation
    if node.compensation is not None:
        return None if node.layered else node.compensation
    return graph.scopes[node.id].compensation


def _record(run: Run, scope: Id, node: NodeId, handler: NodeId | None, inner: Id | None) -> None:
    record = run.new_id()
    run.emit(e.CompensationRecorded(record=record, node=node, scope=scope, handler=handler, inner=inner))


# when scopes end otherwise


def keep(run: Run, row: Scope) -> None:
    """Let what an unfinished scope has done be compensated from outside, before it is ended."""
    if row.parent is not None and row.compensable and row.kind not in UNDOING:
        _record(run, row.parent, row.node, None, row.id)


def discard(run: Run, scope: Id, reason: str) -> None:
    """Discard the records of a scope that ends, with all that is inside them. Emits CompensationDiscarded."""
    for record in open_records(run.state, scope):
        run.emit(e.CompensationDiscarded(record=record.id, node=record.node, reason=reason))
        if record.inner is not None:
            discard(run, record.inner, reason)


def stop(run: Run, target: Id, reason: str, *, anew: bool) -> None:
    """Give up what is being compensated in a scope whose tokens are ended. Emits CompensationDiscarded.

    Args:
        anew: it can be compensated once more. Emits CompensationRecorded.
    """
    for record in unfinished(run.state):
        if record.target == target:
            run.emit(e.CompensationDiscarded(record=record.id, node=record.node, reason=reason))
            if anew:
                run.emit(
                    e.CompensationRecorded(
                        record=run.new_id(),
                        node=record.node,
                        scope=record.scope,
                        handler=record.handler,
                        inner=record.inner,
                        position=record.position,
                    )
                )
            elif record.inner is not None:
                discard(run, record.inner, reason)


# finding


def open_records(state: State, *scopes: Id) -> list[CompensationRecord]:
    """Return the records of scopes that nobody has triggered yet, the newest first."""
    rows = (row for row in state.compensations.values() if row.status is _S.OPEN and row.scope in scopes)
    return newest_first(rows)


def unfinished(state: State) -> list[CompensationRecord]:
    """Return the records that are being compensated or will be, the newest first."""
    return newest_first(row for row in state.compensations.values() if row.status in UNFINISHED)


def newest_first(rows: Iterable[CompensationRecord]) -> list[CompensationRecord]:
    """Return records in reverse order of completion."""
    return sorted(rows, key=lambda row: (row.position, row.id), reverse=True)


def opened_for(state: State, scope: Id) -> Iterator[CompensationRecord]:
    """Yield the records for which a scope was opened: one, or also the one that lies directly inside it."""
    return (row for row in state.compensations.values() if row.opened == scope)
