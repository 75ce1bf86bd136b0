"""Why an instance stands where it stands: what each token waits for, and what would move it (semantics §1, §3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from bpm.core.graph import Graph
from bpm.core.ids import Id
from bpm.core.rows import ExternalStatus, JobStatus, ScopeStatus
from bpm.core.state import State
from bpm.core.token import Token, TokenStatus, Wait
from bpm.models import Job, ProcessInstance
from bpm.queries.explanation import CallWait, Explanation, ScopeExplanation, TokenExplanation
from bpm.queries.instances import find_instance
from bpm.queries.snapshot import one_snapshot
from bpm.queries.tokens import MAX_TOKENS
from bpm.queries.waiting import (
    Lease,
    by_owner,
    external_task_wait,
    incident_wait,
    job_wait,
    join_wait,
    scope_wait,
    subscription_waits,
    timer_waits,
    user_task_wait,
)
from bpm.shell.definitions import graph_of
from bpm.shell.stored import stored_instance

_WAITS: Final = {
    Wait.USER: "user_task",
    Wait.EXTERNAL: "external_task",
    Wait.BACKOFF: "job",
    Wait.PROPAGATION: "caller",
}
_MOVED_BY: Final = {
    "user_task": "Somebody completes the task.",
    "external_task": "A worker fetches the task and completes it.",
    "lease": "The worker that holds the lease completes the task, or its lease runs out and another one does.",
    "expired": "The lease has run out: a worker fetches the task and completes it.",
    "timer": "The timer fires.",
    "message": "The message comes.",
    "signal": "The signal comes.",
    "condition": "Variables make the condition true.",
    "events": "One of the events comes.",
    "join": "A token comes by every missing flow.",
    "stranded": "No token can come by a missing flow: only modification of the instance moves it.",
    "scope": "Everything inside is done.",
    "call": "The called instance ends.",
    "job": "A cluster takes the job.",
    "running": "The handler reports its result, or its cluster vanishes and the job is taken back.",
    "compensation": "What it compensates is done.",
    "caller": "The caller answers whether it catches what was thrown.",
    "incident": "The incident is resolved by a retry.",
    "suspended": "The instance is activated; then: ",
}


@dataclass(frozen=True, slots=True)
class _Seen:
    """One instance at one moment, its rows by who waits for them."""

    state: State
    graph: Graph
    now: datetime
    leases: Mapping[Id, Lease]
    called: Mapping[Id, str]
    tasks: Mapping[Id, Any]
    external: Mapping[Id, Any]
    jobs: Mapping[Id, Any]
    incidents: Mapping[Id | None, Any]
    timers: Mapping[Id, list[Any]]
    subscriptions: Mapping[Id, list[Any]]


def explain(instance_id: str | UUID, *, tenant: str) -> Explanation:
    """Return what every live token waits for, the oldest 1,000. Six statements at most.

    The definition's graph is read with one more statement the first time a process needs it.

    Raises:
        InstanceNotFound: there is none of this id in this tenant.
    """
    with one_snapshot():
        found = find_instance(instance_id, tenant=tenant)
        now, state = stored_instance(str(found.instance_id))
        seen = _look(now, state)
    live = sorted((token for token in state.tokens.values() if not token.final), key=lambda token: token.id)
    return Explanation(
        state.instance.id,
        state.instance.status.value,
        state.instance.suspended_because,
        tuple(_token(seen, token) for token in live[:MAX_TOKENS]),
        tuple(_scopes(seen)),
    )


def _look(now: datetime, state: State) -> _Seen:
    running = [row.id for row in state.jobs.values() if row.status is JobStatus.RUNNING]
    called = [token.called for token in state.tokens.values() if token.called is not None]
    return _Seen(
        state,
        graph_of(state.instance.definition),
        now,
        _leases(running) if running else {},
        _statuses(called) if called else {},
        {row.token: row for row in state.user_tasks.values()},
        {row.token: row for row in state.external_tasks.values()},
        {row.token: row for row in state.jobs.values()},
        {row.token: row for row in state.incidents.values()},
        by_owner(state.timers.values()),
        by_owner(state.subscriptions.values()),
    )


def _leases(jobs: list[Id]) -> dict[Id, Lease]:
    rows = Job.objects.filter(id__in=jobs).values_list("id", "owner", "lease_expires_at")
    return {str(job): Lease(owner, expires_at) for job, owner, expires_at in rows}


def _statuses(instances: list[Id]) -> dict[Id, str]:
    rows = ProcessInstance.objects.filter(id__in=instances).values_list("id", "status")
    return {str(instance): status for instance, status in rows}


def _token(seen: _Seen, token: Token) -> TokenExplanation:
    waits_for, moved_by, parts = _wait(seen, token)
    suspended = token.status is TokenStatus.SUSPENDED
    sentence = _MOVED_BY[moved_by]
    if suspended:
        sentence = _MOVED_BY["suspended"] + sentence
    return TokenExplanation(
        token_id=token.id,
        node_id=token.node,
        scope_id=token.scope,
        status=token.status.value,
        suspended=suspended,
        waits_for=waits_for,
        moved_by=sentence,
        **parts,
        timers=timer_waits(seen.timers.get(token.id, ()), seen.now),
        subscriptions=subscription_waits(seen.subscriptions.get(token.id, ())),
    )


def _wait(seen: _Seen, token: Token) -> tuple[str, str, dict[str, Any]]:
    """Return what the token waits for, which sentence says what moves it, and the parts of its explanation."""
    status = TokenStatus(token.resumes_as) if token.resumes_as else token.status
    if status is TokenStatus.FAILED:
        row = seen.incidents.get(token.id)
        return "incident", "incident", {"incident": incident_wait(row) if row is not None else None}
    if status is not TokenStatus.WAITING or token.wait is Wait.BACKOFF:
        return _job(seen, token)
    if token.wait is Wait.USER:
        return "user_task", "user_task", {"user_task": user_task_wait(seen.tasks[token.id])}
    if token.wait is Wait.EXTERNAL:
        task = seen.external[token.id]
        moved_by = "lease" if task.status is ExternalStatus.LOCKED else "external_task"
        if task.lease_expires_at is not None and task.lease_expires_at <= seen.now:
            moved_by = "expired"
        return "external_task", moved_by, {"external_task": external_task_wait(task)}
    if token.wait is Wait.JOIN and token.join is not None:
        join = join_wait(seen.graph, seen.state, seen.state.joins[token.join])
        stranded = any(not flow.can_come for flow in join.missing) and join.kind == "parallel"
        return "join", "stranded" if stranded else "join", {"join": join}
    if token.wait is Wait.SCOPE:
        return "scope", "scope", {"scope": scope_wait(seen.state, token)}
    if token.wait is Wait.CALL:
        called = token.called or ""
        return "call", "call", {"call": CallWait(called, seen.called.get(called))}
    name = _WAITS.get(token.wait, str(token.wait))
    return name, name, {}


def _job(seen: _Seen, token: Token) -> tuple[str, str, dict[str, Any]]:
    row = seen.jobs.get(token.id)
    moved_by = "running" if token.status is TokenStatus.EXECUTING else "job"
    return "job", moved_by, {"job": job_wait(row, seen.leases) if row is not None else None}


def _scopes(seen: _Seen) -> list[ScopeExplanation]:
    joining: dict[Id, bool] = {}
    for token in seen.state.tokens.values():
        if not token.final:
            joining[token.scope] = joining.get(token.scope, True) and token.join is not None
    found = []
    for row in sorted(seen.state.scopes.values(), key=lambda row: row.id):
        if row.status is not ScopeStatus.ACTIVE:
            continue
        deadlocked = joining.get(row.id, False) and not row.live_scopes
        timers = timer_waits(seen.timers.get(row.id, ()), seen.now)
        waits = subscription_waits(seen.subscriptions.get(row.id, ()))
        if deadlocked or timers or waits:
            found.append(ScopeExplanation(row.id, row.node, row.kind, deadlocked, timers, waits))
    return found
