"""Tells the engine the outcome of a task, until it has heard."""

from __future__ import annotations

import logging
import time
import uuid

from bpm.worker.backoff import Backoff
from bpm.worker.client import EngineClient
from bpm.worker.config import WorkerConfig
from bpm.worker.errors import (
    AnswerNotKept,
    EngineError,
    EngineUnavailable,
    LeaseLost,
    NotFound,
    Refused,
)
from bpm.worker.exact_json import NotJson
from bpm.worker.lease import Lease
from bpm.worker.repetition import repeat_until_answered
from bpm.worker.result import BpmnErrorThrown, Completed, Failed, TaskResult

_log = logging.getLogger("bpm.worker")


class Reporter:
    """Reports results under the worker's id."""

    def __init__(self, client: EngineClient, config: WorkerConfig) -> None:
        self._client = client
        self._config = config

    def report(self, lease: Lease, result: TaskResult) -> bool:
        """Report once, repeating the call under one Idempotency-Key until it is answered or the lease ends.

        A result that the engine refuses (a variable it does not accept, retries that grow) is reported as a
        failure instead: otherwise the task would come back for ever. Never raises an `EngineError`.

        Returns:
            True when the engine has taken the result as it was.
        """
        task_id = lease.task.task_id
        try:
            self._send(lease, result)
        except AnswerNotKept:
            return True
        except (LeaseLost, NotFound) as error:
            _log.warning("result of task %s dropped: %s", task_id, error)
        except EngineUnavailable as error:
            _log.error("result of task %s dropped, lease ended before an answer: %s", task_id, error)
        except (Refused, NotJson) as error:
            self._report_refusal(lease, result, error)
        except EngineError as error:
            _log.error("result of task %s dropped: %s", task_id, error)
        else:
            level = logging.WARNING if isinstance(result, Failed) else logging.INFO
            _log.log(level, "task %s %s", task_id, _word(result))
            return True
        return False

    def _report_refusal(self, lease: Lease, result: TaskResult, refusal: Exception) -> None:
        task_id = lease.task.task_id
        _log.error("result of task %s refused: %s", task_id, refusal)
        if isinstance(result, Failed) and result.retries is None and result.retry_after_ms is None:
            return
        said = f"{result.error} (" if isinstance(result, Failed) else "the engine refused the result ("
        self.report(lease, Failed(f"{said}{refusal})"))

    def _send(self, lease: Lease, result: TaskResult) -> None:
        if lease.gone.is_set():
            raise LeaseLost(lease.lost_because)
        key = str(uuid.uuid4())
        repeat_until_answered(
            lambda: self._call(lease, result, key),
            backoff=Backoff.of(self._config),
            left_s=lease.remaining_s,
            wait=time.sleep,
        )

    def _call(self, lease: Lease, result: TaskResult, key: str) -> None:
        task_id, lease_id, worker_id = lease.task.task_id, lease.lease_id, self._config.worker_id
        match result:
            case Completed(variables):
                self._client.complete(task_id, worker_id, lease_id, variables, key)
            case Failed(error, retries, retry_after_ms, details):
                self._client.fail(task_id, worker_id, lease_id, error, details, retries, retry_after_ms, key)
            case BpmnErrorThrown(code, message, variables):
                self._client.bpmn_error(task_id, worker_id, lease_id, code, message, variables, key)


def _word(result: TaskResult) -> str:
    match result:
        case Completed():
            return "completed"
        case Failed(error=error):
            return f"failed: {error}"
    return "ended by BPMN error"
