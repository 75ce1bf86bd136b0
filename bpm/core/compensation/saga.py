"""Saga mode: a token that fails for good makes its process or subprocess compensate itself (semantics §8).

Everything that goes on in the scope ends; what was done in it is compensated, also in inner scopes that did not
complete. `global` does that in the whole process, `local` in the subprocess that says so. Then the scope is left: a
process ends; a subprocess goes on at its cancel boundary event, else where an error with the failure's kind as its code
is caught outside; failing that the saga around it takes over, and without one the path ends here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bpm.core import events as e
from bpm.core.arming import disarm_handlers
from bpm.core.compensation.cancelling import abandon, leave_cancelled
from bpm.core.compensation.records import open_records
from bpm.core.compensation.running import MODE, trigger
from bpm.core.ending import end_inside, end_scope
from bpm.core.failure import NodeFailed
from bpm.core.faults import ERROR, find_catcher, throw_error
from bpm.core.ids import Id
from bpm.core.layers import LAYERS
from bpm.core.rows import Scope
from bpm.core.token import Token

if TYPE_CHECKING:
    from bpm.core.run import Run

LOCAL: Final = "local"
GLOBAL: Final = "global"
COMPENSATING: Final = frozenset({"saga", "sagaFailed"})
"""Values of `Scope.closing` while a saga compensates."""


def begin(run: Run, token: Token, failure: NodeFailed) -> bool:
    """Compensate instead of opening an incident, if the token is in a saga; return whether that is so.

    Emits TokenFailed, SagaStarted, SagaReasonNoted, then the ends of all that goes on and what compensation does.
    """
    if token.mode == MODE:
        _note_failed_handler(run, token)
        return False
    row = _scope_of_saga(run, token.scope)
    if row is None:
        return False
    run.state.require_everything(f"a saga compensates {row.node}")
    run.emit(e.TokenFailed(token=token.id, node=token.node, phase=token.phase))
    saga = {"scope": row.id, "node": row.node}
    run.emit(e.SagaStarted(**saga, token=token.id, failed=token.node, kind=failure.kind))
    run.emit(e.SagaReasonNoted(**saga, message=failure.message))
    end_inside(run, row.id, "saga", compensate=True)
    disarm_handlers(run, row.id)
    run.moved[row.id] = None
    trigger(run, open_records(run.state, row.id), run.new_id(), None)
    return True


def _scope_of_saga(run: Run, scope: Id) -> Scope | None:
    """Return the scope that the nearest saga around compensates; None without one, or while it compensates already."""
    for row in run.state.chain(scope):
        mode = _mode(run, row)
        if mode is not None:
            found = run.state.scopes[run.state.instance.id] if mode == GLOBAL else row
            return None if found.closing in COMPENSATING else found
    return None


def _mode(run: Run, row: Scope) -> str | None:
    if row.parent is None:
        mode: str | None = run.graph.extras.get("saga")
        return mode
    if row.kind in LAYERS:
        return None
    node: Any = run.graph.nodes[row.node]
    return getattr(node, "saga", None)


def _note_failed_handler(run: Run, token: Token) -> None:
    for row in run.state.chain(token.scope):
        if row.closing == "saga":
            run.emit(e.SagaFailed(scope=row.id, node=row.node))
            return


def complete(run: Run, row: Scope) -> None:
    """Leave a subprocess in which everything has been compensated; its scope is empty. Emits SagaCompleted."""
    run.emit(e.SagaCompleted(scope=row.id, node=row.node))
    if row.outer_token is None or leave_cancelled(run, row):
        return
    outer = run.token(row.outer_token)
    if find_catcher(run, outer.scope, ERROR, row.cause) is not None:
        throw_error(run, outer, row.cause)
        return
    if _scope_of_saga(run, outer.scope) is not None:
        end_scope(run, row.id, "saga")
        begin(run, outer, NodeFailed(row.cause, f"{row.node} has been compensated."))
        return
    abandon(run, row, "saga")
