"""Playing one betsy case: deploy, start, let time pass; scripts are jobs that may take time of their own."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from bpm.core import commands as c
from bpm.core.errors import Refused
from bpm.core.ids import Id
from bpm.core.lookup import visible_variables
from tests.corpus.marker_words import Effect, Trace, run_words
from tests.support.hosts import Host, next_due


class _Running(NamedTuple):
    """A script that has begun."""

    ends_at: datetime
    instance: Id
    job: Id
    attempt: int
    effect: Effect


class BetsyPlayer:
    """One case on one host.

    Attributes:
        trace: what the scripts did.
        started: the instances that the case itself started.
    """

    def __init__(self, host: Host) -> None:
        self.host = host
        self.trace = Trace()
        self.started: list[Id] = []
        self._running: list[_Running] = []
        host.handlers["script", ""] = lambda work: None

    def play(self, case: dict[str, Any]) -> None:
        """Start what the case starts and let its time pass."""
        end = self.host.clock.now + timedelta(milliseconds=case["advance_clock_ms"])
        for start in case["start"]:
            self.started.append(self.host.start(start["process"], start["variables"]))
            self._work()
        while True:
            self._work()
            due = self._next()
            if due is None or due > end:
                break
            self.host.clock.now = max(self.host.clock.now, due)
        self.host.clock.now = max(self.host.clock.now, end)
        self._work()

    def statuses(self) -> dict[Id, tuple[str, str]]:
        """Return instance to its process and status."""
        states = {instance: self.host.state(instance).instance for instance in self.host.instances()}
        return {instance: (row.definition_key, row.status.value) for instance, row in states.items()}

    def processes(self) -> Counter[str]:
        """Return how many instances of each process there are."""
        return Counter(process for process, _ in self.statuses().values())

    def _next(self) -> datetime | None:
        instants = [running.ends_at for running in self._running]
        due = next_due(self.host)
        return min([*instants, *([due] if due is not None else [])], default=None)

    def _work(self) -> None:
        """Do what can be done now, one script after another unless it takes time, until nothing is left."""
        while self._begin_script() or self._end_scripts() or self.host.run_due(handlers=False):
            pass

    def _begin_script(self) -> bool:
        for instance in self.host.instances():
            for job in sorted(self.host.state(instance).jobs.values(), key=lambda job: job.id):
                if (
                    job.kind == "handler"
                    and job.status == "READY"
                    and job.available_at <= self.host.clock.now
                ):
                    self._begin(instance, job.id)
                    return True
        return False

    def _begin(self, instance: Id, job: Id) -> None:
        answer = self.host.execute(instance, c.StartJob(job=job))
        state = self.host.state(instance)
        variables = visible_variables(state, state.tokens[answer["token"]].scope)
        node = self.host.graph(instance).nodes[answer["node"]]
        script = getattr(node, "script", "")
        effect = run_words(script, variables, self.trace, instance, self.host.clock.now)
        ends_at = self.host.clock.now + effect.takes
        running = _Running(ends_at, instance, job, answer["attempt"], effect)
        if effect.takes:
            self._running.append(running)
        else:
            self._end(running)

    def _end_scripts(self) -> int:
        ended = [running for running in self._running if running.ends_at <= self.host.clock.now]
        self._running = [running for running in self._running if running not in ended]
        for running in ended:
            self._end(running)
        return len(ended)

    def _end(self, running: _Running) -> None:
        effect = running.effect
        ids: dict[str, Any] = {"job": running.job, "attempt": running.attempt}
        result: c.Command
        if effect.error_code is not None:
            result = c.ThrowJobError(**ids, error_code=effect.error_code, variables=effect.variables)
        else:
            result = c.CompleteJob(**ids, variables=effect.variables)
        try:
            self.host.execute(running.instance, result)
        except Refused:
            # Its instance or task ended meanwhile: the result is dropped, as a cluster drops it.
            assert self.host.state(running.instance).jobs[running.job].status == "CANCELLED"
