"""Counters of what the engine's commands did in this process."""

from __future__ import annotations

from collections import Counter as Numbers
from functools import cache
from typing import TYPE_CHECKING

from bpm import engine

if TYPE_CHECKING:
    from prometheus_client import Counter, Histogram

BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of latencies, seconds."""

_ENDS = frozenset({"COMPLETED", "CANCELLED"})


class CommandMetrics:
    """Counts executions; made once per process, since metrics have global names.

    Label `command` is the command's class, for a batch that of all its commands or `mixed`; `outcome` is `done` or the
    class of the refusal or error; both are closed sets.
    """

    def __init__(self) -> None:
        # Imported here, because the library looks for its folder when it is imported.
        from prometheus_client import CollectorRegistry, Counter, Histogram

        registry = CollectorRegistry()
        self.commands = Counter(
            "bpm_commands", "Commands by what became of them.", ("command", "outcome"), registry=registry
        )
        self.seconds = Histogram(
            "bpm_execution_seconds",
            "Time of one call of the engine, a whole batch being one.",
            ("command", "batch"),
            buckets=BUCKETS,
            registry=registry,
        )
        self.statements = Counter(
            "bpm_statements",
            "Statements that read and wrote instances for commands.",
            ("command", "batch"),
            registry=registry,
        )
        self.ended = Counter(
            "bpm_instances_ended", "Instances that came to an end.", ("status",), registry=registry
        )
        self.wrong = Counter(
            "bpm_decisions_remembered_wrongly",
            "Remembered decisions that were not what was decided anew.",
            registry=registry,
        )
        self.registry = registry
        self._wrong = engine.wrongly_remembered()
        self._seconds = cache(self._labelled_seconds)
        self._statements = cache(self._labelled_statements)
        self._commands = cache(self._labelled_commands)
        self._ended = cache(self._labelled_ended)

    def __call__(self, execution: engine.Execution) -> None:
        """Count one execution."""
        outcomes: dict[tuple[str, str], int] = {}
        for one in execution.commands:
            kind = (one.command, one.outcome)
            outcomes[kind] = outcomes.get(kind, 0) + 1
        for (command, outcome), number in outcomes.items():
            self._commands(command, outcome).inc(number)
        names = {command for command, _ in outcomes}
        name = names.pop() if len(names) == 1 else "mixed"
        batch = "yes" if execution.batch else "no"
        self._seconds(name, batch).observe(execution.seconds)
        self._statements(name, batch).inc(execution.statements)
        # An instance that has ended refuses every further command, so it is counted once.
        ended = {one.instance_id: one.status for one in execution.commands if one.status in _ENDS}
        for status, number in Numbers(ended.values()).items():
            self._ended(status).inc(number)
        if (wrong := engine.wrongly_remembered()) > self._wrong:
            self.wrong.inc(wrong - self._wrong)
            self._wrong = wrong

    def _labelled_seconds(self, command: str, batch: str) -> Histogram:
        return self.seconds.labels(command, batch)

    def _labelled_statements(self, command: str, batch: str) -> Counter:
        return self.statements.labels(command, batch)

    def _labelled_commands(self, command: str, outcome: str) -> Counter:
        return self.commands.labels(command, outcome)

    def _labelled_ended(self, status: str) -> Counter:
        return self.ended.labels(status)


@cache
def command_metrics() -> CommandMetrics:
    """Return this process's counters."""
    return CommandMetrics()
