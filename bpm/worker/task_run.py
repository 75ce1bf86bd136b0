"""One leased task from its start to its report."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping

from bpm.worker.client import EngineClient
from bpm.worker.config import WorkerConfig
from bpm.worker.context import TaskContext
from bpm.worker.errors import EngineError
from bpm.worker.execution import run_handler
from bpm.worker.handler import TaskHandler
from bpm.worker.lease import Lease
from bpm.worker.lease_calls import extend_until_answered, give_back
from bpm.worker.lease_keeper import LeaseKeeper
from bpm.worker.reporting import Reporter
from bpm.worker.result import Failed, TaskResult

_log = logging.getLogger("bpm.worker")


class TaskRunner:
    """Runs the right handler for a leased task, keeps the lease meanwhile, reports the result.

    Args:
        handlers: By topic.
        draining: Set when no more tasks are to be started.
    """

    def __init__(
        self,
        client: EngineClient,
        config: WorkerConfig,
        handlers: Mapping[str, TaskHandler],
        keeper: LeaseKeeper,
        draining: threading.Event,
    ) -> None:
        self._client = client
        self._config = config
        self._handlers = handlers
        self._keeper = keeper
        self._reporter = Reporter(client, config)
        self._draining = draining

    def run(self, lease: Lease) -> bool:
        """Work on one task; returns True when the engine has moved its token on."""
        handler = self._handlers.get(lease.task.task_type)
        if handler is None:
            _log.error(
                "task %s has topic %r, which was not asked for", lease.task.task_id, lease.task.task_type
            )
        if handler is None or self._draining.is_set():
            give_back(self._client, self._config, lease)
            return False
        if not lease.confirmed and not self._confirm(lease):
            return False
        result = self._run_handler(handler, lease)
        taken = self._reporter.report(lease, result)
        return taken and not isinstance(result, Failed)

    def _confirm(self, lease: Lease) -> bool:
        try:
            extend_until_answered(self._client, self._config, lease, lease.lock_duration_ms)
        except EngineError as error:
            _log.warning("task %s of a repeated fetch not started: %s", lease.task.task_id, error)
            return False
        return True

    def _run_handler(self, handler: TaskHandler, lease: Lease) -> TaskResult:
        def extend(duration_ms: int) -> None:
            extend_until_answered(self._client, self._config, lease, duration_ms)

        context = TaskContext(lease, extend, self._draining)
        self._keeper.watch(lease)
        try:
            return run_handler(handler, lease.task, context)
        finally:
            self._keeper.release(lease)
