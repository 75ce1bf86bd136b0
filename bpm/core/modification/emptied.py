"""Removing what the instructions have left without a token (semantics §12)."""

from __future__ import annotations

from bpm.core import events as e
from bpm.core.ending import end_scope
from bpm.core.modification.cancelling import REASON, end_activity, end_beside
from bpm.core.rows import Scope, ScopeStatus
from bpm.core.run import Run


def remove_emptied(run: Run) -> bool:
    """End every scope in which nothing is left, with the activity whose scope it is; return whether anything lives.

    Emits ScopeTerminated and TokenTerminated for each, and for the process's own scope InstanceCancelled. A token that
    waited for compensation, of which nothing is left either, ends too.
    """
    while True:
        empty = [row for row in run.state.scopes.values() if _is_empty(row)]
        if not empty:
            return True
        for row in empty:
            if row.parent is None:
                end_scope(run, row.id, REASON)
                run.emit(e.InstanceCancelled(reason=REASON))
                return False
            _remove(run, row)


def _is_empty(row: Scope) -> bool:
    return row.status is ScopeStatus.ACTIVE and not row.live_tokens and not row.live_scopes


def _remove(run: Run, row: Scope) -> None:
    if row.outer_token is not None:
        end_activity(run, run.token(row.outer_token))
    else:
        end_beside(run, row)
