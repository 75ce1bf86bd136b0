"""Suspending an instance, and letting it go on (semantics §1, §2)."""

from __future__ import annotations

from typing import Any

from bpm.core import events as e
from bpm.core import operations as o
from bpm.core.ending import open_rows
from bpm.core.errors import Suspended, TooLarge
from bpm.core.handling.freezing import resolve_violations
from bpm.core.handling.guards import require_not_ended
from bpm.core.handling.jobs import apply_kept
from bpm.core.migration.carrying import fire_full
from bpm.core.rows import InstanceStatus, JobStatus
from bpm.core.run import Run
from bpm.core.token import Token, TokenStatus

_SUSPENDABLE = frozenset({TokenStatus.READY, TokenStatus.WAITING, TokenStatus.FAILED})


def suspend(run: Run, command: o.SuspendInstance) -> dict[str, Any]:
    """Emit TokenSuspended for every live token that the table allows, then InstanceSuspended.

    A handler that is at work goes on with it; what it reports is kept. Called instances are suspended after the commit.
    Nothing happens to an instance that is suspended already.

    Raises:
        InstanceEnded.
        TooLarge: more rows than one command may change.
    """
    require_not_ended(run)
    if run.state.instance.status is InstanceStatus.SUSPENDED:
        return {}
    tokens = _live_tokens(run)
    for token in tokens:
        if token.status in _SUSPENDABLE:
            run.emit(e.TokenSuspended(token=token.id, node=token.node))
    run.emit(e.InstanceSuspended(reason=command.because))
    for token in tokens:
        if token.called is not None:
            run.send(token.called, o.SuspendInstance(because=o.CALLER))
    return {}


def activate(run: Run, command: o.ActivateInstance) -> dict[str, Any]:
    """Emit TokenActivated for every suspended token, then InstanceActivated; kept results of jobs are applied.

    Nothing happens to an instance that is not suspended. Releasing one that was frozen resolves the incidents that came
    with that, also where it has ended.

    Raises:
        InstanceEnded.
        Suspended: the engine has frozen the instance, and the command does not release it.
        TooLarge: more rows than one command may change.
    """
    instance = run.state.instance
    if instance.ended and command.release and resolve_violations(run):
        return {}
    require_not_ended(run)
    if instance.status is not InstanceStatus.SUSPENDED:
        return {}
    if instance.suspended_because == o.INVARIANT and not command.release:
        if command.by_caller:
            return {}
        raise Suspended("The engine has frozen this instance; say that you release it.", instance=instance.id)
    resolve_violations(run)
    tokens = _live_tokens(run)
    for token in tokens:
        if token.status is TokenStatus.SUSPENDED:
            run.emit(e.TokenActivated(token=token.id, node=token.node))
    status = InstanceStatus.FAILED if instance.stuck else InstanceStatus.RUNNING
    run.emit(e.InstanceActivated(status=status.value))
    for token in tokens:
        if token.called is not None:
            run.send(token.called, o.ActivateInstance(by_caller=True))
    # A migration may have changed what a join waits for.
    fire_full(run)
    run.moved.update(dict.fromkeys(row.id for row in run.state.scopes.values() if row.open_joins))
    _apply_kept(run)
    return {}


def _apply_kept(run: Run) -> None:
    rows = run.state.jobs.values()
    kept = [row.id for row in rows if row.kept is not None and row.status is JobStatus.RUNNING]
    for job in sorted(kept):
        # One of them may have interrupted another one.
        if run.state.jobs[job].status is JobStatus.RUNNING:
            apply_kept(run, run.state.jobs[job])


def _live_tokens(run: Run) -> list[Token]:
    run.state.require_everything("all tokens change")
    live = [token for token in run.state.tokens.values() if not token.final]
    rows = len(live) + sum(map(len, open_rows(run.state).values()))
    if rows > run.context.limits.interrupted:
        raise TooLarge(limit=run.context.limits.interrupted, rows=rows)
    return sorted(live, key=lambda token: token.id)
