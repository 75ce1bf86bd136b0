"""Jobs of in-process handlers: claiming them, keeping them, reporting what became of them (semantics §5).

A claim counts the attempt and leases the job in one transaction, which is committed before the handler begins. The
attempt number fences: what an earlier attempt reports is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any

from bpm import handlers
from bpm.core import commands as c
from bpm.core.errors import EngineError, JobNotFound
from bpm.core.ids import Id, is_id
from bpm.core.lookup import visible_variables
from bpm.core.state import State
from bpm.core.values import check_variables
from bpm.shell.batch import Batch
from bpm.shell.clock import frozen_now
from bpm.shell.configuration import setting
from bpm.shell.database_clock import database_now
from bpm.shell.definitions import graph_of
from bpm.shell.due import ACTOR
from bpm.shell.execute import execute
from bpm.shell.outcome import Done
from bpm.shell.requests import Request
from bpm.shell.sql.loop_work import due_jobs, extend, own
from bpm.shell.sweeps import Sweep, sweep
from bpm.shell.violations import translated

MAX_ERROR_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedJob:
    """One attempt that may begin.

    Attributes:
        handler: as registered, with its kind (`service:pay`).
        expires_at: until when nobody else takes the job.
    """

    handler: str
    work: handlers.Work
    expires_at: datetime


def claim_jobs(
    owner: str, *, limit: int, lease_ms: int, names: Sequence[str] | None = None
) -> list[ClaimedJob]:
    """Lease due jobs to a cluster process, by priority, then the longest due first.

    Jobs whose instance is busy are passed over.

    Args:
        owner: the process; 1 to 255 characters.
        names: handlers that the process can run; None: all that are registered in this one.

    Returns:
        At most `limit` jobs, each with its attempt counted and committed.
    """
    wanted = handlers.names() if names is None else names
    if not wanted or limit < 1:
        return []

    def lease(batch: Batch) -> list[ClaimedJob]:
        claimed = _claimed(batch, batch.now + timedelta(milliseconds=lease_ms))
        if claimed:
            own([job.work.job_id for job in claimed], owner, claimed[0].expires_at)
        return claimed

    kind = Sweep(
        name="claiming jobs",
        find=lambda most: due_jobs(wanted, frozen_now(), most),
        commands=lambda rows: [c.StartJob(job=row, actor=ACTOR) for row in rows],
        collect=lease,
    )
    return sweep(kind, limit).done


def renew_jobs(owner: str, jobs: Sequence[Id], *, lease_ms: int) -> set[Id]:
    """Let the leases of running jobs end `lease_ms` from now.

    Returns:
        The jobs that were renewed; one that is missing was taken back, has ended, or is being written right now.

    Statements: PostgreSQL 2, SQLite 1; none without jobs.
    """
    if not jobs:
        return set()
    with translated():
        return extend(jobs, owner, database_now() + timedelta(milliseconds=lease_ms))


def complete_job(job_id: str, *, attempt: int, variables: Mapping[str, Any] | None = None) -> Done:
    """The handler returned: write its variables and let the token go on.

    Raises:
        JobNotFound, JobClosed: this attempt does not run any more.
        InstanceEnded, Suspended, VariableInvalid, Busy.
    """
    checked = check_variables(dict(variables or {}), max_bytes=setting("MAX_VARIABLE_BYTES"))
    return _report(c.CompleteJob(job=_id(job_id), attempt=attempt, variables=checked, actor=ACTOR))


def fail_job(
    job_id: str, *, attempt: int, error: str, retries: int | None = None, retry_after_ms: int | None = None
) -> Done:
    """The handler failed: another attempt after the node's delay, or, without retries left, an incident.

    Args:
        error: kept up to 4,000 characters.
        retries: what is left now, at most what was left; None takes one off.
        retry_after_ms: no attempt before that; None: the definition's delay, else at once.

    Raises:
        JobNotFound, JobClosed, InstanceEnded, Suspended, Busy.
    """
    text = error.replace("\x00", "\N{REPLACEMENT CHARACTER}")[:MAX_ERROR_CHARACTERS]
    command = c.FailJob(
        job=_id(job_id),
        attempt=attempt,
        error=text.encode("utf-8", "replace").decode(),
        retries=retries,
        retry_after_ms=retry_after_ms,
        actor=ACTOR,
    )
    return _report(command)


def throw_job_error(
    job_id: str,
    *,
    attempt: int,
    error_code: str,
    message: str = "",
    variables: Mapping[str, Any] | None = None,
) -> Done:
    """The handler ended by a BPMN error; uncaught, the token fails with the code. Raises: as `complete_job`."""
    command = c.ThrowJobError(
        job=_id(job_id),
        attempt=attempt,
        error_code=error_code,
        message=message[:MAX_ERROR_CHARACTERS],
        variables=check_variables(dict(variables or {}), max_bytes=setting("MAX_VARIABLE_BYTES")),
        actor=ACTOR,
    )
    return _report(command)


def _claimed(batch: Batch, until: datetime) -> list[ClaimedJob]:
    found: list[tuple[tuple[int, datetime], ClaimedJob]] = []
    for work in batch.works.values():
        for index, request in work.requests:
            outcome = batch.outcomes[index]
            if isinstance(outcome, Done) and outcome.answer.get("handler"):
                row = work.state.jobs[request.ids[0]]
                claim = _claim(work.state, row.id, outcome, until)
                found.append(((-row.priority, row.available_at), claim))
    found.sort(key=itemgetter(0))
    return [claim for _, claim in found]


def _claim(state: State, job: Id, done: Done, until: datetime) -> ClaimedJob:
    answer, instance = done.answer, state.instance
    node = graph_of(instance.definition).nodes[answer["node"]]
    work = handlers.Work(
        instance_id=instance.id,
        token_id=answer["token"],
        job_id=job,
        node_id=node.id,
        process_def_id=instance.definition_key,
        business_key=instance.business_key,
        tenant=instance.tenant,
        attempt=answer["attempt"],
        variables=visible_variables(state, state.tokens[answer["token"]].scope),
        script=getattr(node, "script", ""),
    )
    return ClaimedJob(handler=answer["handler"], work=work, expires_at=until)


def _report(command: c.JobCommand) -> Done:
    outcome = execute(Request(command))
    if isinstance(outcome, EngineError):
        raise outcome
    return outcome


def _id(text: str) -> Id:
    if not is_id(text):
        raise JobNotFound(job=text[:100])
    return text.lower()
