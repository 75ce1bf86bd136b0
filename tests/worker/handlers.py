"""Handlers for tests, against a scripted engine or a real one; also named on a command line."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from bpm.worker import ExternalTask, LeaseLost, TaskContext, TaskResult

BEGUN_MS: Final = 600_000
"""More than any lease of these tests: only what makes one longer is a call."""


class Calling:
    """Runs the given function; counts and remembers the tasks it got."""

    def __init__(
        self, work: Callable[[ExternalTask, TaskContext], TaskResult], task_type: str = "work"
    ) -> None:
        self.task_type = task_type
        self.tasks: list[ExternalTask] = []
        self._work = work

    def handle(self, task: ExternalTask, context: TaskContext) -> TaskResult:
        self.tasks.append(task)
        return self._work(task, context)


class Echo:
    """Completes with the variables it got."""

    task_type = "work"

    def handle(self, task: ExternalTask, context: TaskContext) -> TaskResult:
        return TaskResult.complete(dict(task.variables))


class Raising:
    """Raises."""

    task_type = "work"

    def handle(self, task: ExternalTask, context: TaskContext) -> TaskResult:
        raise RuntimeError("the other system is down")


class Slow:
    """Works for the seconds given by the variable `seconds`, deaf to everything.

    Its first act is to extend the lease: whoever watches the engine's side sees that it has begun.
    """

    task_type = "work"

    def handle(self, task: ExternalTask, context: TaskContext) -> TaskResult:
        seconds = task.variables["seconds"]
        assert isinstance(seconds, int)
        context.extend(BEGUN_MS)
        time.sleep(seconds)
        return TaskResult.complete({"slept": seconds})


class UntilDrained:
    """Works until the worker is asked to stop, and a little longer.

    It extends the lease when it begins and when it sees that it shall end, for whoever watches the engine's side.
    """

    task_type = "work"

    def handle(self, task: ExternalTask, context: TaskContext) -> TaskResult:
        context.extend(BEGUN_MS)
        while not context.draining:
            time.sleep(0.01)
        context.extend(2 * BEGUN_MS)
        time.sleep(0.5)
        return TaskResult.complete({"drained": True})


class Held:
    """Works until it is released or the lease is lost; says which."""

    task_type = "work"

    def __init__(self) -> None:
        self.contexts: list[TaskContext] = []
        self.started = threading.Event()
        self.released = threading.Event()
        self.saw_loss = threading.Event()

    def handle(self, task: ExternalTask, context: TaskContext) -> TaskResult:
        self.contexts.append(context)
        self.started.set()
        try:
            while not self.released.is_set():
                context.sleep(0.01)
        except LeaseLost:
            self.saw_loss.set()
            raise
        return TaskResult.complete({"held": True})
