"""Runs a handler and turns whatever happens into a result."""

from __future__ import annotations

import traceback

from bpm.worker.context import TaskContext
from bpm.worker.external_task import ExternalTask
from bpm.worker.handler import TaskHandler
from bpm.worker.result import Failed, TaskResult

_LONGEST_ERROR = 1_000
_LONGEST_DETAILS = 16_000


def run_handler(handler: TaskHandler, task: ExternalTask, context: TaskContext) -> TaskResult:
    """Return what the handler says, or a failure with message and traceback if it raises.

    SystemExit and the like count as failures too: they are meant for a process, not for one task of many.
    """
    try:
        # Handlers are foreign code: what they return is checked, whatever they declare.
        result: object = handler.handle(task, context)
    except BaseException as error:  # noqa: BLE001  the boundary to foreign code
        return failure_of(error)
    if not isinstance(result, TaskResult):
        kind = type(result).__name__
        return Failed(f"handler of {task.task_type!r} returned {kind}; it must return a TaskResult")
    return result


def failure_of(error: BaseException) -> Failed:
    """Return the failure that reports an exception; long texts are cut, the traceback at its beginning."""
    message = _sendable(f"{type(error).__name__}: {error}")
    details = _sendable("".join(traceback.format_exception(error)))
    return Failed(message[:_LONGEST_ERROR], details=details[-_LONGEST_DETAILS:])


def _sendable(text: str) -> str:
    """Exceptions quote foreign text; NUL and lone surrogates would make the report itself unsendable."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")
