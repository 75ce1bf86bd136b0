"""Handlers for tests, against a scripted engine or a real one; also named on a command line."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from bpm.worker import ExternalTask, LeaseLost, TaskContext, TaskResult


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
        context.extend(3000)
        time.sleep(seconds)
        return TaskResult.complete({"slept": seconds})


class Held:
    """Works until it is released or the lease is lost; says which."""

    task_type = "work"

    def __init__(self) -> None:
        self.started = threading.Event()
        self.released = threading.Event()
        self.saw_loss = threading.Event()

    def handle(self, task: ExternalTask, context: TaskContext) -> TaskResult:
        self.started.set()
        try:
            while not self.released.is_set():
                context.sleep(0.01)
        except LeaseLost:
            self.saw_loss.set()
            raise
        return TaskResult.complete({"held": True})
