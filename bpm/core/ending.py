"""Ending what is still alive: what a token waits for, the inside of a scope, the whole instance (semantics §4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import TYPE_CHECKING

from bpm.core import events as e
from bpm.core.compensation.records import discard, keep, stop
from bpm.core.errors import TooLarge
from bpm.core.ids import Id
from bpm.core.rows import (
    ExternalStatus,
    ExternalTask,
    Incident,
    Job,
    JobStatus,
    JoinStatus,
    Scope,
    ScopeStatus,
    Subscription,
    Timer,
    TimerStatus,
    UserStatus,
    UserTask,
)
from bpm.core.state import State
from bpm.core.token import Token

if TYPE_CHECKING:
    from bpm.core.run import Run

Held = ExternalTask | UserTask | Timer | Job | Subscription | Incident
_OPEN_EXTERNAL = frozenset({ExternalStatus.READY, ExternalStatus.LOCKED, ExternalStatus.FAILED})
_OPEN_JOB = frozenset({JobStatus.READY, JobStatus.RUNNING, JobStatus.FAILED})


def open_rows(state: State) -> dict[Id | None, list[Held]]:
    """Return token (or scope, where that waits itself) to what is open there, newest first.

    Tasks, timers, jobs, subscriptions and incidents.
    """
    held: dict[Id | None, list[Held]] = defaultdict(list)
    rows: Iterable[Held] = chain[Held](
        (task for task in state.external_tasks.values() if task.status in _OPEN_EXTERNAL),
        (task for task in state.user_tasks.values() if task.status is UserStatus.OPEN),
        (timer for timer in state.timers.values() if timer.status is TimerStatus.SCHEDULED),
        (job for job in state.jobs.values() if job.status in _OPEN_JOB),
        (subscription for subscription in state.subscriptions.values() if subscription.status == "OPEN"),
        (incident for incident in state.incidents.values() if incident.status == "OPEN"),
    )
    for row in rows:
        owner = row.token
        if owner is None and isinstance(row, Timer | Subscription):
            owner = row.scope
        held[owner].append(row)
    for of_token in held.values():
        of_token.sort(key=lambda row: row.id, reverse=True)
    return held


def cancel_row(run: Run, row: Held, reason: str) -> None:
    """Close one open row. Emits its cancellation."""
    if isinstance(row, ExternalTask):
        run.emit(e.ExternalTaskCancelled(task=row.id, token=row.token, node=row.node, reason=reason))
    elif isinstance(row, UserTask):
        run.emit(e.UserTaskCancelled(task=row.id, token=row.token, node=row.node, reason=reason))
    elif isinstance(row, Timer):
        run.emit(e.TimerCancelled(timer=row.id, token=row.token, node=row.node, reason=reason))
    elif isinstance(row, Job):
        run.emit(e.JobCancelled(job=row.id, token=row.token, node=row.node, reason=reason))
    elif isinstance(row, Subscription):
        run.emit(e.SubscriptionCancelled(subscription=row.id, token=row.token, node=row.node, reason=reason))
    elif isinstance(row, Incident):
        run.emit(e.IncidentResolved(incident=row.id, token=row.token, node=row.node, reason=reason))


def end_inside(
    run: Run, scope: Id, reason: str, *, spare: Id | None = None, compensate: bool = False
) -> None:
    """End all tokens in a scope and in the scopes inside it: deepest first, newest first.

    What each token waits for is cancelled before it. Inner scopes end; the scope itself stays.

    Args:
        spare: a token that lives on.
        compensate: what the inner scopes have done will be compensated; else it never will be.

    Raises:
        Missing: unless the whole instance is loaded.
        TooLarge: more rows than one command may end.
    """
    state = run.state
    state.require_everything(f"end everything in scope {scope}")
    held = open_rows(state)
    inside = _scopes_inside(state.scopes.values(), scope)
    _require_few(run, {row.id for row in inside}, held)
    for row in inside:
        stop(run, row.id, reason, anew=compensate)
        for token in _live_tokens(state, row.id):
            if token.id != spare:
                end_token(run, token, held.get(token.id, []), reason)
        for join in [join for join in state.joins.values() if join.scope == row.id]:
            if join.status is JoinStatus.OPEN:
                run.emit(e.JoinClosed(join=join.id, node=join.node, reason=reason))
        if row.id != scope:
            _end_scope(run, row, held.get(row.id, []), reason, compensate=compensate)


def _require_few(run: Run, scopes: set[Id], held: Mapping[Id | None, list[Held]]) -> None:
    """Refuse to end more rows than one command may: tokens in scopes, and what these and the scopes wait for."""
    owners: list[Id] = [*scopes]
    owners += [token.id for token in run.state.tokens.values() if token.scope in scopes and not token.final]
    rows = len(owners) + sum(len(held[owner]) for owner in owners if owner in held)
    if rows > run.context.limits.interrupted:
        raise TooLarge(limit=run.context.limits.interrupted, rows=rows)


def end_scope(run: Run, scope: Id, reason: str) -> None:
    """End a scope with all that is inside it and all that it waits for itself. Emits ScopeTerminated at last.

    Raises:
        Missing, TooLarge: as `end_inside`.
    """
    end_inside(run, scope, reason)
    held = open_rows(run.state).get(scope, [])
    _end_scope(run, run.state.scopes[scope], held, reason, compensate=False)


def _end_scope(run: Run, row: Scope, held: Iterable[Held], reason: str, *, compensate: bool) -> None:
    for owned in held:
        cancel_row(run, owned, reason)
    present = run.state.scopes[row.id]
    if compensate:
        keep(run, present)
    else:
        discard(run, row.id, reason)
    run.emit(e.ScopeTerminated(scope=row.id, node=row.node, reason=reason))


def end_token(run: Run, token: Token, held: Iterable[Held], reason: str) -> None:
    """End one token after what it waits for."""
    for row in held:
        cancel_row(run, row, reason)
    run.end(token, reason)


def _live_tokens(state: State, scope: Id) -> list[Token]:
    found = [token for token in state.tokens.values() if token.scope == scope and not token.final]
    return sorted(found, key=lambda token: token.id, reverse=True)


def _scopes_inside(scopes: Iterable[Scope], outermost: Id) -> list[Scope]:
    """Return the active scopes inside and the scope itself: deepest first, within a depth newest first."""
    rows = {scope.id: scope for scope in scopes if scope.status is ScopeStatus.ACTIVE}
    depths: dict[Id, int] = {}
    for row in rows.values():
        depth, at = 0, row
        while at.id != outermost and at.parent in rows:
            at = rows[at.parent]
            depth += 1
        if at.id == outermost:
            depths[row.id] = depth
    order = sorted(depths, key=lambda scope: (depths[scope], scope), reverse=True)
    return [rows[scope] for scope in order]
