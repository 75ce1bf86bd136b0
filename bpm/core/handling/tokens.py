"""Trying again where a token failed (semantics §2)."""

from __future__ import annotations

from typing import Any

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core.between import CompleteCall
from bpm.core.errors import Invalid, NothingToRetry, TokenNotFound
from bpm.core.handling.guards import require_alive
from bpm.core.ids import Id
from bpm.core.phases import LEAVING
from bpm.core.rows import ExternalStatus, ExternalTask, Job, JobStatus
from bpm.core.run import Run
from bpm.core.token import Token, TokenStatus, Wait


def retry(run: Run, command: c.RetryToken) -> dict[str, Any]:
    """Emit IncidentResolved, TokenRetried; then as the failure asks.

    Behind the node's work only the way out is tried. A failed external task or job is offered again, with its initial
    retries or those given. Otherwise the token enters its node again.

    Raises:
        TokenNotFound, InstanceEnded, Suspended.
        NothingToRetry: the token has not failed, or not for the reason named.
        Invalid: `retries` is not above zero.
    """
    token = run.state.tokens.get(command.token)
    if token is None:
        raise TokenNotFound(token=command.token)
    require_alive(run)
    if token.status is not TokenStatus.FAILED:
        raise NothingToRetry(token=token.id, status=token.status.value)
    if command.because is not None and not _made_it_fail(run, token, command.because):
        raise NothingToRetry(
            "That is not why the token has failed now.", token=token.id, because=command.because
        )
    if command.retries is not None and command.retries < 1:
        raise Invalid("`retries` is a whole number above zero.", retries=command.retries)
    for incident in list(run.state.incidents.values()):
        if incident.token == token.id and incident.status == "OPEN":
            run.emit(
                e.IncidentResolved(incident=incident.id, token=token.id, node=incident.node, reason="retried")
            )
    run.emit(e.TokenRetried(token=token.id, node=token.node))
    run.moved[token.scope] = None
    if token.phase in LEAVING:
        run.enqueue(token.id, admitted=True)
    else:
        _again(run, token, command.retries)
    return {}


def _made_it_fail(run: Run, token: Token, because: Id) -> bool:
    incident = run.state.incidents.get(because)
    task = run.state.external_tasks.get(because)
    if incident is not None:
        return incident.token == token.id and incident.status == "OPEN"
    return task is not None and task.token == token.id and task.status is ExternalStatus.FAILED


def _again(run: Run, token: Token, retries: int | None) -> None:
    if token.called is not None:
        # Its call has returned, what came back could not be mapped: it is asked for again.
        run.block(run.token(token.id), Wait.CALL)
        run.send(run.state.instance.id, CompleteCall(token=token.id, called=token.called))
        return
    task = _failed_task(run, token)
    job = _failed_job(run, token)
    if task is not None:
        run.emit(
            e.ExternalTaskRetried(
                task=task.id, token=token.id, node=token.node, retries=retries or task.initial_retries
            )
        )
        run.block(run.token(token.id), Wait.EXTERNAL)
    elif job is not None:
        run.emit(
            e.JobRetried(job=job.id, token=token.id, node=token.node, retries=retries or job.initial_retries)
        )
    else:
        run.enqueue(token.id, admitted=True)


def _failed_task(run: Run, token: Token) -> ExternalTask | None:
    rows = run.state.external_tasks.values()
    return next((row for row in rows if row.token == token.id and row.status is ExternalStatus.FAILED), None)


def _failed_job(run: Run, token: Token) -> Job | None:
    rows = run.state.jobs.values()
    return next((row for row in rows if row.token == token.id and row.status is JobStatus.FAILED), None)
