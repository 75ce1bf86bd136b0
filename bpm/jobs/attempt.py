"""One attempt at a job: the handler runs, and what became of it is reported (semantics §5)."""

from __future__ import annotations

import logging
import random
import time
import traceback
from collections.abc import Callable, Mapping
from functools import partial

from django.db import InterfaceError, OperationalError, close_old_connections, connections

from bpm import engine, handlers
from bpm.core.errors import Busy, Conflict, EngineError, Invalid, NotFound
from bpm.engine import ClaimedJob

REPORTING_S = 60.0
"""How long a result is offered to an engine that is busy or cannot be reached; then the job's lease decides."""

_log = logging.getLogger(__name__)
Report = Callable[[], object]


def run_attempt(job: ClaimedJob) -> None:
    """Run the handler of a claimed job and report; never raises.

    A result that comes too late (the job was taken back, the instance has ended) is dropped.
    """
    report = _run(job)
    _close_left_transactions()
    try:
        _deliver(job, report)
    except Exception as error:  # noqa: BLE001 - nothing may end the thread; it is logged
        _log.exception("job %s: the result of attempt %d is lost", job.work.job_id, job.work.attempt)
        _deliver_failure(job, error)


def _run(job: ClaimedJob) -> Report:
    job_id, attempt = job.work.job_id, job.work.attempt
    handler = handlers.find(job.handler)
    try:
        if handler is None:
            raise LookupError(f"{job.handler} is not registered in this process")
        variables = handler(job.work)
        if variables is not None and not isinstance(variables, Mapping):
            raise TypeError(f"the handler returned {type(variables).__name__}, not a mapping of variables")
    except handlers.BpmnError as error:
        return partial(
            engine.throw_job_error,
            job_id,
            attempt=attempt,
            error_code=error.code,
            message=error.message,
            variables=error.variables,
        )
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a handler raises fails it
        _log.warning("job %s: %s raised %r", job.work.job_id, job.handler, error)
        return partial(engine.fail_job, job_id, attempt=attempt, error=_described(error))
    return partial(engine.complete_job, job_id, attempt=attempt, variables=variables)


def _described(error: BaseException) -> str:
    """Return what happened, the end of the trace last, because texts are cut at the end."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = "".join(f" ({frame.filename}:{frame.lineno} in {frame.name})" for frame in last)
    return f"{type(error).__name__}: {error}{where}"


def _deliver(job: ClaimedJob, report: Report) -> None:
    give_up = time.monotonic() + REPORTING_S
    pause_s = 0.05
    while True:
        try:
            report()
        except (Busy, OperationalError, InterfaceError):
            if time.monotonic() > give_up:
                raise
            close_old_connections()
            time.sleep(pause_s * random.uniform(0.5, 1.0))  # noqa: S311 - spreads load, hides nothing
            pause_s = min(pause_s * 2, 2.0)
        except (NotFound, Conflict) as refusal:
            _log.warning("job %s: the result is dropped: %s", job.work.job_id, refusal)
            return
        except Invalid as refusal:
            _log.warning("job %s: the result cannot be stored: %s", job.work.job_id, refusal)
            report = partial(
                engine.fail_job, job.work.job_id, attempt=job.work.attempt, error=f"{refusal.code}: {refusal}"
            )
        else:
            return


def _deliver_failure(job: ClaimedJob, error: Exception) -> None:
    """Make a defect visible at the job; where that fails too, its lease runs out and the attempt counts as crashed."""
    if isinstance(error, EngineError):
        try:
            engine.fail_job(job.work.job_id, attempt=job.work.attempt, error=f"{error.code}: {error}")
        except Exception:  # noqa: BLE001 - the lease does the rest
            _log.exception("job %s is left to its lease", job.work.job_id)


def _close_left_transactions() -> None:
    """Close connections that a handler left inside a transaction, so that the report is not part of it."""
    for connection in connections.all(initialized_only=True):
        if connection.connection is None or connection.in_atomic_block:
            continue
        if not connection.get_autocommit():
            connection.close()
