"""What a worker's author writes."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from bpm.worker.context import TaskContext
from bpm.worker.external_task import ExternalTask
from bpm.worker.result import TaskResult


@runtime_checkable
class TaskHandler(Protocol):
    """Does the work of one topic; no base class is needed, the two names are enough.

    One handler object serves all tasks of its topic, from several threads at once. The same task may come
    twice (a crash, a lost lease), so the effect must be idempotent, keyed by `task.task_id`.
    """

    @property
    def task_type(self) -> str:
        """The topic; constant."""

    def handle(self, task: ExternalTask, context: TaskContext) -> TaskResult:
        """Do the work, within the lease or watching `context`.

        Raises:
            Exception: Whatever it raises is reported as a failure with message and traceback.
        """
